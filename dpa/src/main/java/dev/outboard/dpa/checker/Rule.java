package dev.outboard.dpa.checker;

import static dev.outboard.dpa.checker.Severity.ERROR;
import static dev.outboard.dpa.checker.Severity.NOTE;
import static dev.outboard.dpa.checker.Severity.WARNING;

/// What can be wrong in the use of the DPA's memory. Each has the row of the catalog that it is, a
/// severity, what is missing, why that matters, and what mends it.
public enum Rule {
    /// The NIC consumed DPA memory that its writer had not pushed.
    MISSING_MEMORY_WRITEBACK(
            "DPA-CHK-1",
            ERROR,
            "a memory_writeback by the writing thread",
            "The NIC does not see what a thread has stored to DPA memory until the thread writes"
                    + " it back: it may read the bytes from before, today or once a week.",
            "Write the stores back before what announces them."),
    /// Somebody outside consumed external memory that its writer had not pushed.
    MISSING_WINDOW_WRITEBACK(
            "DPA-CHK-2",
            ERROR,
            "a window_writeback by the writing thread",
            "A window store stays in the DPA until the thread writes it back: whoever is told of it"
                    + " before may read the bytes from before.",
            "Write the window stores back before what announces them."),
    /// A flag may overtake its data.
    MISSING_FENCE(
            "DPA-CHK-3",
            ERROR,
            "a W,W order between the data and what announces it",
            "Stores of a thread appear to others in any order unless a fence, a writeback or a"
                    + " releasing atomic stands between: the flag may be seen before its data.",
            "Put a fence with W before and W after between the two stores."),
    /// A doorbell record may overtake its queue entries.
    MISSING_RECORD_FENCE(
            "DPA-CHK-4",
            ERROR,
            "a W,W order between the queue entries and their doorbell record",
            "The NIC may see the record before the entries that it posts, and consume old ones.",
            "Put a memory fence with W before and W after before the record."),
    /// A window load may give a copy from before an acquire.
    MISSING_READ_INV(
            "DPA-CHK-5",
            ERROR,
            "a window_read_inv after the announcement was seen",
            "A window load may give a copy that an earlier load brought into the cache; that copy"
                    + " is older than what the thread was told of since.",
            "Drop the cached window reads after the announcement, before the load."),
    /// A loop may read its cached copy for ever.
    POLL_WITHOUT_READ_INV(
            "DPA-CHK-6",
            ERROR,
            "a window_read_inv in the loop",
            "Each round of the loop may read the same cached copy, so that the loop never ends"
                    + " although the word was written.",
            "Drop the cached window reads after each failed poll."),
    /// A loop reads a word that the thread itself has stored and not written back.
    POLL_OF_OWN_STORE(
            "DPA-CHK-6",
            ERROR,
            "a window_writeback before the loop",
            "A thread always reads its own window store until that is written back; no invalidation"
                    + " drops it, so that the loop never sees what others write.",
            "Write the own store back before the loop."),
    /// A loop looks at a register where memory was meant.
    NON_VOLATILE_POLL(
            "DPA-CHK-6",
            ERROR,
            "a load in each round of the loop",
            "The compiler loads a word once, before the loop, if nothing tells it that others change"
                    + " the word: the loop never ends.",
            "Load the word through a pointer to volatile."),
    /// Only a side effect of a fence makes it right.
    RELIES_ON_FENCE_SIDE_EFFECT(
            "DPA-CHK-7",
            WARNING,
            "an explicit cache operation",
            "It is right only because a fence writes back or invalidates on the way, which programs"
                    + " must not rely on.",
            "Name the operation that is meant."),
    /// A write of the NIC meets a store of the device on its way.
    BUFFER_IN_FLIGHT(
            "DPA-CHK-9",
            ERROR,
            "an end of the device's own stores before the buffer is given away",
            "The store may reach memory after what others write there, or change what the NIC is"
                    + " still reading.",
            "Write own stores back before the buffer is posted, and touch it again only after its"
                    + " completion."),
    /// Two actors write one line of external memory.
    WINDOW_FALSE_SHARING(
            "DPA-CHK-10",
            WARNING,
            "a line of its own for each writer",
            "Some parts write whole lines of 64 bytes through a window and destroy what another"
                    + " actor wrote beside.",
            "Give each writer lines of its own."),
    /// Two threads access one word with no order between them.
    DATA_RACE(
            "DPA-CHK-11",
            WARNING,
            "an order between the two threads",
            "At least one of the two accesses is a store, and nothing says which comes first.",
            "Order them by a flag, a lock or atomics."),
    /// Another thread than the writer wrote back.
    WRITEBACK_BY_OTHER_THREAD(
            "DPA-CHK-12",
            ERROR,
            "a writeback by the thread that stored",
            "A writeback covers the stores of the thread that executes it, and no others.",
            "Let the writing thread write back before it tells the other one."),
    /// A handler waits for an event that cannot come.
    UNARMED_RESCHEDULE(
            "DPA-CHK-13",
            WARNING,
            "arming the completion queue before the reschedule",
            "A queue that is not armed activates nobody: the handler never runs again.",
            "Arm the queue with its current consumer index before the activation ends."),
    /// A handler ended like a function.
    PLAIN_RETURN(
            "DPA-CHK-14",
            WARNING,
            "a reschedule or finish at the end of the handler",
            "A handler that simply returns is taken for one that reschedules; other releases take"
                    + " it otherwise.",
            "End each handler by reschedule or finish."),
    /// A load of what nobody has stored.
    MEM_UNINIT(
            "DPA-CHK-15",
            ERROR,
            "a store before the load",
            "Stacks keep nothing from one activation to the next, and allocated heap holds anything.",
            "Store before the first load."),
    /// Heap outside a live block.
    HEAP_OOB(
            "DPA-CHK-15",
            ERROR,
            "a block that covers the access",
            "The heap has no block there; the access hits what lies there by chance.",
            "Stay inside the block, or allocate a larger one."),
    /// A block after its end.
    USE_AFTER_FREE(
            "DPA-CHK-15",
            ERROR,
            "a block that is still allocated",
            "The block was freed, and may be another one by now.",
            "Free blocks after their last use."),
    /// The stack of somebody else.
    FOREIGN_STACK(
            "DPA-CHK-15",
            ERROR,
            "memory that both threads may use",
            "The stack of a thread holds its own values only, and loses them when its activation"
                    + " ends.",
            "Share through heap or globals."),
    /// Counters of two units have nothing to do with each other.
    COUNTER_ACROSS_EU(
            "DPA-CHK-16",
            WARNING,
            "both readings on one execution unit",
            "Counters start anywhere on each execution unit, and the thread moved between the two"
                    + " readings.",
            "Read both before the thread gives its unit away."),
    /// It orders nothing.
    REDUNDANT(
            "DPA-CHK-17",
            NOTE,
            "nothing",
            "Each time it was executed there was nothing to order or to push.",
            "Leave it out."),
    /// A part of a payload taken as the sign for the rest.
    RELAXED_ORDER_POLL(
            "DPA-CHK-18",
            ERROR,
            "a completion entry, or another sign that the NIC orders after the data",
            "The writes of the NIC appear in any order in a relaxed-ordering region, and so do"
                    + " those of two queues.",
            "Wait for the completion entry of the data."),
    /// A loop that does not see failures.
    WAIT_BLIND_TO_ERROR(
            "DPA-CHK-19",
            ERROR,
            "a look at the opcode or the syndrome in the loop",
            "The operation failed, its completion entry says so, and the loop takes that for 'not"
                    + " yet'.",
            "Leave the loop on an error completion too."),
    /// A loop that nobody will end.
    WAIT_FOR_NOTHING(
            "DPA-CHK-21",
            ERROR,
            "somebody who writes the word",
            "All others have ended or wait themselves: the loop never ends.",
            "See who last could have written the word, and why it did not."),
    /// A queue entry that nobody is told of.
    POSTED_NEVER_RUNG(
            "DPA-CHK-22",
            WARNING,
            "a doorbell for the entry",
            "The NIC looks at an entry when it is told of it: this one stays where it is.",
            "Ring the queue's doorbell, or write its doorbell record, after the entries.");

    private final String row;
    private final Severity severity;
    private final String missing;
    private final String reason;
    private final String advice;

    Rule(String row, Severity severity, String missing, String reason, String advice) {
        this.row = row;
        this.severity = severity;
        this.missing = missing;
        this.reason = reason;
        this.advice = advice;
    }

    /// The row of the catalog, as in `DPA-CHK-1`.
    public String row() {
        return row;
    }

    /// How much it matters, unless the case says otherwise.
    public Severity severity() {
        return severity;
    }

    /// What is missing, without an article's sentence around it.
    public String missing() {
        return missing;
    }

    /// Why it matters.
    public String reason() {
        return reason;
    }

    /// What mends it, in one sentence.
    public String advice() {
        return advice;
    }
}
