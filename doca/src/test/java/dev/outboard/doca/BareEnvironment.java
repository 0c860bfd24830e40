package dev.outboard.doca;

import dev.outboard.doca.spi.ArrayHandle;
import dev.outboard.doca.spi.EventCell;
import dev.outboard.doca.spi.ExecutionEnvironment;
import dev.outboard.doca.spi.MemoryHandle;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/// An environment that must not be asked to know anything, but for what a test adds.
public abstract class BareEnvironment implements ExecutionEnvironment {
    private final Kind kind;

    protected BareEnvironment(Kind kind) {
        this.kind = kind;
    }

    @Override
    public Kind kind() {
        return kind;
    }

    @Override
    public EventCell cell(MemorySegment memory, EventUse declared) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MemoryHandle memory(MemorySegment memory, Set<AccessFlag> permissions) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MemoryHandle ownMemory(long address, long lengthBytes, Set<AccessFlag> permissions) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ArrayHandle array(MemoryHandle memory, long startOffset, long elementBytes, int count) {
        throw new UnsupportedOperationException();
    }
}
