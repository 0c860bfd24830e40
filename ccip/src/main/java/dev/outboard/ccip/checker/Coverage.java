package dev.outboard.ccip.checker;

import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.C0Rx;
import dev.outboard.ccip.wire.C0Tx;
import dev.outboard.ccip.wire.C1Rx;
import dev.outboard.ccip.wire.C1Tx;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.MmioLength;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import java.util.LinkedHashMap;
import java.util.Map;

/// How often each legal case of traffic was seen, so that a test can tell what it never tried.
///
/// It belongs to the [Checker] that counts.
public final class Coverage {
    private static final int GAP = 1;
    private static final int ALMOST_FULL = 2;
    private static final int SOP = 1 << 7;
    private static final int BYTE_MODE = 1 << 6;

    /// By the header's `vc_sel`, `cl_len` and `req_type` (and `sop` and `mode`), then whether the
    /// cycle before was idle, and whether the AFU knew of almost-full.
    private final long[] reads = new long[1 << 12];

    private final long[] writes = new long[1 << 12];
    private final long[] mmio = new long[8];
    private final long[] responses = new long[8];
    private final long[] umsgs = new long[2];
    private long lastRead = -1;
    private long lastBeat = -1;

    Coverage() {}

    void read(long cycle, C0Tx c0, boolean almostFull) {
        reads[(c0.hdrHigh & 0x3FF) << 2 | state(cycle, lastRead, almostFull)]++;
        lastRead = cycle;
    }

    void beat(long cycle, C1Tx c1, boolean almostFull) {
        writes[(c1.hdrHigh & 0x3FF) << 2 | state(cycle, lastBeat, almostFull)]++;
        lastBeat = cycle;
    }

    void mmio(C0Rx c0) {
        mmio[(c0.mmioRdValid ? 0 : 4) | c0.mmioLength()]++;
    }

    void response(C0Rx c0) {
        if (c0.isUmsg()) {
            umsgs[c0.isHint() ? 1 : 0]++;
        }
    }

    void response(C1Rx c1) {
        if (c1.isWriteResponse()) {
            responses[(c1.packed() ? 4 : 0) | c1.lineNumber()]++;
        }
    }

    private static int state(long cycle, long last, boolean almostFull) {
        return (cycle == last + 1 ? 0 : GAP) | (almostFull ? ALMOST_FULL : 0);
    }

    /// Every case that is legal on a platform, in words, with how often it was seen.
    ///
    /// CCIP-CHK-6: what a run has tried of what is legal.
    public Map<String, Long> cases(Profile profile) {
        Map<String, Long> cases = new LinkedHashMap<>();
        for (VirtualChannel channel : VirtualChannel.values()) {
            if (profile.has(channel)) {
                requests(cases, profile, channel);
            }
        }
        for (LineCount count : LineCount.values()) {
            cases.put("packed response " + count, responses[4 | count.code()]);
        }
        for (int line = 0; line < 4; line++) {
            cases.put("response to line " + line, responses[line]);
        }
        for (MmioLength length : MmioLength.values()) {
            if (length != MmioLength.BYTES_64) {
                cases.put("MMIO read " + length, mmio[length.code()]);
            }
            cases.put("MMIO write " + length, mmio[4 | length.code()]);
        }
        if (profile.umsgs()) {
            cases.put("UMsg", umsgs[0]);
            cases.put("UMsgH", umsgs[1]);
        }
        return cases;
    }

    private void requests(Map<String, Long> cases, Profile profile, VirtualChannel channel) {
        int vc = channel.code() << 8;
        for (LineCount count : LineCount.values()) {
            int header = vc | count.code() << 4;
            for (ReadType type : ReadType.values()) {
                put(cases, type + " " + channel + " " + count, reads, header | type.code());
            }
            for (int type = 0; type <= WriteType.WRPUSH_I.code(); type++) {
                String name = WriteType.of(type) + " " + channel + " " + count;
                put(cases, name, writes, header | SOP | type);
            }
        }
        if (profile.byteEnable()) {
            for (int type = 0; type <= WriteType.WRPUSH_I.code(); type++) {
                String name = WriteType.of(type) + " " + channel + " bytes";
                put(cases, name, writes, vc | SOP | BYTE_MODE | type);
            }
        }
        put(cases, "WRFENCE " + channel, writes, vc | WriteType.WRFENCE.code());
        if (profile.interrupts()) {
            put(cases, "INTR " + channel, writes, vc | WriteType.INTR.code());
        }
        if (channel == VirtualChannel.VA) {
            laterBeats(cases);
        }
    }

    /// Of a later beat only the type counts; all else on its wires may be anything.
    private void laterBeats(Map<String, Long> cases) {
        for (int type = 0; type <= WriteType.WRPUSH_I.code(); type++) {
            for (int state = 0; state < 4; state++) {
                long seen = 0;
                for (int free = 0; free < 1 << 4; free++) {
                    int header = free >> 2 << 8 | (free & 3) << 4 | type;
                    seen += writes[header << 2 | state];
                }
                cases.put(WriteType.of(type) + " later beat" + words(state), seen);
            }
        }
    }

    private static void put(Map<String, Long> cases, String name, long[] counts, int header) {
        for (int state = 0; state < 4; state++) {
            cases.put(name + words(state), counts[header << 2 | state]);
        }
    }

    private static String words(int state) {
        return ((state & GAP) == 0 ? ", back to back" : ", after a gap")
                + ((state & ALMOST_FULL) == 0 ? "" : ", under almost-full");
    }
}
