package dev.outboard.ccip.checker;

import static dev.outboard.ccip.checker.Outstanding.KIND_SHIFT;
import static dev.outboard.ccip.checker.Outstanding.PENDING;
import static dev.outboard.ccip.checker.Outstanding.VC_SHIFT;
import static dev.outboard.ccip.checker.Outstanding.WRITTEN_SHIFT;

import dev.outboard.ccip.wire.C0Rx;
import dev.outboard.ccip.wire.C1Response;
import dev.outboard.ccip.wire.VirtualChannel;
import java.util.Arrays;

/// Whether the FIU keeps the order that CCI-P promises (manual 1.3.13). It is judged by what the
/// FIU tells of the steps of each line and by when it answers; data are not compared, since the
/// processor may write the same lines at any time.
///
/// That a fence was answered early shows in a step that comes after the answer: no fence has to be
/// remembered but the latest that was answered.
final class OrderChecks {
    private static final int CHANNELS = VirtualChannel.values().length;
    private static final int VA = VirtualChannel.VA.code();
    private static final int INTERRUPT = C1Response.INTR.code();
    private static final int PASSED_SHIFT = 4;
    private static final int PASSED = (1 << PASSED_SHIFT) - 1;

    private final Reporter reporter;
    private final Outstanding reads;
    private final Outstanding writes;

    /// By scope, the latest fence that was answered, and the latest one that was reported.
    private final long[] answeredFences = new long[CHANNELS];

    private final long[] reportedFences = new long[CHANNELS];

    /// Of all scopes.
    private long latestFence = Answers.NONE;

    /// By physical channel, the lines of writes that were answered and are not in memory, in the
    /// order of the responses. Their mark is the first read that the AFU can have sent since.
    private final StepQueue[] answered = queues();

    /// By physical channel, the lines that were read and have not arrived, in that order. Their
    /// mark has a bit for each line that a later read of it passed, below the latest such read.
    private final StepQueue[] underway = queues();

    /// Whether the FIU tells of its steps at all.
    private boolean isTold;

    OrderChecks(Reporter reporter, Outstanding reads, Outstanding writes) {
        this.reporter = reporter;
        this.reads = reads;
        this.writes = writes;
        Arrays.fill(answeredFences, Answers.NONE);
        Arrays.fill(reportedFences, Answers.NONE);
    }

    private static StepQueue[] queues() {
        StepQueue[] queues = new StepQueue[CHANNELS];
        Arrays.setAll(queues, channel -> new StepQueue());
        return queues;
    }

    /// A reset ended: nothing from before it is in flight.
    void flush() {
        for (int channel = 0; channel < CHANNELS; channel++) {
            answered[channel].clear();
            underway[channel].clear();
        }
    }

    /// Lines of a write are at their point of observation, or an interrupt is on its way. This
    /// comes before the answer to any fence of its channel behind it, of an interrupt also of VA.
    void committed(long request) {
        isTold = true;
        if (request >= latestFence || !writes.knows(request)) {
            return;
        }
        int state = writes.state(request);
        int named = state >> VC_SHIFT & 3;
        boolean isInterrupt = (state >> KIND_SHIFT & 0xF) == INTERRUPT;
        if (named != VA && request < answeredFences[named]) {
            fenceWasEarly(named, request, "committed");
        } else if (isInterrupt && request < answeredFences[VA]) {
            fenceWasEarly(VA, request, "sent on");
        }
    }

    /// Lines of a write are in memory. This comes before the answer to any fence of VA behind it.
    void written(long request, int lines, int channel) {
        if (request < answeredFences[VA]) {
            fenceWasEarly(VA, request, "in memory");
        }
        int unanswered = 0;
        if (writes.knows(request)) {
            int state = writes.state(request);
            unanswered = state & PENDING & lines;
            writes.setState(request, state | unanswered << WRITTEN_SHIFT);
        }
        for (int left = lines & ~unanswered; left != 0; left &= left - 1) {
            int line = Integer.lowestOneBit(left);
            int position = answered[channel].find(request, line);
            if (position >= 0) {
                answered[channel].remove(position, line);
            }
        }
    }

    private void fenceWasEarly(int scope, long request, String step) {
        long fence = answeredFences[scope];
        if (fence != reportedFences[scope] && reporter.noted(Violation.FIU_FENCE_EARLY)) {
            reportedFences[scope] = fence;
            reporter.deliver(
                    Violation.FIU_FENCE_EARLY,
                    Channel.RX_C1,
                    "",
                    fence,
                    Report.NO_ADDRESS,
                    "C1 request " + request + " before the fence is " + step + " only now");
        }
    }

    /// Lines were read. They hold what was answered on the same channel before the read was sent.
    ///
    /// CCIP-ORD-46, CCIP-ORD-47: a read has nothing older than what the channel has given.
    void read(long request, int lines, int channel) {
        if (!reads.knows(request)) {
            return;
        }
        long address = ResponseChecks.lineAddress(reads, request);
        underway[channel].add(request, lines, address, 0);
        StepQueue behind = answered[channel];
        for (int i = 0; i < behind.size() && behind.mark(i) <= request; i++) {
            int common = behind.common(i, address, lines);
            if (common != 0) {
                long line = address + Integer.numberOfTrailingZeros(common);
                String write = "C1 request " + behind.request(i);
                stale(request, line, "", write + ", answered before, is not in memory");
                return;
            }
        }
    }

    /// A line of a read arrives: on its channel not before one with the same address that was read
    /// before it.
    void arrived(long request, int line, C0Rx c0) {
        StepQueue before = underway[c0.channelUsed()];
        int position = before.find(request, 1 << line);
        if (position < 0) {
            return;
        }
        long mark = before.mark(position);
        if ((mark & 1 << line) != 0) {
            long address = before.address(position) + line;
            String newer = "C0 request " + (mark >> PASSED_SHIFT);
            stale(request, address, HeaderText.of(c0), newer + " brought newer data before");
        }
        for (int i = 0; i < position; i++) {
            int passed = before.common(i, before.address(position), 1 << line);
            if (passed != 0) {
                long passedBefore = before.mark(i) & PASSED;
                before.mark(i, request << PASSED_SHIFT | passedBefore | passed);
            }
        }
        before.remove(position, 1 << line);
    }

    private void stale(long request, long address, String header, String detail) {
        if (reporter.noted(Violation.FIU_READ_STALE)) {
            reporter.deliver(
                    Violation.FIU_READ_STALE, Channel.RX_C0, header, request, address, detail);
        }
    }

    /// Lines of a write are answered.
    ///
    /// @param state of the write, before that
    void writeAnswered(long request, int lines, int state, int used) {
        int unwritten = lines & ~(state >> WRITTEN_SHIFT);
        if (isTold && unwritten != 0) {
            long address = ResponseChecks.lineAddress(writes, request);
            answered[used].add(request, unwritten, address, reads.count());
        }
    }

    /// A fence is answered.
    ///
    /// CCIP-ORD-20: a fence is answered when all before it is committed.
    void fenceAnswered(long request, int scope) {
        answeredFences[scope] = Math.max(answeredFences[scope], request);
        latestFence = Math.max(latestFence, request);
    }
}
