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

/// Takes the beats of Tx C0 and C1 in and makes lines of them. What CCI-P forbids is refused, which
/// the checker reports; what leads to no memory is refused and reported here.
final class Acceptance {
    private static final int RESERVED_LENGTH = 2;

    private final boolean answersFaults;
    private final boolean byteEnable;
    private final boolean interrupts;
    private final boolean[] has = new boolean[VirtualChannel.values().length];
    private final HostMemory memory;
    private final Checker checker;
    private final MemoryPath path;
    private final LinePool lines;
    private final C1Framing framing = new C1Framing();

    private long reads;

    /// The first line of the open burst, if it was not refused.
    private @Nullable PendingLine burst;

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
        this.lines = path.lines;
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

    void accept(long cycle, C0Tx c0) {
        long ordinal = reads++;
        if (c0.requestType() > ReadType.RDLINE_S.code()
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
        PendingLine first = lines.take();
        first.begin(PendingLine.READ, c0.requestType(), c0.channel(), ordinal, c0.mdata(), count);
        first.address = c0.address();
        first.mapping = mapping;
        path.arrive(first);
        for (int i = 1; i < count; i++) {
            PendingLine line = lines.take();
            line.follow(first, i);
            path.arrive(line);
        }
    }

    void accept(long cycle, C1Tx c1) {
        boolean begins = framing.accept(c1);
        if (!begins) {
            continueBurst(c1);
            return;
        }
        cutBurst();
        int type = c1.requestType();
        if (type == WriteType.WRFENCE.code()) {
            acceptFence(c1);
        } else if (type == WriteType.INTR.code()) {
            acceptInterrupt(c1);
        } else if (c1.startOfPacket() && type <= WriteType.WRPUSH_I.code()) {
            acceptWrite(cycle, c1);
        }
    }

    private boolean isRefused(int channel, int lengthCode, long address) {
        return lengthCode == RESERVED_LENGTH || (address & lengthCode) != 0 || !has[channel];
    }

    private void acceptFence(C1Tx c1) {
        if (has[c1.channel()]) {
            arrive(PendingLine.FENCE, c1, c1.mdata());
        }
    }

    private void acceptInterrupt(C1Tx c1) {
        if (interrupts && has[c1.channel()]) {
            arrive(PendingLine.INTERRUPT, c1, c1.interruptId());
        }
    }

    private void arrive(byte kind, C1Tx c1, int mdata) {
        PendingLine line = lines.take();
        line.begin(kind, c1.requestType(), c1.channel(), framing.requests() - 1, mdata, 1);
        path.arrive(line);
    }

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
        PendingLine line = lines.take();
        int count = c1.lengthCode() + 1;
        line.begin(PendingLine.WRITE, c1.requestType(), c1.channel(), ordinal, c1.mdata(), count);
        line.address = c1.address();
        line.mapping = mapping;
        line.start = (byte) (bytes ? c1.byteStart() : 0);
        line.length = (byte) (bytes ? c1.byteLength() : Line.BYTES);
        Line.copy(c1.data, line.data);
        path.arrive(line);
        burst = count > 1 ? line : null;
        burstLine = 1;
    }

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

    private void continueBurst(C1Tx c1) {
        if (burst == null) {
            return;
        }
        PendingLine line = lines.take();
        line.follow(burst, burstLine);
        line.start = 0;
        line.length = Line.BYTES;
        Line.copy(c1.data, line.data);
        path.arrive(line);
        if (++burstLine == burst.count) {
            burst = null;
        }
    }

    /// A burst that breaks off becomes a write of the lines that came.
    private void cutBurst() {
        if (burst != null) {
            path.truncate(burst, burst.count - burstLine);
            burst = null;
        }
    }
}
