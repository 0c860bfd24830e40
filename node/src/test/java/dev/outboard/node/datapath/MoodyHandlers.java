package dev.outboard.node.datapath;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;
import dev.outboard.naa.ReturnCode;

/// A handler that adds 1 to each byte of the first region, or faults.
@DpaProgram("moody_handlers")
final class MoodyHandlers {
    static final int ADDS = 1;
    static final int FAULTS = 2;

    /// For a millisecond.
    static final int COMPUTES = 3;

    static final int NEVER_ENDS = 4;

    /// Where the first two regions lie, to the first one.
    static final int TELLS_ADDRESSES = 5;

    private MoodyHandlers() {}

    @DpaGlobal
    static void serve(DpaThread thread, long client) {
        while (NaaDev.nextCall(thread, client)) {
            if (NaaDev.functionCode(thread, client) == FAULTS) {
                thread.store64(0, 1);
            }
            compute(thread, client);
            long size = NaaDev.size(thread, client, 0);
            long first = NaaDev.region(thread, client, 0);
            if (NaaDev.functionCode(thread, client) == TELLS_ADDRESSES) {
                thread.store64(first, NaaDev.naaAddress(thread, client, 0));
                thread.store64(first + 8, NaaDev.naaAddress(thread, client, 1));
            } else {
                for (long i = 0; i < size; i++) {
                    thread.store8(first + i, thread.load8(first + i) + 1);
                }
            }
            NaaDev.answer(
                    thread,
                    client,
                    NaaDev.userBytes(thread, client) == 0 ? ReturnCode.SUCCESS : 77);
        }
        NaaDev.awaitCall(thread, client);
    }

    private static void compute(DpaThread thread, long client) {
        int function = NaaDev.functionCode(thread, client);
        long scratch = NaaDev.scratch(thread, client);
        int steps = function == COMPUTES ? 300_000 : 0;
        for (int i = 0; i < steps || function == NEVER_ENDS; i++) {
            thread.store64(scratch, i);
        }
    }

    @DpaRpc
    static long send(DpaThread thread, DpaAddr client, int length, int isReady) {
        return NaaDev.sendForHost(thread, client, length, isReady);
    }
}
