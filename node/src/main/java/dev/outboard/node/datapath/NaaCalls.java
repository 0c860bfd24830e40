package dev.outboard.node.datapath;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.rv.Ecalls;
import dev.outboard.dpa.rv.RvHart;
import dev.outboard.dpacc.DpaAddr;

/// The environment calls of handlers in C, by the numbers of `naa_dev.h`: each is the function of
/// [NaaDev] that handlers in Java call.
final class NaaCalls implements Ecalls {
    static final int NEXT_CALL = 0x1000;
    static final int AWAIT_CALL = 0x1001;
    static final int FUNCTION_CODE = 0x1002;
    static final int USER_BYTES = 0x1003;
    static final int IS_OFFERED = 0x1004;
    static final int REGIONS = 0x1005;
    static final int SIZE = 0x1006;
    static final int ADDRESS = 0x1007;
    static final int REGION = 0x1008;
    static final int SCRATCH = 0x1009;
    static final int SCRATCH_BYTES = 0x100A;
    static final int CALL_AFU = 0x100B;
    static final int ANSWER = 0x100C;
    static final int SEND_FOR_HOST = 0x100D;

    @Override
    public long call(RvHart hart, DpaThread thread, long number) {
        long client = hart.argument(0);
        int second = (int) hart.argument(1);
        return switch ((int) number) {
            case NEXT_CALL -> NaaDev.nextCall(thread, client) ? 1 : 0;
            case AWAIT_CALL -> {
                NaaDev.awaitCall(thread, client);
                yield 0;
            }
            case FUNCTION_CODE -> NaaDev.functionCode(thread, client);
            case USER_BYTES -> NaaDev.userBytes(thread, client);
            case IS_OFFERED -> NaaDev.isOffered(thread, client) ? 1 : 0;
            case REGIONS -> NaaDev.regions(thread, client);
            case SIZE -> NaaDev.size(thread, client, second);
            case ADDRESS -> NaaDev.naaAddress(thread, client, second);
            case REGION -> NaaDev.region(thread, client, second);
            case SCRATCH -> NaaDev.scratch(thread, client);
            case SCRATCH_BYTES -> NaaDev.scratchBytes(thread, client);
            case CALL_AFU -> NaaDev.callAfu(thread, client);
            case ANSWER -> {
                NaaDev.answer(thread, client, second);
                yield 0;
            }
            case SEND_FOR_HOST ->
                    NaaDev.sendForHost(thread, new DpaAddr(client), second, (int) hart.argument(2));
            default -> RvHart.unknownCall(number);
        };
    }
}
