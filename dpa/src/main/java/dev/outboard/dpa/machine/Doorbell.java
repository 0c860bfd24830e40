package dev.outboard.dpa.machine;

/// DPA-FXO-6: a doorbell that has arrived: the value stored into a register of the outbox.
///
/// @param register byte offset in the outbox page
/// @param thread number of the thread that rang
/// @param uar of the outbox that it rang through
/// @param token tells this doorbell from all others of the run
/// @param arrival counts the doorbells of the run in the order in which they arrived
public record Doorbell(int register, long value, int thread, int uar, long token, long arrival) {
    /// In place of a register: the host has a command for the NIC ([Host#command]), or with a
    /// number for another server.
    public static final int COMMAND = 0;

    private static final long NUMBER_MASK = 0xFF_FFFF;
    private static final int NUMBER_BITS = 24;
    private static final int HIGH_SHIFT = 32;
    private static final long SEND_INDEX_MASK = 0xFFFF;
    private static final long EVENT_QUEUE_INDEX_MASK = 0x3FF_FFFF;

    /// What somebody does with a doorbell that it has taken.
    @FunctionalInterface
    public interface Use {
        /// Uses one of those values, as in [Doorbell].
        void use(int register, long value, int uar, long token);
    }

    /// The value that rings a send queue.
    public static long send(int queue, int index) {
        return (number(queue) << HIGH_SHIFT) | (index & SEND_INDEX_MASK);
    }

    /// The value that arms a completion queue.
    public static long arm(int queue, int consumerIndex) {
        return ((consumerIndex & NUMBER_MASK) << HIGH_SHIFT) | number(queue);
    }

    /// The value that updates an event queue.
    public static long eventQueue(int queue, int consumerIndex) {
        return ((consumerIndex & EVENT_QUEUE_INDEX_MASK) << HIGH_SHIFT) | number(queue);
    }

    /// The value that raises the MSI-X interrupt of a completion queue.
    public static long interrupt(int queue) {
        return number(queue);
    }

    /// Whether the outbox has a register at that offset.
    public static boolean isRegister(long offset) {
        return offset == AddressMap.ARM_DOORBELL
                || offset == AddressMap.EVENT_QUEUE_ARM_DOORBELL
                || offset == AddressMap.EVENT_QUEUE_DOORBELL
                || offset == AddressMap.SEND_DOORBELL
                || offset == AddressMap.EMULATION_DOORBELL
                || offset == AddressMap.EMULATION_COMPLETION_DOORBELL
                || offset == AddressMap.MSIX_DOORBELL
                || offset == AddressMap.CONGESTION_DOORBELL;
    }

    /// What an [Observer] knows the doorbells of a queue at a register by, in its `announce` and
    /// `doorbellOf`.
    public static long source(int register, int queue) {
        return (number(queue) << HIGH_SHIFT) | register;
    }

    /// The queue that a value stored to that register is for.
    public static int number(int register, long value) {
        long field = register == AddressMap.SEND_DOORBELL ? value >>> HIGH_SHIFT : value;
        return (int) (field & NUMBER_MASK);
    }

    /// The queue that it is for.
    public int number() {
        return number(register, value);
    }

    /// The producer or consumer index that it tells.
    public int index() {
        return index(register, value);
    }

    /// The producer or consumer index that a value stored to that register tells.
    public static int index(int register, long value) {
        if (register == AddressMap.SEND_DOORBELL) {
            return (int) (value & SEND_INDEX_MASK);
        }
        boolean eventQueue =
                register == AddressMap.EVENT_QUEUE_DOORBELL
                        || register == AddressMap.EVENT_QUEUE_ARM_DOORBELL;
        return (int) (value >>> HIGH_SHIFT & (eventQueue ? EVENT_QUEUE_INDEX_MASK : NUMBER_MASK));
    }

    private static long number(int queue) {
        if (queue < 0 || queue > NUMBER_MASK) {
            throw new IllegalArgumentException(
                    "A queue number has %d bits, which %d has not".formatted(NUMBER_BITS, queue));
        }
        return queue;
    }
}
