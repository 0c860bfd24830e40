package dev.outboard.ccip.trace;

import dev.outboard.ccip.trace.ValueChangeDump.Wire;
import dev.outboard.ccip.trace.ValueChangeDump.Word;
import dev.outboard.ccip.wire.C0Tx;
import dev.outboard.ccip.wire.C1Tx;
import dev.outboard.ccip.wire.C2Tx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;

/// The wires from the AFU as waveforms.
final class TxWaves {
    private final C0 c0;
    private final C1 c1;
    private final C2 c2;

    TxWaves(ValueChangeDump dump) {
        dump.declare("$scope module tx $end");
        c0 = new C0(dump);
        c1 = new C1(dump);
        c2 = new C2(dump);
        dump.declare("$upscope $end");
    }

    void draw(Tx tx) {
        c0.draw(tx.c0);
        c1.draw(tx.c1);
        c2.draw(tx.c2);
    }

    private static final class C0 {
        final Wire valid;
        final Word type;
        final Wire header;
        final Wire requestType;
        final Word channel;
        final Wire length;
        final Wire address;
        final Wire mdata;

        C0(ValueChangeDump dump) {
            dump.declare("$scope module c0 $end");
            valid = dump.wire("valid", 1);
            type = dump.word("request");
            header = dump.wire("hdr", 74);
            requestType = dump.wire("req_type", 4);
            channel = dump.word("vc_sel");
            length = dump.wire("cl_len", 2);
            address = dump.wire("address", 42);
            mdata = dump.wire("mdata", 16);
            dump.declare("$upscope $end");
        }

        void draw(C0Tx c0) {
            valid.set(c0.valid);
            if (c0.valid) {
                header.set(c0.hdrLow, c0.hdrHigh);
            } else {
                header.idle();
            }
            type.set(c0.valid, TypeNames.of(c0));
            requestType.set(c0.valid, c0.requestType());
            channel.set(c0.valid, VirtualChannel.of(c0.channel()).name());
            length.set(c0.valid, c0.lengthCode());
            address.set(c0.valid, c0.address());
            mdata.set(c0.valid, c0.mdata());
        }
    }

    private static final class C1 {
        final Wire valid;
        final Word type;
        final Wire header;
        final Wire requestType;
        final Word channel;
        final Wire sop;
        final Wire length;
        final Wire mode;
        final Wire byteStart;
        final Wire byteLength;
        final Wire address;
        final Wire mdata;
        final Wire id;
        final Wire data;

        C1(ValueChangeDump dump) {
            dump.declare("$scope module c1 $end");
            valid = dump.wire("valid", 1);
            type = dump.word("request");
            header = dump.wire("hdr", 80);
            requestType = dump.wire("req_type", 4);
            channel = dump.word("vc_sel");
            sop = dump.wire("sop", 1);
            length = dump.wire("cl_len", 2);
            mode = dump.wire("mode", 1);
            byteStart = dump.wire("byte_start", 6);
            byteLength = dump.wire("byte_len", 6);
            address = dump.wire("address", 42);
            mdata = dump.wire("mdata", 16);
            id = dump.wire("id", 2);
            data = dump.wire("data", 512);
            dump.declare("$upscope $end");
        }

        void draw(C1Tx c1) {
            valid.set(c1.valid);
            int kind = c1.requestType();
            boolean interrupt = c1.valid && kind == WriteType.INTR.code();
            boolean fence = c1.valid && kind == WriteType.WRFENCE.code();
            if (c1.valid) {
                header.set(c1.hdrLow, c1.hdrHigh & 0xFFFFL);
            } else {
                header.idle();
            }
            type.set(c1.valid, TypeNames.of(c1));
            requestType.set(c1.valid, kind);
            sop.set(c1.valid, c1.startOfPacket() ? 1 : 0);
            boolean first = c1.valid && (c1.startOfPacket() || fence || interrupt);
            channel.set(first, VirtualChannel.of(c1.channel()).name());
            mdata.set(first && !interrupt, c1.mdata());
            id.set(interrupt, c1.interruptId());
            boolean write = c1.valid && !fence && !interrupt;
            length.set(write && first, c1.lengthCode());
            mode.set(write, c1.byteMode() ? 1 : 0);
            byteStart.set(write, c1.byteStart());
            byteLength.set(write, c1.byteLength());
            address.set(write, first ? c1.address() : c1.address() & 3);
            if (write) {
                data.set(c1.data);
            } else {
                data.idle();
            }
        }
    }

    private static final class C2 {
        final Wire valid;
        final Wire tid;
        final Wire data;

        C2(ValueChangeDump dump) {
            dump.declare("$scope module c2 $end");
            valid = dump.wire("mmioRdValid", 1);
            tid = dump.wire("tid", 9);
            data = dump.wire("data", 64);
            dump.declare("$upscope $end");
        }

        void draw(C2Tx c2) {
            valid.set(c2.mmioRdValid);
            tid.set(c2.mmioRdValid, c2.tid);
            data.set(c2.mmioRdValid, c2.data);
        }
    }
}
