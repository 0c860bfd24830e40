package dev.outboard.ccip.fiu;

import dev.outboard.ccip.checker.CacheTransition;
import dev.outboard.ccip.platform.LinkParameters;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import org.jspecify.annotations.Nullable;

/// What serves a line, and so how long it takes: the FPGA cache, the last level cache of the
/// processor, or its memory (CCI-P manual 1.2.3). Of the last level cache only the tags of recent
/// lines are modelled.
final class Caches {
    private static final int LLC_LINES = 1 << 15;
    private static final int VL0 = VirtualChannel.VL0.code();

    private final @Nullable FpgaCache fpga;

    /// The upper bits of the line held, and 1 more.
    private final int[] llc = new int[LLC_LINES];

    Caches(Profile profile) {
        fpga = profile.cached() ? new FpgaCache() : null;
    }

    /// The FPGA cache, on a platform that has one.
    @Nullable FpgaCache fpga() {
        return fpga;
    }

    /// Looks the line up where its channel leads, which changes the state of the caches, and says
    /// how many cycles the answer takes on this link.
    int latency(PendingLine line, LinkParameters link, Chance chance) {
        if (line.kind == PendingLine.INTERRUPT) {
            return link.minimumLatency();
        }
        int span = link.maximumLatency() - link.minimumLatency() + 1;
        if (fpga == null) {
            return link.minimumLatency() + spread(llcHolds(line), span, chance);
        }
        if (line.channel != VL0) {
            boolean snooped = fpga.snoop(line);
            return link.minimumLatency()
                    + (snooped ? span - 1 : spread(llcHolds(line), span, chance));
        }
        CacheTransition transition = fpga.lookup(line);
        line.hit = transition.hit();
        if (transition.hit()) {
            return link.minimumLatency() + chance.below(span / 8 + 1);
        }
        int miss = span * 3 / 8;
        return link.minimumLatency() + miss + spread(llcHolds(line), span - miss, chance);
    }

    /// The line was written to memory or read from it.
    void drained(PendingLine line) {
        if (fpga != null && line.channel == VL0) {
            fpga.drained(line);
        }
    }

    private static int spread(boolean llcHit, int span, Chance chance) {
        int half = span / 2;
        return llcHit ? chance.below(half + 1) : half + chance.below(span - half);
    }

    private boolean llcHolds(PendingLine line) {
        int index = (int) line.address & LLC_LINES - 1;
        int tag = (int) (line.address / LLC_LINES) + 1;
        boolean held = llc[index] == tag;
        boolean keeps = line.kind == PendingLine.READ || line.type == WriteType.WRPUSH_I.code();
        llc[index] = keeps ? tag : held ? 0 : llc[index];
        return held;
    }
}
