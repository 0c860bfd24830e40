package dev.outboard.doca;

import dev.outboard.doca.spi.ArrayHandle;
import dev.outboard.doca.spi.MemoryHandle;
import dev.outboard.doca.spi.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// An environment that notes what it is asked to know.
final class FakeEnvironment extends BareEnvironment {
    static final int KEY = 0x1700;
    static final long ADDRESS = 0x9000;
    static final long ARRAY = 0x4711;

    final List<String> made = new ArrayList<>();
    @Nullable DocaException refusal;

    /// Whether it runs: memory that was known when it stopped is no more.
    boolean runs = true;

    FakeEnvironment(Kind kind) {
        super(kind);
    }

    @Override
    public MemoryHandle memory(MemorySegment memory, Set<AccessFlag> permissions) {
        made.add("memory of %d bytes, %s".formatted(memory.byteSize(), permissions));
        return known(ADDRESS);
    }

    @Override
    public MemoryHandle ownMemory(long address, long lengthBytes, Set<AccessFlag> permissions) {
        if (refusal != null) {
            throw refusal;
        }
        made.add("own %d bytes at %d, %s".formatted(lengthBytes, address, permissions));
        return known(address);
    }

    private MemoryHandle known(long address) {
        int key = KEY + made.size();
        return new MemoryHandle() {
            private boolean open = true;

            @Override
            public int key() {
                return key;
            }

            @Override
            public long address() {
                return address;
            }

            @Override
            public boolean isOpen() {
                return open && runs;
            }

            @Override
            public void close() {
                open = false;
                made.add("memory closed");
            }
        };
    }

    @Override
    public ArrayHandle array(MemoryHandle memory, long startOffset, long elementBytes, int count) {
        if (refusal != null) {
            throw refusal;
        }
        return array("array", startOffset, elementBytes, count);
    }

    @Override
    public ArrayHandle remoteArray(
            RemoteMemory memory, long startOffset, long elementBytes, int count) {
        String name = "array at %d with key %d".formatted(memory.address(), memory.key());
        return array(name, startOffset, elementBytes, count);
    }

    private ArrayHandle array(String name, long startOffset, long elementBytes, int count) {
        made.add(
                "%s of %d times %d bytes from %d on"
                        .formatted(name, count, elementBytes, startOffset));
        return new ArrayHandle() {
            @Override
            public long handle() {
                return ARRAY;
            }

            @Override
            public void close() {
                made.add("array closed");
            }
        };
    }

    @Override
    public String toString() {
        return "fake " + kind();
    }
}
