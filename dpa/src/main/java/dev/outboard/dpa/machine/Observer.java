package dev.outboard.dpa.machine;

/// Is told what happens in a run: by the machine what DPA threads do, by NIC, host and peers what
/// they do, and by the harness what words are for. The checker is one; a trace is another. Every
/// method does nothing by default.
///
/// DPA-HW-14, DPA-CHK-1: in a checked run one actor acts at a time, and what it does is told right
/// after it has happened and before anybody else acts. So an observer needs no locks, and what it
/// is told is a total order in which every load gives the latest store. Under FAST rules that is
/// sequential consistency; the checker finds what is missing in any such run.
///
/// Actors are numbered from 0 in the order of [#actor]. Addresses are those of [AddressMap]:
/// external memory has the top bit set, whoever reaches it, and the rest is the external address
/// itself. A *site* is the number of a code place, [Sites] tells which; 0 is none. A *token* is a
/// number that is used once, such as a running number of doorbells.
public interface Observer {

    /// An observer that looks at nothing.
    Observer NONE = new Observer() {};

    // Set-up: before the actor, the memory or the word is used.

    /// The code places that sites are the numbers of. Told first.
    default void sites(Sites sites) {}

    /// There is an actor.
    default void actor(int actor, ActorKind kind, String name) {}

    /// The bytes are named, for reports: a symbol of the program, a ring, a buffer.
    default void name(long address, long lengthBytes, String name) {}

    /// The bytes are the stack of a thread. Its content is arbitrary at each [#begin].
    default void stack(int actor, long address, long lengthBytes) {}

    /// A block of the heap was allocated; its content is arbitrary. Where no block was ever
    /// allocated, accesses to the heap are not checked against blocks.
    default void allocate(long address, long lengthBytes, int site) {}

    /// A block of the heap was freed.
    default void free(long address, int site) {}

    /// The bytes have got a value before the run.
    default void initialize(long address, long lengthBytes) {}

    /// The harness says what the bytes are for.
    ///
    /// @param queue the number of the queue that they belong to, or -1
    default void role(long address, long lengthBytes, WordRole role, int queue) {}

    /// The doorbells at this register of the outbox are for that queue.
    default void doorbellOf(int queue, long register) {}

    /// The run begins: all actors were told.
    default void started() {}

    /// The actors told since the run began take part in it from now on.
    default void joined() {}

    // Accesses, of any actor. A DPA thread accesses 1, 2, 4 or 8 aligned bytes; for the others an
    // access may have any length.

    /// An actor loaded.
    default void load(int actor, long address, int lengthBytes, int site) {}

    /// An actor stored.
    default void store(int actor, long address, int lengthBytes, int site) {}

    /// A DPA thread loaded, and stored if `stored`, in one step. A load that reserves has stored
    /// nothing. A spin lock that is taken is an atomic that acquires, one that is opened is one
    /// that releases.
    default void atomic(
            int actor,
            long address,
            int lengthBytes,
            AtomicOrder order,
            boolean stored,
            int site) {}

    /// The latest load of the actor was the test of a loop, and the loop goes on. Need not be told
    /// by a machine that does not know its loops.
    default void spin(int actor, int site) {}

    /// A DPA thread goes round a loop for ever that looks at no memory.
    default void endless(int actor, int site) {}

    // Order, of DPA threads.

    /// A DPA thread executed a fence.
    default void fence(int actor, Space space, Op predecessors, Op successors, int site) {}

    /// A DPA thread wrote its stores to DPA memory back.
    default void memoryWriteback(int actor, int site) {}

    /// A DPA thread wrote its window stores back.
    default void windowWriteback(int actor, int site) {}

    /// A DPA thread dropped its cached window reads.
    default void windowReadInv(int actor, int site) {}

    /// DPA-FXW-6: a DPA thread changed its window or its key: its window stores are written back,
    /// and its cached window reads are dropped.
    default void configureWindow(int actor, int site) {}

    // Order, of all others.

    /// What a NIC wrote before this comes before what it writes after it. Between two writes of one
    /// operation in a strictly ordered region, and before a completion entry; not between the
    /// writes of one operation in a relaxed-ordering region, and not between two queues. The host
    /// needs none.
    default void order(int actor) {}

    // Events that announce something.

    /// An actor announced something outside memory: it rang a doorbell, raised an interrupt,
    /// returned.
    ///
    /// @param token by which [#receive] tells that this has arrived
    /// @param address the register of the outbox, or 0
    default void announce(
            int actor, Announcement announcement, long token, long address, int site) {}

    /// An actor saw the announcement of that token: a NIC acts upon a doorbell, a host was
    /// interrupted, a call has returned.
    default void receive(int actor, long token, int site) {}

    /// A buffer or queue entry was given to a NIC, which reads it, or writes it if `written`.
    ///
    /// @param token by which [#completed] tells that the NIC is done with it
    default void posted(
            int actor, long token, long address, long lengthBytes, boolean written, int site) {}

    /// A NIC is done with what was posted. The thread may use it again as soon as it has seen
    /// something that the NIC wrote after this.
    default void completed(int nic, long token) {}

    /// A NIC wrote a completion entry that tells of a failure; the bytes are its owner word and its
    /// syndrome.
    default void failed(int nic, long address, long lengthBytes) {}

    // Activations.

    /// An activation of a DPA thread begins: an acquire of all that the token announced.
    ///
    /// @param handler whether it is an event handler
    /// @param token of the call or event, or 0
    default void begin(int actor, boolean handler, long token) {}

    /// An activation of a DPA thread ends.
    default void end(int actor, Ending ending, int site) {}

    /// The queue wakes that thread when it is armed.
    default void attach(int queue, int actor, boolean alwaysArmed) {}

    /// A queue was armed.
    default void arm(int queue) {}

    /// An armed queue woke its thread, and is not armed any more.
    default void fire(int queue) {}

    /// The number of completion entries that wait in a queue.
    default void waiting(int queue, int entries) {}

    /// A thread read a counter of the execution unit that it runs on.
    default void counter(int actor, Counter counter, int unit, int site) {}

    /// Nobody can go on: every actor has ended, or is one of these, which spin on words that nobody
    /// will write.
    default void stuck(int[] spinning) {}

    /// The run is over; what was told since the actors were numbered is all there is.
    default void finished() {}

    /// What an actor is.
    enum ActorKind {
        /// A DPA thread.
        THREAD,
        /// A NIC, or one of its queues.
        NIC,
        /// DPA-MEM-15: a thread of the host, which is sequentially consistent.
        HOST,
        /// A device elsewhere.
        PEER
    }

    /// What bytes are for.
    enum WordRole {
        /// A queue entry, which a NIC consumes.
        ENTRY,
        /// A doorbell record: it tells the NIC up to where entries are posted.
        RECORD,
        /// A consumer index or a word that an entry waits for, which the NIC reads: it must reach
        /// the NIC.
        INDEX,
        /// A consumer index that nobody needs, since the queue ignores overrun.
        IGNORED_INDEX,
        /// A buffer that an entry names.
        BUFFER,
        /// The owner word of a completion entry.
        COMPLETION,
        /// The word of a completion entry that tells success from failure.
        SYNDROME,
        /// A flag that announces other data. Host and peers look at one in external memory.
        FLAG
    }

    /// What announces something outside memory.
    enum Announcement {
        /// A doorbell of a queue.
        DOORBELL,
        /// An interrupt of the host.
        INTERRUPT,
        /// The return of a call, or the end of a kernel.
        RETURN,
        /// A call, a launch, an activation: the way to a DPA thread.
        CALL,
        /// An operation of a queue is done. Nothing of what it wrote is ordered by that.
        DONE
    }

    /// How an activation ends.
    enum Ending {
        /// The function returned.
        RETURN,
        /// It waits for its next event.
        RESCHEDULE,
        /// It begins again, without an event.
        RETRIGGER,
        /// The thread runs no more.
        FINISH,
        /// A fault ended it.
        FAULT
    }

    /// DPA-INT-1, DPA-INT-2, DPA-INT-3: the counters of an execution unit.
    enum Counter {
        /// `cycles`.
        CYCLES,
        /// `time`.
        TIME,
        /// `instRet`.
        RETIRED
    }
}
