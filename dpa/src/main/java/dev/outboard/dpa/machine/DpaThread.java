package dev.outboard.dpa.machine;

/// DPA-HW-13: what a kernel sees of the machine: the thread that runs it. All shared state is
/// reached through it, so that one program runs unchanged in FAST, WEAK, EXPLORE and CHECK.
/// Addresses are 64 bits wide and tell their space by themselves ([AddressMap]). A thread object
/// belongs to the kernel that got it and must not be handed to another one.
///
/// ```java
/// Kernel send = thread -> {
///     thread.store64(entry, 1);
///     thread.memoryWriteback();
///     thread.store64(AddressMap.OUTBOX + AddressMap.SEND_DOORBELL, doorbell);
/// };
/// ```
///
/// An access that the machine forbids ends the process with a [Fault]; the kernel does not come
/// back from it.
public interface DpaThread extends MemoryAccess {

    /// DPA-FXE-13: number of the thread in its process, counted from 0.
    int number();

    /// Number of the execution unit that it runs on at this moment.
    int unit();

    /// The 64-bit argument given at the creation of the thread, usually the address of its context.
    long argument();

    /// DPA-FXE-13: the address of DPA memory that was given to the thread at its creation for what
    /// it keeps between activations, or 0.
    long localStorage();

    // Fences and cache operations

    /// DPA-FEN-1: the operations `before` on the space, issued earlier by this thread, are
    /// performed for every observer before its later operations `after` on the space.
    void fence(Space space, Op before, Op after);

    /// DPA-FEN-7: orders everything.
    default void systemFence() {
        fence(Space.SYSTEM, Op.RW, Op.RW);
    }

    /// DPA-FEN-7: a fence on MEMORY.
    default void memoryFence(Op before, Op after) {
        fence(Space.MEMORY, before, after);
    }

    /// DPA-FEN-7: a fence on MMIO.
    default void windowFence(Op before, Op after) {
        fence(Space.MMIO, before, after);
    }

    /// DPA-FEN-7: a fence on MMIO.
    default void outboxFence(Op before, Op after) {
        fence(Space.MMIO, before, after);
    }

    /// DPA-CCH-3: the earlier stores of this thread to DPA memory become visible to NIC, host and
    /// peers before any later store of the thread.
    void memoryWriteback();

    /// DPA-CCH-2: the earlier window stores of this thread become visible to everybody before any
    /// later store of the thread.
    void windowWriteback();

    /// DPA-CCH-1: drops what the thread has cached of window memory, before its later loads.
    void windowReadInv();

    // Atomics, on DPA memory only

    /// Performs the operation on 4 bytes in one step and gives the former value.
    int atomic32(AtomicOp op, long address, int operand, AtomicOrder order);

    /// Performs the operation on 8 bytes in one step and gives the former value.
    long atomic64(AtomicOp op, long address, long operand, AtomicOrder order);

    /// DPA-OPM-8: loads 4 bytes and reserves their granule.
    int loadReserved32(long address, AtomicOrder order);

    /// DPA-OPM-8: loads 8 bytes and reserves their granule.
    long loadReserved64(long address, AtomicOrder order);

    /// Stores 4 bytes if the reservation of this thread still holds.
    ///
    /// @return whether it stored
    boolean storeConditional32(long address, int value, AtomicOrder order);

    /// Stores 8 bytes if the reservation of this thread still holds.
    ///
    /// @return whether it stored
    boolean storeConditional64(long address, long value, AtomicOrder order);

    // Spin locks: a word of 4 bytes in DPA memory. They write nothing back.

    /// Makes the word an open lock.
    void spinInit(long lock);

    /// Waits for the lock and takes it; an acquire over DPA memory.
    void spinLock(long lock);

    /// Takes the lock if it is open; an acquire over DPA memory if so.
    ///
    /// @return whether it took the lock
    boolean spinTryLock(long lock);

    /// Opens the lock; a release over DPA memory.
    void spinUnlock(long lock);

    // Windows and outbox of this thread

    /// Makes `key` the key of this thread's window.
    ///
    /// DPA-FXW-6: pending window stores are performed first, under the old key, and cached reads
    /// are dropped.
    ///
    /// DPA-FXW-7: a key that the process may not use leaves the old configuration.
    ///
    /// @return false if the process may not use that key
    boolean configureWindow(int key);

    /// DPA-FXW-3: makes a window the current one of this thread, and `key` its key; otherwise as
    /// [#configureWindow(int)].
    ///
    /// @param window the number that the host got when it made the window
    /// @return false if the process has no such window, or the key is not of its protection domain
    boolean configureWindow(int window, int key);

    /// The window address of an external address, under whatever key is current at the access.
    default long window(long external) {
        return AddressMap.WINDOW | external;
    }

    /// DPA-FXO-5: opens the outbox page to this thread.
    ///
    /// @return false if the process has no outbox of that number
    boolean configureOutbox(int outbox);

    /// DPA-FXO-5: the same for the queues of another UAR than that of the outbox, so for those of
    /// another function of the NIC.
    ///
    /// DPA-FXO-2: the host has made the UAR, if the process may use that function.
    ///
    /// @return false if the process has no outbox or no UAR of that number, and all stays as it is
    boolean configureOutbox(int outbox, int uar);

    /// DPA-FXO-5: the same without a look at the number: if the process has no such outbox, all
    /// doorbells of this thread are dropped.
    void configureOutboxFast(int outbox);

    /// DPA-FXM-3: what the latest call of this thread that was refused has left: 22 for a
    /// configuration. 0 if none was since the latest [#resetErrno].
    int errno();

    /// DPA-FXM-3: forgets that.
    void resetErrno();

    /// DPA-FXM-3: what [#errno] gives, and forgets it.
    default int getAndResetErrno() {
        int latest = errno();
        resetErrno();
        return latest;
    }

    /// DPA-FXO-11: whether calls that ring doorbells write back first, by the option of the
    /// machine.
    boolean fencesCalls();

    /// DPA-HW-9: takes bytes from the thread's stack until the end of its activation, aligned to 8.
    /// Their content is arbitrary. More than the stack holds is the fault STACK_OVERFLOW.
    ///
    /// @return the address of the lowest byte
    long allocateStack(long lengthBytes);

    // Messages

    /// DPA-FXM-1: prints to stream 0, whatever level it asks for.
    ///
    /// @param format as of `printf`: `%d`, `%u`, `%x`, `%c`, `%p` and the like with flags, width
    ///   and precision, and `%s` of an address of text that ends with a zero byte
    default void print(String format, long... arguments) {
        message(0, Messages.Level.ALWAYS, format, arguments);
    }

    /// DPA-FXM-1, DPA-FXM-2: prints to a stream, or to all of them with [Messages#BROADCAST].
    /// Without a stream of that number nothing happens.
    void message(int stream, Messages.Level level, String format, long... arguments);

    // Counters of the execution unit: valid while the thread stays on it

    /// Cycles of the unit.
    long cycles();

    /// The hint of RISC-V (`pause`) that the thread looks again and again for something that has
    /// not come: others may run first. It changes nothing else.
    default void pause() {
        // Others run anyway.
    }

    /// The thread has found what it looked for between [pauses][#pause].
    default void resume() {
        // Nobody has counted them.
    }

    /// Timer ticks of the unit, by default of 1 µs.
    long time();

    /// Operations retired by the unit, one for each device operation of a Java kernel.
    long instRet();

    // Fixed-point functions

    /// Q16.16 of the binary logarithm of an unsigned integer.
    int fxpLog2(int operand);

    /// Q16.16 of the reciprocal of a Q16.16 number.
    int fxpRcp(int operand);

    /// Q16.16 of two to the power of a Q16.16 number.
    int fxpPow2(int operand);

    // Scheduling

    /// DPA-HW-2: gives the execution unit to the next thread that waits for it; this thread goes on
    /// later, perhaps on another unit.
    void yieldUnit();

    /// DPA-FXE-6: ends this activation. The next event starts the kernel from its beginning. Does
    /// not return.
    void reschedule();

    /// DPA-FXE-8: ends this activation. The kernel starts from its beginning at once, without an
    /// event. Does not return.
    void retrigger();

    /// DPA-FXE-7: ends the thread: no event activates it any more. Does not return.
    void finish();

    /// DPA-FXE-9: ends the process, cleanly. Does not return.
    void finishProcess();

    /// DPA-FXM-3: ends the process with an error of the program. Does not return.
    ///
    /// @param code 128 to 255; for any other the host gets 0x42
    void error(int code);
}
