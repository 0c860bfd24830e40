package dev.outboard.dpa.nic.layout;

import dev.outboard.dpa.machine.MemoryAccess;

/// A doorbell record: 4 bytes, big-endian, with which software tells the NIC how far it is. Writing
/// one is a plain store: what orders it, and brings it to the NIC, is up to the caller.
public final class DoorbellRecord {
    /// Size of a record.
    public static final int BYTES = 4;

    private static final int CONSUMER_MASK = 0xFF_FFFF;
    private static final int PRODUCER_MASK = 0xFFFF;

    private DoorbellRecord() {}

    /// DPA-FXQ-6: the consumer index of a completion queue, of 24 bits.
    public static int consumerIndex(MemoryAccess memory, long doorbellRecord) {
        return BigEndian.load32(memory, doorbellRecord) & CONSUMER_MASK;
    }

    /// Tells the NIC up to where software has taken completions.
    public static void setConsumerIndex(MemoryAccess memory, long doorbellRecord, int index) {
        BigEndian.store32(memory, doorbellRecord, index & CONSUMER_MASK);
    }

    /// DPA-FXQ-7: the producer index of a receive queue, of 16 bits.
    public static int producerIndex(MemoryAccess memory, long doorbellRecord) {
        return BigEndian.load32(memory, doorbellRecord) & PRODUCER_MASK;
    }

    /// Tells the NIC up to where software has posted receive entries.
    public static void setProducerIndex(MemoryAccess memory, long doorbellRecord, int index) {
        BigEndian.store32(memory, doorbellRecord, index & PRODUCER_MASK);
    }
}
