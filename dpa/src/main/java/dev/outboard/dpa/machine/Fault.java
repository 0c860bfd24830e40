package dev.outboard.dpa.machine;

/// DPA-FXP-3: why the machine ended a process. The codes are those of the process status, 1 to 63
/// being the ones of the runtime, and those from 64 on of what is called.
public enum Fault {
    /// DPA-ERR-5: an instruction that the machine does not know.
    ILLEGAL_INSTRUCTION(1, "illegal instruction"),
    /// DPA-ERR-1: the address of a load is not divisible by its size.
    MISALIGNED_LOAD(2, "misaligned load"),
    /// DPA-ERR-1: the address of a store or atomic is not divisible by its size.
    MISALIGNED_STORE(3, "misaligned store or atomic"),
    /// DPA-ERR-2: a load outside all regions of the process.
    BAD_LOAD(4, "load outside all regions"),
    /// DPA-ERR-2: a store or atomic outside all regions of the process.
    BAD_STORE(5, "store outside all regions"),
    /// DPA-ERR-2, DPA-ERR-4: execution outside code.
    BAD_FETCH(6, "execution outside code"),
    /// DPA-ERR-6: a window access that the key does not allow.
    WINDOW_DENIED(7, "window access not allowed by the key"),
    /// DPA-ERR-6: a window access of a thread that has configured none.
    WINDOW_NOT_CONFIGURED(8, "window not configured"),
    /// DPA-FXO-6: an outbox access other than an 8-byte store to a register.
    BAD_OUTBOX_ACCESS(9, "outbox access that is no 8-byte store to a register"),
    /// DPA-ERR-9: an outbox access of a thread that has configured none.
    OUTBOX_NOT_CONFIGURED(10, "outbox not configured"),
    /// DPA-ERR-16: the thread kept its execution unit too long.
    WATCHDOG(11, "watchdog"),
    /// DPA-ERR-4: the stack is full, or its guard page was touched.
    STACK_OVERFLOW(12, "stack overflow"),
    /// DPA-ERR-5: an environment call of unknown number.
    UNKNOWN_CALL(13, "unknown environment call"),
    /// DPA-ERR-10: an atomic on a window address.
    ATOMIC_ON_WINDOW(14, "atomic on a window address"),
    /// DPA-ERR-4: a store to code or constants.
    READ_ONLY(15, "store to code or constants"),
    /// DPA-FXW-11: a window access to a place of a device where it has no register of that size.
    NO_REGISTER(16, "window access to no register of the device"),
    /// DPA-FXW-11: a device behind a window threw an exception.
    DEVICE_FAILED(17, "failure of the device behind the window"),
    /// DPA-ERR-14: a kernel called what only the host may call.
    HOST_CALL(70, "call of the host's interface in a kernel"),
    /// DPA-ERR-15: a function that the host has called did not return.
    RPC_LEFT(71, "a called function that does not return"),
    /// DPA-ERR-22: device code did with a sync event what was not declared for the DPA.
    EVENT_SIDE(72, "use of a sync event that was not declared"),
    /// An update of a sync event failed: the event is gone.
    EVENT_GONE(73, "update of a sync event that is gone"),
    /// A function of DOCA DPA was called by a thread that is none of a context of it.
    NO_DOCA_THREAD(74, "call of DOCA DPA in a thread that is none of a context"),
    /// DPA-ERR-25: threads that wait for each other hold all execution units.
    DEADLOCK(75, "deadlock"),
    /// DPA-TH-4: a function of DOCA DPA was called by a thread of a kind that it is not for.
    WRONG_THREAD(76, "call of DOCA DPA in a thread of another kind"),
    /// More completions were acknowledged than were taken.
    NOT_TAKEN(77, "acknowledgement of completions that were not taken"),
    /// DPA-SE-10: a posted wait was for a value out of its range.
    WAIT_VALUE(78, "posted wait for a value above 254"),
    /// Device code posted more asynchronous operations than the queue of their context holds.
    ASYNC_OPS_FULL(79, "more asynchronous operations than their queue holds"),
    /// Device code did with an RDMA context what it does not take.
    RDMA_MISUSE(80, "use of an RDMA context, or of memory of a peer, that it does not take"),
    /// DPA-RD-7: an operation on an RDMA connection failed.
    RDMA_FAILED(81, "failure of an RDMA operation"),
    /// DPA-DM-6: device code asked for an element that an array of buffers does not have.
    BUF_INDEX(82, "element that an array of buffers does not have"),
    /// DPA-DM-6: device code asked for bytes that a buffer does not have.
    BUF_RANGE(83, "bytes beyond the end of a buffer"),
    /// DPA-DM-3: an external pointer to memory that does not begin at a line.
    BUF_ALIGNMENT(84, "external pointer to memory that does not begin at a multiple of 64"),
    /// A copy of DOCA DPA failed.
    COPY_FAILED(85, "copy that failed"),
    /// DPA-DM-7: device code added a key to a hash table that is full.
    HASH_TABLE_FULL(86, "addition to a hash table that is full"),
    /// DPA-DC-2: device code used something on another function of the card than it has selected,
    /// or selected none.
    OTHER_FUNCTION(87, "use of what is on a function of the card that is not selected");

    private final int code;
    private final String text;

    Fault(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /// The code in the process status.
    public int code() {
        return code;
    }

    /// What happened, in a few words.
    public String text() {
        return text;
    }
}
