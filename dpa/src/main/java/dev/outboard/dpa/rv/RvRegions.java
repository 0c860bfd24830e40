package dev.outboard.dpa.rv;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// The compiled regions of a program in one process, whose memory is a constant there. All threads
/// of the process share them; they go with it. By compiled code none is run that is not hot.
///
/// A thread compiles what it has found to be hot, as nobody has to be asked for that and nothing
/// waits: it takes a millisecond or two.
final class RvRegions {
    /// Enough for any program; code that jumps about wildly is left to the interpreter.
    private static final int MOST_REGIONS = 2_000;

    /// How many are compiled before the program goes on. Whoever compiles ends nothing and lets
    /// nobody else have its carrier.
    static final int MOST_AT_ONCE = 50;

    private static final int NEVER = Integer.MIN_VALUE;

    private final RvCode code;
    private final RvCompiler compiler;
    private final int threshold;

    /// By where they begin. Who finds one sees all of it, since its fields are final.
    private final @Nullable CompiledRegion[] regions;

    /// How often each place was jumped to. Counts that get lost between threads do no harm.
    private final int[] heat;

    private int count;

    /// @param threshold how many jumps make their target hot
    RvRegions(RvCode code, RvMemory memory, int threshold) {
        this.code = code;
        this.threshold = threshold;
        regions = new @Nullable CompiledRegion[code.instructions().length];
        heat = new int[regions.length];
        compiler = new RvCompiler(code, memory, regions);
    }

    /// The region that begins at an address, if one is compiled.
    @Nullable CompiledRegion at(long address) {
        long offset = address - code.base();
        return (offset & 1) == 0 && Long.compareUnsigned(offset, code.lengthBytes()) < 0
                ? regions[(int) (offset >> 1)]
                : null;
    }

    /// Somebody begins at an address.
    ///
    /// @param registers as they are then
    /// @return the region there, if one is compiled
    @Nullable CompiledRegion jumpTo(long address, long[] registers) {
        CompiledRegion region = at(address);
        long offset = address - code.base();
        if (region == null
                && (offset & 1) == 0
                && Long.compareUnsigned(offset, code.lengthBytes()) < 0
                && isCompiled((int) (offset >> 1), registers)) {
            return at(address);
        }
        return region;
    }

    /// The interpreter jumps to that half of the code.
    ///
    /// @param registers as they are then
    /// @return whether a region is there
    boolean isCompiled(int index, long[] registers) {
        if (Integer.compareUnsigned(index, heat.length) >= 0) {
            return false;
        }
        if (regions[index] != null) {
            return true;
        }
        return ++heat[index] > threshold && compile(index, registers);
    }

    /// With what it calls, so that it does not have to be left for that. What is too much at once
    /// is compiled when it is hot itself.
    private synchronized boolean compile(int first, long[] registers) {
        Deque<Integer> open = new ArrayDeque<>();
        open.add(first);
        int most = Math.min(MOST_REGIONS, count + MOST_AT_ONCE);
        while (!open.isEmpty() && count < most) {
            int index = open.remove();
            if (regions[index] == null && heat[index] != NEVER) {
                CompiledRegion region = compiler.compile(index, registers, open);
                count += region == null ? 0 : 1;
                heat[index] = NEVER;
                regions[index] = region;
            }
        }
        heat[first] = NEVER;
        return regions[first] != null;
    }
}
