package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Observer.WordRole;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DoorbellRecord;
import dev.outboard.dpa.nic.layout.Syndrome;
import dev.outboard.dpa.trace.NicTimeline;
import java.util.Set;

/// A completion queue (CQ): a ring in memory, into which the NIC writes entries, and an element
/// that it tells of them when it is armed: a handler, for one. Made by a [NicEngine]; in the run
/// only its actor touches it.
public final class CompletionQueue implements NicQueue {
    private static final int INDEX_MASK = 0xFF_FFFF;
    private static final int HALF_OF_INDICES = 1 << 23;
    private static final int MAX_LOG_DEPTH = 22;

    private final int number;
    private final Attributes attributes;
    private final Shared shared;
    private final Moderator moderator;

    /// Counts the entries that were written.
    private long producer;

    private boolean armed;
    private int armedIndex;
    private boolean error;

    /// DPA-FXQ-2: how a completion queue is made.
    ///
    /// @param ring where its entries lie, in DPA or external memory
    /// @param logDepth the binary logarithm of their number
    /// @param doorbellRecord where software publishes its consumer index
    /// @param arming whether it is armed at first, or always
    /// @param options what is done otherwise than usually
    /// @param element what it tells of entries
    /// @param uar through whose outboxes it may be armed
    public record Attributes(
            long ring,
            int logDepth,
            long doorbellRecord,
            Arming arming,
            Set<Option> options,
            Element element,
            int uar) {
        /// Checks the depth.
        public Attributes {
            options = Set.copyOf(options);
            if (logDepth < 0 || logDepth > MAX_LOG_DEPTH) {
                throw new IllegalArgumentException(
                        "A completion queue has 2^0 to 2^%d entries, not 2^%d"
                                .formatted(MAX_LOG_DEPTH, logDepth));
            }
        }

        /// A queue that is armed, watches for overrun and activates nobody.
        public static Attributes of(long ring, int logDepth, long doorbellRecord) {
            return new Attributes(
                    ring, logDepth, doorbellRecord, Arming.ARMED, Set.of(), new Element.None(), 0);
        }

        /// The same, armed otherwise.
        public Attributes with(Arming arming) {
            return new Attributes(ring, logDepth, doorbellRecord, arming, options, element, uar);
        }

        /// The same with those options.
        public Attributes with(Option... added) {
            return new Attributes(
                    ring, logDepth, doorbellRecord, arming, Set.of(added), element, uar);
        }

        /// The same with another UAR.
        public Attributes through(int otherUar) {
            return new Attributes(
                    ring, logDepth, doorbellRecord, arming, options, element, otherUar);
        }

        /// The same with a handler.
        public Attributes activating(ThreadHandle handler) {
            return telling(new Element.Handler(handler));
        }

        /// The same with an element.
        public Attributes telling(Element other) {
            return new Attributes(ring, logDepth, doorbellRecord, arming, options, other, uar);
        }
    }

    /// DPA-FXQ-2c: what an armed queue tells of entries.
    public sealed interface Element {
        /// Nobody: they are polled for.
        record None() implements Element {}

        /// A handler, which is activated.
        record Handler(ThreadHandle thread) implements Element {}

        /// An event queue, which gets an entry.
        record Events(EventQueue queue) implements Element {}

        /// The host, which is interrupted.
        record Interrupt(int vector) implements Element {}
    }

    /// What a queue may do otherwise.
    public enum Option {
        /// Entries that were not taken may be written over.
        IGNORES_OVERRUN,
        /// DPA-FXQ-2b: each entry is written where the first one is, so that there always is the
        /// latest one; its work counter tells how far a work queue is. Indices, owner bits and
        /// overrun are as if the ring were there.
        COLLAPSED
    }

    /// DPA-FXE-4: when a queue activates its handler.
    public enum Arming {
        /// At its first entry, and then once for each time that it is armed.
        ARMED,
        /// Once for each time that it is armed.
        NOT_ARMED,
        /// At each entry.
        ALWAYS
    }

    CompletionQueue(int number, Attributes attributes, Shared shared) {
        this.number = number;
        this.attributes = attributes;
        this.shared = shared;
        moderator = new Moderator(this, shared.waiting());
        armed = attributes.arming == Arming.ARMED;
        describe(shared.observer());
    }

    private void describe(Observer observer) {
        long entries =
                attributes.options.contains(Option.COLLAPSED) ? 1 : 1L << attributes.logDepth;
        for (long index = 0; index < entries; index++) {
            long entry = entry(index);
            observer.role(entry + CompletionEntry.OWNER, 1, WordRole.COMPLETION, number);
            observer.role(
                    entry + CompletionEntry.SYNDROME, Integer.BYTES, WordRole.SYNDROME, number);
        }
        WordRole role =
                attributes.options.contains(Option.IGNORES_OVERRUN)
                        ? WordRole.IGNORED_INDEX
                        : WordRole.INDEX;
        observer.role(attributes.doorbellRecord, DoorbellRecord.BYTES, role, number);
        if (attributes.element instanceof Element.Handler(ThreadHandle thread)) {
            observer.attach(number, thread.actor(), attributes.arming == Arming.ALWAYS);
            observer.doorbellOf(number, Doorbell.source(AddressMap.ARM_DOORBELL, number));
            if (attributes.arming == Arming.NOT_ARMED) {
                // Observers take a queue for armed until it has fired.
                observer.fire(number);
            }
        }
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public int uar() {
        return attributes.uar;
    }

    @Override
    public boolean isInError() {
        return error;
    }

    /// How many entries were written.
    public long written() {
        return producer;
    }

    /// How many events it makes of its entries.
    public Moderation moderation() {
        return moderator.moderation();
    }

    Moderator moderator() {
        return moderator;
    }

    QueueStatus status() {
        return new QueueStatus(
                QueueStatus.Kind.COMPLETION_QUEUE,
                number,
                1 << attributes.logDepth,
                producer,
                armed || attributes.arming == Arming.ALWAYS,
                error);
    }

    private long entry(long index) {
        boolean collapsed = attributes.options.contains(Option.COLLAPSED);
        long slot = collapsed ? 0 : index & ((1L << attributes.logDepth) - 1);
        return attributes.ring + slot * CompletionEntry.BYTES;
    }

    /// DPA-FXE-4: a doorbell arms the queue for the entry of that index, or a later one.
    ///
    /// DPA-FXE-5: if it has one already, it fires at once.
    void arm(Nic nic, int consumerIndex) {
        if (!error) {
            armed = true;
            armedIndex = consumerIndex;
            if (isAhead((int) producer, consumerIndex)) {
                moderator.untaken(((int) producer - consumerIndex) & INDEX_MASK);
            }
            announce(nic);
        }
    }

    /// Makes an event of the entries that have come, if it is armed for one of them and it is time.
    void announce(Nic nic) {
        boolean told =
                attributes.arming == Arming.ALWAYS
                        ? moderator.hasEntries()
                        : armed && isAhead((int) producer, armedIndex + 1);
        if (!error && told && moderator.isTime(nic)) {
            fire(nic);
        }
    }

    /// Whether one index of 24 bits is another one or comes after it.
    private static boolean isAhead(int index, int other) {
        return ((index - other) & INDEX_MASK) < HALF_OF_INDICES;
    }

    /// Writes an entry, after all that the NIC has written before, and activates the handler.
    ///
    /// @return whether there was room for it; if not, the queue is in error
    boolean add(Nic nic, Completion completion) {
        if (error || isFull(nic)) {
            shared.counters().lostCompletions.getAndIncrement();
            return false;
        }
        write(nic, completion);
        NicTimeline.of(nic).complete(number, producer);
        producer++;
        moderator.entered(nic);
        announce(nic);
        return true;
    }

    /// DPA-FXQ-6: looks for room, unless overrun is ignored.
    private boolean isFull(Nic nic) {
        if (attributes.options.contains(Option.IGNORES_OVERRUN)) {
            return false;
        }
        int consumer = DoorbellRecord.consumerIndex(nic, attributes.doorbellRecord);
        int waiting = ((int) producer - consumer) & INDEX_MASK;
        if (waiting >= 1 << attributes.logDepth) {
            error = true;
            armed = false;
            AsyncEvent.Kind kind = AsyncEvent.Kind.COMPLETION_QUEUE_OVERRUN;
            shared.events().accept(new AsyncEvent(kind, number));
            return true;
        }
        nic.observer().waiting(number, waiting + 1);
        return false;
    }

    /// DPA-MEM-11: the entry comes after the data, and its last word after the others.
    ///
    /// DPA-CHK-19: a failure is told when the entry can be seen: until then, a loop that polls it
    /// is not blind.
    private void write(Nic nic, Completion completion) {
        long entry = entry(producer);
        nic.order();
        CompletionEntry.writeBody(
                nic,
                entry,
                completion.userIndex,
                completion.immediate,
                completion.byteCount,
                completion.syndrome.code(),
                completion.checksumsOk);
        nic.order();
        CompletionEntry.writeOwner(
                nic,
                entry,
                completion.queueNumber,
                completion.workCounter,
                completion.opcode,
                CompletionEntry.hardwareOwner(producer, attributes.logDepth));
        nic.order();
        if (completion.syndrome != Syndrome.SUCCESS) {
            nic.observer().failed(nic.actor(), entry, CompletionEntry.BYTES);
        }
    }

    private void fire(Nic nic) {
        moderator.told(nic);
        if (attributes.arming != Arming.ALWAYS) {
            armed = false;
            nic.observer().fire(number);
        }
        switch (attributes.element) {
            case Element.None _ -> {
                // Nobody is told.
            }
            case Element.Handler(ThreadHandle thread) -> {
                NicTimeline.of(nic).fire(number, thread);
                nic.activate(thread);
            }
            case Element.Events(EventQueue queue) -> queue.report(nic, number);
            case Element.Interrupt(int vector) -> nic.interrupt(vector);
        }
    }
}
