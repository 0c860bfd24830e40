package dev.outboard.ccip.fiu;

import dev.outboard.ccip.platform.LinkParameters;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import org.jspecify.annotations.Nullable;

/// What serves the lines of a request, and so how long it takes: the FPGA cache, the last level
/// cache of the processor, or its memory (CCI-P manual 1.2.3). Of the last level cache only the
/// tags of recent lines are modelled.
final class Caches {
    private static final int LLC_LINES = 1 << 15;
    private static final int VL0 = VirtualChannel.VL0.code();
    private static final int WRPUSH_I = WriteType.WRPUSH_I.code();

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

    /// Looks these lines up where their channel leads, which changes the state of the caches, and
    /// says how many cycles the slowest of them takes on this link.
    ///
    /// CCIP-PLT-30, CCIP-PLT-32: each slower than the one before.
    ///
    /// CCIP-PLT-33a, CCIP-PLT-33c, CCIP-VC-4: the FPGA cache is looked up on VL0 alone.
    int latency(PendingRequest request, int lines, LinkParameters link, Chance chance) {
        int least = link.minimumLatency();
        if (request.kind == PendingRequest.INTERRUPT) {
            return least;
        }
        int span = link.maximumLatency() - least + 1;
        if (fpga == null) {
            return least + spread(lookupInLlc(request, lines), span, chance);
        }
        if (request.channel != VL0) {
            boolean held = lookupInLlc(request, lines);
            return least + (snoop(fpga, request, lines) ? span - 1 : spread(held, span, chance));
        }
        int hits = lookup(fpga, request, lines);
        if (request.kind != PendingRequest.READ) {
            // A write is for the last level cache as well, whatever the FPGA cache has.
            lookupInLlc(request, hits);
        }
        int misses = lines & ~hits;
        if (misses == 0) {
            return least + chance.below(span / 8 + 1);
        }
        int miss = span * 3 / 8;
        return least + miss + spread(lookupInLlc(request, misses), span - miss, chance);
    }

    /// CCIP-VC-5, CCIP-CCH-4: a request on PCIe takes copies away by a snoop.
    private static boolean snoop(FpgaCache fpga, PendingRequest request, int lines) {
        boolean modified = false;
        for (int left = lines; left != 0; left &= left - 1) {
            long address = request.address + PendingRequest.lowest(left);
            modified |= fpga.snoop(address, request.kind == PendingRequest.READ);
        }
        return modified;
    }

    /// Which of the lines the FPGA cache holds.
    private static int lookup(FpgaCache fpga, PendingRequest request, int lines) {
        int hits = 0;
        for (int left = lines; left != 0; left &= left - 1) {
            if (fpga.lookup(request, PendingRequest.lowest(left)).hit()) {
                hits |= Integer.lowestOneBit(left);
            }
        }
        request.hits |= hits;
        return hits;
    }

    /// Lines were written to memory or read from it.
    void drained(PendingRequest request, int lines) {
        if (fpga != null && request.channel == VL0) {
            for (int left = lines; left != 0; left &= left - 1) {
                fpga.drained(request, PendingRequest.lowest(left));
            }
        }
    }

    private static int spread(boolean llcHit, int span, Chance chance) {
        int half = span / 2;
        return llcHit ? chance.below(half + 1) : half + chance.below(span - half);
    }

    /// Looks the lines up in the last level cache, which keeps those that are read or pushed and
    /// drops those that are written otherwise.
    ///
    /// CCIP-MEM-6b, CCIP-PLT-34: WrPush_I leaves its line in the last level cache.
    ///
    /// @return whether it held all of them
    private boolean lookupInLlc(PendingRequest request, int lines) {
        boolean keeps = request.kind == PendingRequest.READ || request.type == WRPUSH_I;
        boolean holdsAll = true;
        for (int left = lines; left != 0; left &= left - 1) {
            long address = request.address + PendingRequest.lowest(left);
            int index = (int) address & LLC_LINES - 1;
            int tag = (int) (address / LLC_LINES) + 1;
            boolean held = llc[index] == tag;
            llc[index] = keeps ? tag : held ? 0 : llc[index];
            holdsAll &= held;
        }
        return holdsAll;
    }
}
