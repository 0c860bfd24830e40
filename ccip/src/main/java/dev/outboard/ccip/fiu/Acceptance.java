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

    private final Profile profile;
    private final HostMemory memory;
    private final Checker checker;
    private final MemoryPath path;
    private final Lines lines;
    private final C1Framing framing = new C1Framing();

    private long reads;

    /// The first line of the open burst, if it was not refused.
    private int burst = Lines.NONE;

    private int burstLine;

    Acceptance(Profile profile, HostMemory memory, Checker checker, MemoryPath path) {
        this.profile = profile;
        this.memory = memory;
        this.checker = checker;
        this.path = path;
        this.lines = path.lines;
    }

    /// Reset: an open burst ends.
    void reset() {
        framing.reset();
        burst = Lines.NONE;
    }

    /// A beat that is not accepted is counted all the same.
    void refuse(C0Tx c0) {
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
            return;
        }
        int count = c0.lengthCode() + 1;
        int first = Lines.NONE;
        for (int i = 0; i < count; i++) {
            int slot = lines.allocate();
            first = i == 0 ? slot : first;
            begin(slot, first, i, Lines.READ, c0.requestType(), c0.channel(), ordinal, c0.mdata());
            lines.address[slot] = c0.address() + i;
            lines.mapping[slot] = mapping;
            if (i == 0) {
                lines.count[slot] = (byte) count;
                lines.open[slot] = (byte) count;
                lines.held[slot] = (byte) count;
            }
            path.arrive(slot);
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
        return lengthCode == RESERVED_LENGTH
                || (address & lengthCode) != 0
                || !profile.has(VirtualChannel.of(channel));
    }

    private void acceptFence(C1Tx c1) {
        if (profile.has(VirtualChannel.of(c1.channel()))) {
            single(Lines.FENCE, c1, c1.mdata());
        }
    }

    private void acceptInterrupt(C1Tx c1) {
        if (profile.interrupts() && profile.has(VirtualChannel.of(c1.channel()))) {
            int slot = single(Lines.INTERRUPT, c1, c1.interruptId());
            int channel =
                    c1.channel() == VirtualChannel.VA.code()
                            ? VirtualChannel.VH0.code()
                            : c1.channel();
            lines.channel[slot] = (byte) channel;
        }
    }

    private int single(byte kind, C1Tx c1, int mdata) {
        int slot = lines.allocate();
        begin(slot, slot, 0, kind, c1.requestType(), c1.channel(), framing.requests() - 1, mdata);
        lines.held[slot] = 1;
        path.arrive(slot);
        return slot;
    }

    private void acceptWrite(long cycle, C1Tx c1) {
        boolean bytes = c1.byteMode() && profile.byteEnable();
        if (isRefused(c1.channel(), c1.lengthCode(), c1.address()) || (bytes && !isByteRange(c1))) {
            return;
        }
        Mapping mapping = memory.find(c1.address());
        if (mapping == null || !mapping.writable()) {
            unreachable(
                    mapping,
                    Channel.TX_C1,
                    cycle,
                    HeaderText.of(c1),
                    framing.requests() - 1,
                    c1.address());
            return;
        }
        int slot = lines.allocate();
        int count = c1.lengthCode() + 1;
        begin(
                slot,
                slot,
                0,
                Lines.WRITE,
                c1.requestType(),
                c1.channel(),
                framing.requests() - 1,
                c1.mdata());
        lines.count[slot] = (byte) count;
        lines.open[slot] = (byte) count;
        lines.held[slot] = (byte) count;
        lines.unanswered[slot] = (byte) count;
        line(slot, c1, c1.address(), mapping);
        if (bytes) {
            lines.start[slot] = (byte) c1.byteStart();
            lines.length[slot] = (byte) c1.byteLength();
        }
        burst = count > 1 ? slot : Lines.NONE;
        burstLine = 1;
    }

    private void unreachable(
            @Nullable Mapping mapping,
            Channel channel,
            long cycle,
            String header,
            long ordinal,
            long address) {
        if (mapping == null) {
            checker.report(
                    Violation.MEM_UNMAPPED,
                    channel,
                    cycle,
                    header,
                    ordinal,
                    address,
                    "no memory is mapped there");
        } else {
            checker.report(
                    Violation.MEM_NO_PERMISSION,
                    channel,
                    cycle,
                    header,
                    ordinal,
                    address,
                    "the page does not allow it");
        }
    }

    private static boolean isByteRange(C1Tx c1) {
        return c1.lengthCode() == 0
                && c1.byteLength() != 0
                && c1.byteStart() + c1.byteLength() <= Line.BYTES;
    }

    private void continueBurst(C1Tx c1) {
        if (burst == Lines.NONE) {
            return;
        }
        int slot = lines.allocate();
        begin(
                slot,
                burst,
                burstLine,
                Lines.WRITE,
                lines.type[burst],
                lines.named[burst],
                lines.ordinal[burst],
                lines.mdata[burst]);
        line(slot, c1, lines.address[burst] + burstLine, lines.mapping[burst]);
        if (++burstLine == lines.count[burst]) {
            burst = Lines.NONE;
        }
    }

    private void line(int slot, C1Tx c1, long address, @Nullable Mapping mapping) {
        lines.address[slot] = address;
        lines.mapping[slot] = mapping;
        lines.start[slot] = 0;
        lines.length[slot] = Line.BYTES;
        System.arraycopy(c1.data, 0, lines.data, Lines.dataIndex(slot), Line.LONGS);
        path.arrive(slot);
    }

    /// A burst that breaks off becomes a write of the lines that came.
    private void cutBurst() {
        if (burst != Lines.NONE) {
            path.truncate(burst, lines.count[burst] - burstLine);
            burst = Lines.NONE;
        }
    }

    private void begin(
            int slot,
            int first,
            int number,
            byte kind,
            int type,
            int named,
            long ordinal,
            int mdata) {
        lines.first[slot] = first;
        lines.number[slot] = (byte) number;
        lines.kind[slot] = kind;
        lines.type[slot] = (byte) type;
        lines.named[slot] = (byte) named;
        lines.channel[slot] = 0;
        lines.hit[slot] = false;
        lines.ordinal[slot] = ordinal;
        lines.mdata[slot] = mdata;
    }
}
