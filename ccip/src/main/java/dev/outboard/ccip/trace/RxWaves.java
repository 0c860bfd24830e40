package dev.outboard.ccip.trace;

import dev.outboard.ccip.checker.Answers;
import dev.outboard.ccip.trace.ValueChangeDump.Wire;
import dev.outboard.ccip.trace.ValueChangeDump.Word;
import dev.outboard.ccip.wire.C0Rx;
import dev.outboard.ccip.wire.C1Response;
import dev.outboard.ccip.wire.C1Rx;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.VirtualChannel;

/// The wires to the AFU as waveforms, and beside them which request a response answers.
final class RxWaves {
    private final Wire c0AlmostFull;
    private final Wire c1AlmostFull;
    private final C0 c0;
    private final C1 c1;

    RxWaves(ValueChangeDump dump) {
        dump.declare("$scope module rx $end");
        c0AlmostFull = dump.wire("c0TxAlmFull", 1);
        c1AlmostFull = dump.wire("c1TxAlmFull", 1);
        c0 = new C0(dump);
        c1 = new C1(dump);
        dump.declare("$upscope $end");
    }

    void draw(Rx rx, Answers answers) {
        c0AlmostFull.set(rx.c0TxAlmFull);
        c1AlmostFull.set(rx.c1TxAlmFull);
        c0.draw(rx.c0, answers.c0Request);
        c1.draw(rx.c1, answers.c1Request);
    }

    private static final class C0 {
        final Wire rspValid;
        final Wire mmioRdValid;
        final Wire mmioWrValid;
        final Word type;
        final Wire header;
        final Wire responseType;
        final Word channel;
        final Wire hit;
        final Wire line;
        final Wire mdata;
        final Wire request;
        final Wire mmioAddress;
        final Wire mmioLength;
        final Wire mmioTid;
        final Wire umsgHint;
        final Wire umsgId;
        final Wire data;

        C0(ValueChangeDump dump) {
            dump.declare("$scope module c0 $end");
            rspValid = dump.wire("rspValid", 1);
            mmioRdValid = dump.wire("mmioRdValid", 1);
            mmioWrValid = dump.wire("mmioWrValid", 1);
            type = dump.word("response");
            header = dump.wire("hdr", 28);
            responseType = dump.wire("resp_type", 4);
            channel = dump.word("vc_used");
            hit = dump.wire("hit_miss", 1);
            line = dump.wire("cl_num", 2);
            mdata = dump.wire("mdata", 16);
            request = dump.number("answers");
            mmioAddress = dump.wire("mmio_address", 16);
            mmioLength = dump.wire("mmio_length", 2);
            mmioTid = dump.wire("mmio_tid", 9);
            umsgHint = dump.wire("umsg_type", 1);
            umsgId = dump.wire("umsg_id", 3);
            data = dump.wire("data", 512);
            dump.declare("$upscope $end");
        }

        void draw(C0Rx c0, long answers) {
            boolean mmio = c0.mmioRdValid || c0.mmioWrValid;
            boolean valid = mmio || c0.rspValid;
            boolean read = !mmio && c0.isReadResponse();
            boolean umsg = !mmio && c0.isUmsg();
            rspValid.set(c0.rspValid);
            mmioRdValid.set(c0.mmioRdValid);
            mmioWrValid.set(c0.mmioWrValid);
            type.set(valid, TypeNames.of(c0));
            header.set(valid, c0.hdr);
            responseType.set(valid && !mmio, c0.responseType());
            channel.set(read, VirtualChannel.of(c0.channelUsed()).name());
            hit.set(read, c0.hit() ? 1 : 0);
            line.set(read, c0.lineNumber());
            mdata.set(read, c0.mdata());
            request.set(read && answers >= 0, answers);
            mmioAddress.set(mmio, c0.mmioAddress());
            mmioLength.set(mmio, c0.mmioLength());
            mmioTid.set(c0.mmioRdValid, c0.tid());
            umsgHint.set(umsg, c0.isHint() ? 1 : 0);
            umsgId.set(umsg, c0.umsgId());
            if (read || c0.mmioWrValid || (umsg && !c0.isHint())) {
                data.set(c0.data);
            } else {
                data.idle();
            }
        }
    }

    private static final class C1 {
        final Wire rspValid;
        final Word type;
        final Wire header;
        final Wire responseType;
        final Word channel;
        final Wire hit;
        final Wire format;
        final Wire line;
        final Wire mdata;
        final Wire id;
        final Wire request;

        C1(ValueChangeDump dump) {
            dump.declare("$scope module c1 $end");
            rspValid = dump.wire("rspValid", 1);
            type = dump.word("response");
            header = dump.wire("hdr", 28);
            responseType = dump.wire("resp_type", 4);
            channel = dump.word("vc_used");
            hit = dump.wire("hit_miss", 1);
            format = dump.wire("format", 1);
            line = dump.wire("cl_num", 2);
            mdata = dump.wire("mdata", 16);
            id = dump.wire("id", 2);
            request = dump.number("answers");
            dump.declare("$upscope $end");
        }

        void draw(C1Rx c1, long answers) {
            boolean valid = c1.rspValid;
            boolean write = c1.isWriteResponse();
            boolean interrupt = valid && c1.responseType() == C1Response.INTR.code();
            rspValid.set(valid);
            type.set(valid, TypeNames.of(c1));
            header.set(valid, c1.hdr);
            responseType.set(valid, c1.responseType());
            channel.set(write || interrupt, VirtualChannel.of(c1.channelUsed()).name());
            hit.set(write, c1.hit() ? 1 : 0);
            format.set(write, c1.packed() ? 1 : 0);
            line.set(write, c1.lineNumber());
            mdata.set(valid && !interrupt, c1.mdata());
            id.set(interrupt, c1.interruptId());
            request.set(valid && answers >= 0, answers);
        }
    }
}
