package dev.outboard.ccip.fiu;

import dev.outboard.ccip.checker.C1Framing;
import dev.outboard.ccip.checker.Channel;
import dev.outboard.ccip.checker.Checker;
import dev.outboard.ccip.checker.HeaderText;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.C0Tx;
import dev.outboard.ccip.wire.C1Tx;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import org.jspecify.annotations.Nullable;

/// Takes the beats of Tx C0 and C1 in and makes requests of them. What CCI-P forbids is refused,
/// which the checker reports; what leads to no memory is refused and reported here.
final class Acceptance {
    private static final int LAST_READ = ReadType.RDLINE_S.code();
    private static final int LAST_WRITE = WriteType.WRPUSH_I.code();
    private static final int FENCE = WriteType.WRFENCE.code();
    private static final int INTERRUPT = WriteType.INTR.code();
    private static final int RESERVED_LENGTH = 2;

    private final boolean answersFaults;
    private final boolean byteEnable;
    private final boolean interrupts;
    private final boolean[] has = new boolean[VirtualChannel.values().length];
    private final HostMemory memory;
    private final Checker checker;
    private final MemoryPath path;
    private final RequestPool requests;
    private final C1Framing framing = new C1Framing();

    private long reads;

    /// The write of the open burst, if it was not refused.
    private @Nullable PendingRequest burst;

    private int burstLine;

    Acceptance(Parameters parameters, HostMemory memory, Checker checker, MemoryPath path) {
        Profile profile = parameters.profile();
        answersFaults = parameters.answersFaults();
        byteEnable = profile.byteEnable();
        interrupts = profile.interrupts();
        for (VirtualChannel channel : VirtualChannel.values()) {
            has[channel.code()] = profile.has(channel);
        }
        this.memory = memory;
        this.checker = checker;
        this.path = path;
        requests = path.requests;
    }

    /// A reset begins: what is there of an open burst is forgotten.
    void reset() {
        burst = null;
    }

    /// What comes from now on was sent after a reset: a burst from before it has ended.
    void endReset() {
        framing.reset();
    }

    /// A beat that is not accepted is counted all the same.
    void refuseRead() {
        reads++;
    }

    /// A beat that is not accepted is counted all the same.
    void refuse(C1Tx c1) {
        framing.accept(c1);
        cutBurst();
    }

    /// CCIP-MEM-1, CCIP-SIG-11a: a read is one beat on C0 without data.
    ///
    /// CCIP-MCL-13: it may come between the beats of a write.
    void accept(long cycle, C0Tx c0) {
        long ordinal = reads++;
        if (c0.requestType() > LAST_READ
                || isRefused(c0.channel(), c0.lengthCode(), c0.address())) {
            return;
        }
        Mapping mapping = memory.find(c0.address());
        if (mapping == null || !mapping.readable()) {
            unreachable(mapping, Channel.TX_C0, cycle, HeaderText.of(c0), ordinal, c0.address());
            if (!answersFaults) {
                return;
            }
            mapping = null;
        }
        int count = c0.lengthCode() + 1;
        PendingRequest read = requests.take();
        read.begin(
                PendingRequest.READ,
                c0.requestType(),
                c0.channel(),
                ordinal,
                c0.mdata(),
                count,
                PendingRequest.first(count));
        read.address = c0.address();
        read.mapping = mapping;
        path.arriveRead(read);
    }

    /// CCIP-SIG-11b: writes, fences and interrupts come on C1.
    ///
    /// CCIP-MCL-17: after a broken burst the next first beat begins anew.
    void accept(long cycle, C1Tx c1) {
        boolean begins = framing.accept(c1);
        if (!begins) {
            continueBurst(c1);
            return;
        }
        cutBurst();
        int type = c1.requestType();
        if (type == FENCE) {
            acceptFence(c1);
        } else if (type == INTERRUPT) {
            acceptInterrupt(c1);
        } else if (c1.startOfPacket() && type <= LAST_WRITE) {
            acceptWrite(cycle, c1);
        }
    }

    /// CCIP-PLT-9, CCIP-ENC-6: a request has one, two or four lines.
    private boolean isRefused(int channel, int lengthCode, long address) {
        return lengthCode == RESERVED_LENGTH || (address & lengthCode) != 0 || !has[channel];
    }

    /// CCIP-HDR-29: the data of a fence is not looked at.
    private void acceptFence(C1Tx c1) {
        if (has[c1.channel()]) {
            arrive(PendingRequest.FENCE, c1, c1.mdata());
        }
    }

    /// CCIP-INT-2, CCIP-PLT-7: an interrupt is one beat, where the platform has them.
    private void acceptInterrupt(C1Tx c1) {
        if (interrupts && has[c1.channel()]) {
            arrive(PendingRequest.INTERRUPT, c1, c1.interruptId());
        }
    }

    /// CCIP-HDR-27: a request has a number of its own, whatever its mdata.
    private void arrive(byte kind, C1Tx c1, int mdata) {
        PendingRequest request = requests.take();
        request.begin(kind, c1.requestType(), c1.channel(), framing.requests() - 1, mdata, 1, 1);
        path.arriveBeat(request, 0);
    }

    /// CCIP-HDR-24, CCIP-HDR-25: mdata and vc_sel of the first beat count for all lines.
    ///
    /// CCIP-BYT-2, CCIP-PLT-16: mode chooses bytes of the line where the platform has it.
    private void acceptWrite(long cycle, C1Tx c1) {
        boolean bytes = byteEnable && c1.byteMode();
        if (isRefused(c1.channel(), c1.lengthCode(), c1.address()) || (bytes && !isByteRange(c1))) {
            return;
        }
        long ordinal = framing.requests() - 1;
        Mapping mapping = memory.find(c1.address());
        if (mapping == null || !mapping.writable()) {
            unreachable(mapping, Channel.TX_C1, cycle, HeaderText.of(c1), ordinal, c1.address());
            if (!answersFaults) {
                return;
            }
            mapping = null;
        }
        PendingRequest write = requests.take();
        int count = c1.lengthCode() + 1;
        write.begin(
                PendingRequest.WRITE,
                c1.requestType(),
                c1.channel(),
                ordinal,
                c1.mdata(),
                count,
                1);
        write.address = c1.address();
        write.mapping = mapping;
        write.start = (byte) (bytes ? c1.byteStart() : 0);
        write.length = (byte) (bytes ? c1.byteLength() : Line.BYTES);
        System.arraycopy(c1.data, 0, write.data, 0, Line.LONGS);
        path.arriveBeat(write, 0);
        burst = count > 1 ? write : null;
        burstLine = 1;
    }

    /// CCIP-MEM-11, CCIP-MEM-12: each line is looked up, and without memory not answered.
    private void unreachable(
            @Nullable Mapping mapping,
            Channel channel,
            long cycle,
            String header,
            long ordinal,
            long address) {
        checker.report(
                mapping == null ? Violation.MEM_UNMAPPED : Violation.MEM_NO_PERMISSION,
                channel,
                cycle,
                header,
                ordinal,
                address,
                mapping == null ? "no memory is mapped there" : "the page does not allow it");
    }

    private static boolean isByteRange(C1Tx c1) {
        return c1.lengthCode() == 0
                && c1.byteLength() != 0
                && c1.byteStart() + c1.byteLength() <= Line.BYTES;
    }

    /// CCIP-MEM-2, CCIP-MCL-6: one beat for each line, however far apart.
    private void continueBurst(C1Tx c1) {
        if (burst == null) {
            return;
        }
        System.arraycopy(c1.data, 0, burst.data, PendingRequest.at(burstLine), Line.LONGS);
        burst.lines |= 1 << burstLine;
        path.arriveBeat(burst, burstLine);
        if (++burstLine == burst.count) {
            burst = null;
        }
    }

    /// A burst that breaks off becomes a write of the lines that came.
    private void cutBurst() {
        if (burst != null) {
            path.truncate(burst);
            burst = null;
        }
    }
}
