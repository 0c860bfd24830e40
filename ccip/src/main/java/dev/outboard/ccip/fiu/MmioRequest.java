package dev.outboard.ccip.fiu;

import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.MmioLength;

/// An access of the host to a register of the AFU, from the host's call until it is done: a write
/// when the AFU was given it, a read when it was answered or will not be.
public final class MmioRequest {
    /// What has become of an access.
    public enum State {
        /// Not sent to the AFU yet.
        QUEUED,
        /// A read that the AFU has to answer.
        SENT,
        /// A read that was answered, or a write that was sent.
        DONE,
        /// A read that was not answered in time: all ones.
        TIMED_OUT,
        /// A read that a reset caught: all ones. A write that a reset caught: lost.
        RESET
    }

    final boolean isRead;
    final int address;
    final MmioLength length;
    final long[] data = new long[Line.LONGS];

    private State state = State.QUEUED;
    private long sentCycle;

    MmioRequest(boolean isRead, int address, MmioLength length) {
        this.isRead = isRead;
        this.address = address;
        this.length = length;
    }

    /// What has become of it.
    public State state() {
        return state;
    }

    /// Whether nothing more will become of it.
    public boolean isDone() {
        return state != State.QUEUED && state != State.SENT;
    }

    /// Of a read that is done: the value, of 4 bytes in bits 31:0.
    public long value() {
        return data[0];
    }

    /// The cycle in which the AFU was given it.
    public long sentCycle() {
        return sentCycle;
    }

    /// As in `read of 8 bytes at 0x18`.
    @Override
    public String toString() {
        return (isRead ? "read of " : "write of ")
                + length.bytes()
                + " bytes at 0x"
                + Integer.toHexString(address);
    }

    void sent(long cycle) {
        sentCycle = cycle;
        state = isRead ? State.SENT : State.DONE;
    }

    void answered(long value) {
        finish(State.DONE, value);
    }

    void failed(State how) {
        finish(how, -1);
    }

    /// CCIP-MMIO-9: of four bytes the low lanes count.
    private void finish(State how, long value) {
        data[0] = length == MmioLength.BYTES_4 ? value & 0xFFFF_FFFFL : value;
        state = how;
    }
}
