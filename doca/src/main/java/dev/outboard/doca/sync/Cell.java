package dev.outboard.doca.sync;

import dev.outboard.doca.spi.EventCell;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/// The 8 bytes of a [SyncEvent] from a start to the next stop. The device executes what peers want
/// with the same kind of access, so that no addend is lost and no value is seen by halves.
final class Cell implements EventCell {
    private static final VarHandle VALUE = ValueLayout.JAVA_LONG.varHandle();

    private final MemorySegment memory;

    /// @param memory 8 bytes at a multiple of 8
    Cell(MemorySegment memory) {
        this.memory = memory;
    }

    /// DSE-OP-1: whoever sees a value sees what was written before it.
    @Override
    public long get() {
        return (long) VALUE.getAcquire(memory, 0L);
    }

    /// DSE-OP-2: what was written before is seen with it.
    @Override
    public void set(long value) {
        VALUE.setRelease(memory, 0L, value);
    }

    /// Adds modulo 2^64; the result is the value before.
    ///
    /// DSE-OP-3, DRDMA-SEADD-5: in one step, towards peers too.
    @Override
    public long add(long addend) {
        return (long) VALUE.getAndAdd(memory, 0L, addend);
    }

    /// No environment knows it.
    @Override
    public long handle() {
        throw new IllegalStateException("An event of the CPU alone has no handle");
    }

    @Override
    public boolean goOn() {
        return true;
    }

    @Override
    public void close() {
        // Nobody else has it.
    }
}
