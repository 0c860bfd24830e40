package dev.outboard.ccip.checker;

import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.C0Tx;
import dev.outboard.ccip.wire.C1Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/// Requests of an AFU that CCI-P allows, but of which the outcome is open (CCI-P manual
/// 1.3.13.1.2): reads and writes of a line while an earlier access to it is not ordered before
/// them, and announcements that may arrive before what they announce.
///
/// A write is ordered for later requests on the channel that answered it, and for all once a VA
/// fence behind it is answered; for later writes a fence between the two that covers it is enough.
/// Where a platform has one link only, VA is that link.
///
/// Of each line the latest write is remembered: as long as nothing was reported, the ones before it
/// are ordered before it.
final class Hazards implements LineTable.Interest {
    private static final int VA = VirtualChannel.VA.code();

    private final Reporter reporter;
    private final LineTable lines = new LineTable();
    private final Set<Long> flags = new HashSet<>();

    /// The code of the only link; 0 if there are more.
    private final int onlyLink;

    /// By scope, the C1 request after which the latest fence came, and the latest answered one: all
    /// requests with smaller numbers are before it.
    private final long[] fences = new long[VirtualChannel.values().length];

    private final long[] answeredFences = new long[fences.length];

    /// The latest write by the channel that the AFU named, flags not counted; -1 before the first.
    private final long[] latestWrites = new long[fences.length];

    private boolean tracking = true;

    Hazards(Reporter reporter, Profile profile) {
        this.reporter = reporter;
        onlyLink = profile.channels().size() == 1 ? profile.channels().iterator().next().code() : 0;
        Arrays.fill(fences, -1);
        Arrays.fill(answeredFences, -1);
        Arrays.fill(latestWrites, -1);
    }

    /// Whether anybody wants to know of unordered accesses to a line.
    void track(boolean tracking) {
        this.tracking = tracking;
        if (!tracking) {
            lines.clear();
        }
    }

    /// The host says that this line announces data.
    void markFlag(long line) {
        flags.add(line);
    }

    /// A reset ended: nothing from before it is in flight.
    void flush() {
        lines.clear();
        Arrays.fill(latestWrites, -1);
    }

    /// A faultless read was sent.
    void readSent(C0Tx c0, long request) {
        if (!tracking) {
            return;
        }
        int channel = physical(c0.channel());
        int slot = lines.slot(c0.address(), this);
        boolean found = false;
        for (int line = 0; line <= c0.lengthCode(); line++) {
            lines.addRead(slot + line);
            long write = lines.write(slot + line);
            if (write != 0 && !found && isOpenForRead(write, channel)) {
                found = true;
                readAfterWrite(c0, request, c0.address() + line, write);
            }
        }
    }

    /// A read has the response of this line, or will never have it.
    void readAnswered(long line) {
        int slot = lines.find(line);
        if (slot >= 0 && lines.hasReads(slot)) {
            lines.removeRead(slot);
            lines.giveUp(slot);
        }
    }

    /// A faultless beat of a write was sent.
    ///
    /// @param line the address of this beat's line
    /// @param named the channel that the first beat names
    void writeSent(C1Tx c1, long line, int named, long request) {
        boolean isFlag = !flags.isEmpty() && flags.contains(line);
        if (isFlag && hasWriteSince(fences[VA])) {
            found(Violation.HAZ_FLAG_UNFENCED, c1, request, line, Answers.NONE);
        }
        if (!isFlag) {
            latestWrites[named] = request;
        }
        if (!tracking) {
            return;
        }
        int slot = lines.slot(line, this);
        if (lines.hasReads(slot)) {
            found(Violation.HAZ_WAR, c1, request, line, Answers.NONE);
        }
        long write = lines.write(slot);
        if (write != 0 && isOpenForWrite(write, physical(named))) {
            found(Violation.HAZ_WAW, c1, request, line, request(write));
        }
        lines.setWrite(slot, request << 5 | (long) named << 3 | 1);
    }

    /// So many lines of a write were answered by this channel.
    void writeAnswered(long line, int count, long request, int used) {
        int slot = lines.find(line);
        if (slot < 0) {
            return;
        }
        int end = Math.min(slot + count, lines.end(slot));
        for (int i = slot; i < end; i++) {
            long write = lines.write(i);
            if (write != 0 && request(write) == request) {
                boolean isDone = onlyLink != 0 || !isOpen(write);
                lines.setWrite(i, isDone ? 0 : write | (long) used << 1);
            }
        }
        lines.giveUp(slot);
    }

    /// A fence was sent.
    void fenceSent(int scope, long request) {
        fences[scope] = request;
    }

    /// A fence was answered.
    void fenceAnswered(long request, int scope) {
        answeredFences[scope] = Math.max(answeredFences[scope], request);
    }

    /// A faultless interrupt was sent.
    void interruptSent(C1Tx c1, long request) {
        for (int named = 0; named < fences.length; named++) {
            if (latestWrites[named] > Math.max(fences[VA], fences[named])) {
                found(
                        Violation.HAZ_INTR_UNFENCED,
                        c1,
                        request,
                        Report.NO_ADDRESS,
                        latestWrites[named]);
                return;
            }
        }
    }

    @Override
    public boolean isOpen(long write) {
        return request(write) >= answeredFences[VA];
    }

    @Override
    public boolean isAnswered(long write) {
        return answeredBy(write) != 0;
    }

    /// CCIP-ORD-44: on another channel the response of a write orders nothing.
    private boolean isOpenForRead(long write, int channel) {
        if (channel == 0 || !isOpen(write)) {
            return isOpen(write);
        }
        boolean isFenced = named(write) == channel && request(write) < answeredFences[channel];
        return answeredBy(write) != channel && !isFenced;
    }

    /// CCIP-ORD-12: on its own channel it does.
    private boolean isOpenForWrite(long write, int channel) {
        return request(write) >= fences[VA]
                && (named(write) == VA || request(write) >= fences[named(write)])
                && (channel == 0 || answeredBy(write) != channel);
    }

    private boolean hasWriteSince(long fence) {
        for (long write : latestWrites) {
            if (write > fence) {
                return true;
            }
        }
        return false;
    }

    /// CCIP-ORD-43: read and write of one line with no wait between.
    private void readAfterWrite(C0Tx c0, long request, long line, long write) {
        if (reporter.noted(Violation.HAZ_RAW)) {
            reporter.deliver(
                    Violation.HAZ_RAW,
                    Channel.TX_C0,
                    HeaderText.of(c0),
                    request,
                    line,
                    "C1 request " + request(write) + " is the write");
        }
    }

    private void found(Violation violation, C1Tx c1, long request, long line, long earlier) {
        if (reporter.noted(violation)) {
            reporter.deliver(
                    violation,
                    Channel.TX_C1,
                    HeaderText.of(c1),
                    request,
                    line,
                    earlier == Answers.NONE ? "" : "C1 request " + earlier + " is the write");
        }
    }

    private int physical(int named) {
        return named == VA ? onlyLink : named;
    }

    private static long request(long write) {
        return write >>> 5;
    }

    private static int named(long write) {
        return (int) write >> 3 & 3;
    }

    private static int answeredBy(long write) {
        return (int) write >> 1 & 3;
    }
}
