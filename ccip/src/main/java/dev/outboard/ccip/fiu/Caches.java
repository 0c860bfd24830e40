package dev.outboard.ccip.fiu;

import dev.outboard.ccip.platform.LinkParameters;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// What serves a line, and so how long it takes: the FPGA cache, the last level cache of the
/// processor, or its memory (CCI-P manual 1.2.3). Of the last level cache only the tags of recent
/// lines are modelled.
final class Caches {
    private static final int LLC_LINES = 1 << 15;
    private static final int VL0 = VirtualChannel.VL0.code();

    private final @Nullable FpgaCache fpga;
    private final long[] llc = new long[LLC_LINES];

    Caches(Profile profile) {
        fpga = profile.cached() ? new FpgaCache() : null;
        Arrays.fill(llc, -1);
    }

    /// The FPGA cache, on a platform that has one.
    @Nullable FpgaCache fpga() {
        return fpga;
    }

    /// Looks the line up where its channel leads, which changes the state of the caches, and says
    /// how many cycles the answer takes on this link.
    int latency(Lines lines, int slot, LinkParameters link, Chance chance) {
        if (lines.kind[slot] == Lines.INTERRUPT) {
            return link.minimumLatency();
        }
        int span = link.maximumLatency() - link.minimumLatency() + 1;
        if (fpga == null) {
            return link.minimumLatency() + spread(llcHolds(lines, slot), span, chance);
        }
        if (lines.channel[slot] != VL0) {
            boolean snooped = fpga.snoop(lines, slot);
            return link.minimumLatency()
                    + (snooped ? span - 1 : spread(llcHolds(lines, slot), span, chance));
        }
        CacheTransition transition = fpga.lookup(lines, slot);
        lines.hit[slot] = transition.hit();
        if (transition.hit()) {
            return link.minimumLatency() + chance.below(span / 8 + 1);
        }
        int miss = span * 3 / 8;
        return link.minimumLatency() + miss + spread(llcHolds(lines, slot), span - miss, chance);
    }

    /// The line was written to memory or read from it.
    void drained(Lines lines, int slot) {
        if (fpga != null && lines.channel[slot] == VL0) {
            fpga.drained(lines, slot);
        }
    }

    private static int spread(boolean llcHit, int span, Chance chance) {
        int half = span / 2;
        return llcHit ? chance.below(half + 1) : half + chance.below(span - half);
    }

    private boolean llcHolds(Lines lines, int slot) {
        int index = (int) lines.address[slot] & LLC_LINES - 1;
        boolean held = llc[index] == lines.address[slot];
        boolean keeps =
                lines.kind[slot] == Lines.READ || lines.type[slot] == WriteType.WRPUSH_I.code();
        llc[index] = keeps ? lines.address[slot] : held ? -1 : llc[index];
        return held;
    }
}
