package dev.outboard.dpa.machine.memory;

import dev.outboard.dpa.machine.Fault;

/// Leaves a kernel that did what the machine forbids. An error, so that no kernel catches it by
/// chance.
@SuppressWarnings("serial") // Never leaves its run.
public final class FaultSignal extends Error {
    private final Fault fault;
    private final long address;
    private final int lengthBytes;

    /// A fault without an address.
    public FaultSignal(Fault fault, String detail) {
        this(fault, 0, 0, detail);
    }

    /// A fault of an access.
    public FaultSignal(Fault fault, long address, int lengthBytes, String detail) {
        super(detail, null, false, true);
        this.fault = fault;
        this.address = address;
        this.lengthBytes = lengthBytes;
    }

    /// What happened.
    public Fault fault() {
        return fault;
    }

    /// Of the access, or 0.
    public long address() {
        return address;
    }

    /// Of the access, or 0.
    public int lengthBytes() {
        return lengthBytes;
    }

    /// What more there is to say; may be empty.
    public String detail() {
        String detail = getMessage();
        return detail == null ? "" : detail;
    }
}
