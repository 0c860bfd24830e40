package dev.outboard.node.datapath;

import dev.outboard.ccip.afu.CallRegisters;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;
import dev.outboard.naa.ReturnCode;
import dev.outboard.node.offload.EdgeRows;
import dev.outboard.node.routine.RoutineCatalog;

/// The handlers of a node: routines that are computed on the data path, by the DPA itself or by the
/// function of an FPGA behind it.
@DpaProgram("handlers")
final class NodeHandlers {
    private static final int HEADER_BYTES = 12;
    private static final int MAX_SIDE = 1 << 16;

    // What RoutineError has for images.

    private static final int IMAGE_DIMENSIONS = 0x23;
    private static final int IMAGE_SIZE = 0x24;

    private NodeHandlers() {}

    /// Computes the routines itself.
    @DpaGlobal
    static void compute(DpaThread thread, long client) {
        while (NaaDev.nextCall(thread, client)) {
            boolean isOffered = NaaDev.isOffered(thread, client);
            NaaDev.answer(
                    thread, client, isOffered ? run(thread, client) : ReturnCode.NOT_AVAILABLE);
        }
        NaaDev.awaitCall(thread, client);
    }

    /// Has the function behind the DPA compute them.
    @DpaGlobal
    static void forward(DpaThread thread, long client) {
        while (NaaDev.nextCall(thread, client)) {
            boolean isOffered = NaaDev.isOffered(thread, client);
            NaaDev.answer(
                    thread, client, isOffered ? pass(thread, client) : ReturnCode.NOT_AVAILABLE);
        }
        NaaDev.awaitCall(thread, client);
    }

    private static int pass(DpaThread thread, long client) {
        return NaaDev.regions(thread, client) > CallRegisters.MOST_REGIONS
                ? ReturnCode.WRONG_ARGUMENTS
                : NaaDev.callAfu(thread, client);
    }

    @DpaRpc
    static long send(DpaThread thread, DpaAddr client, int length, int isReady) {
        return NaaDev.sendForHost(thread, client, length, isReady);
    }

    private static int run(DpaThread thread, long client) {
        int function = NaaDev.functionCode(thread, client);
        if (function == RoutineCatalog.EMPTY) {
            return ReturnCode.SUCCESS;
        }
        return function == RoutineCatalog.EDGE_DETECTION
                ? edges(thread, client)
                : ReturnCode.NOT_AVAILABLE;
    }

    /// Regions header, pixels and edges.
    private static int edges(DpaThread thread, long client) {
        if (NaaDev.regions(thread, client) != 3 || NaaDev.size(thread, client, 0) != HEADER_BYTES) {
            return ReturnCode.WRONG_ARGUMENTS;
        }
        long header = NaaDev.region(thread, client, 0);
        long width = thread.load32(header);
        long height = thread.load32(header + 4);
        long channels = thread.load32(header + 8);
        if (!isSide(width) || !isSide(height) || (channels != 1 && channels != 3)) {
            return IMAGE_DIMENSIONS;
        }
        if (NaaDev.size(thread, client, 1) != width * height * channels
                || NaaDev.size(thread, client, 2) != width * height) {
            return IMAGE_SIZE;
        }
        detect(thread, client, width, height, channels);
        return ReturnCode.SUCCESS;
    }

    private static boolean isSide(long pixels) {
        return pixels > 0 && pixels <= MAX_SIDE;
    }

    private static void detect(
            DpaThread thread, long client, long width, long height, long channels) {
        long above = NaaDev.scratch(thread, client);
        long here = above + EdgeRows.bytes(width);
        long below = here + EdgeRows.bytes(width);
        long pixels = NaaDev.region(thread, client, 1);
        EdgeRows.load(thread, pixels, width, channels, 0, above);
        EdgeRows.load(thread, pixels, width, channels, 0, here);
        for (long y = 0; y < height; y++) {
            pixels = NaaDev.region(thread, client, 1);
            EdgeRows.load(thread, pixels, width, channels, Math.min(y + 1, height - 1), below);
            long edges = NaaDev.region(thread, client, 2);
            EdgeRows.store(thread, edges + y * width, width, above, here, below);
            long free = above;
            above = here;
            here = below;
            below = free;
        }
    }
}
