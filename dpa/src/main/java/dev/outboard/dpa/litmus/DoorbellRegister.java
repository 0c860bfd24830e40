package dev.outboard.dpa.litmus;

import dev.outboard.dpa.machine.AddressMap;

/// DPA-FXO-6: the registers of the outbox that a doorbell can be written to.
public enum DoorbellRegister {
    /// Send queues.
    SXD(AddressMap.SEND_DOORBELL),
    /// Arms a completion queue.
    CQ_DB(AddressMap.ARM_DOORBELL),
    /// Updates an event queue and arms it.
    EQ_DB_REARM(AddressMap.EVENT_QUEUE_ARM_DOORBELL),
    /// Updates an event queue.
    EQ_DB(AddressMap.EVENT_QUEUE_DOORBELL),
    /// Device emulation.
    EMU_DB(AddressMap.EMULATION_DOORBELL),
    /// Raises an MSI-X interrupt of the host.
    RXT_DB(AddressMap.MSIX_DOORBELL),
    /// Congestion control.
    CC_DB(AddressMap.CONGESTION_DOORBELL);

    private final int offset;

    DoorbellRegister(int offset) {
        this.offset = offset;
    }

    /// Its byte offset in the outbox page.
    public int offset() {
        return offset;
    }
}
