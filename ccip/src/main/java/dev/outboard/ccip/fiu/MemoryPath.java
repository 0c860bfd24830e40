package dev.outboard.ccip.fiu;

import static dev.outboard.ccip.fiu.PendingRequest.FENCE;
import static dev.outboard.ccip.fiu.PendingRequest.INTERRUPT;
import static dev.outboard.ccip.fiu.PendingRequest.WRITE;

import dev.outboard.ccip.platform.ResponseFormat;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.VirtualChannel;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The ordering rules of CCI-P memory traffic (CCI-P manual 1.3.13), as a machine of small steps.
///
/// Each physical channel has a pool of lines that were admitted and have no order yet, a queue
/// upstream in which reads and writes pass to memory, and a queue downstream of lines that were
/// read. A step is taken by one line, or by several of the same request one after the other. A
/// write is at its channel's point of observation when it leaves the pool, and visible to everybody
/// when it leaves the queue; by [dev.outboard.ccip.platform.MemoryModel#MEASURED] not before it is
/// answered, and responses leave in the order in which what they answer came to pass. Whatever
/// order a [Schedule] chooses for the steps is one that CCI-P allows; TIMED and ADVERSARIAL runs
/// and the exhaustive search differ in nothing else.
final class MemoryPath {
    private static final int CHANNELS = VirtualChannel.values().length;
    private static final int VA = VirtualChannel.VA.code();
    private static final int VH0 = VirtualChannel.VH0.code();
    private static final int VL0 = VirtualChannel.VL0.code();

    final RequestPool requests = new RequestPool();
    private final Schedule schedule;
    private final MemoryEvents events;
    private final ResponseFormat format;
    private final boolean answersFaults;

    /// Whether a write is answered before anybody sees it, and all is answered in order.
    private final boolean measured;

    private final Chance chance;

    private final LineQueue arrivedReads = new LineQueue();
    private final LineQueue arrivedWrites = new LineQueue();
    private final LineQueue[] upstream = queues();
    private final LineQueue[] downstream = queues();
    private final LineQueue answerable = new LineQueue();

    /// Beats of writes, fences and interrupts that were not admitted.
    private int waitingBeats;

    /// Lines of writes that have not left their pool, by the channel that the AFU named.
    private final int[] pooledWrites = new int[CHANNELS];

    /// Lines of writes that were admitted and are not in memory.
    private int undrainedWrites;

    private int unissuedInterrupts;

    MemoryPath(Schedule schedule, MemoryEvents events, Parameters parameters, Chance chance) {
        this.schedule = schedule;
        this.events = events;
        this.format = parameters.format();
        this.answersFaults = parameters.answersFaults();
        this.measured = parameters.isMeasured();
        this.chance = chance;
    }

    private static LineQueue[] queues() {
        LineQueue[] queues = new LineQueue[CHANNELS];
        for (int i = 0; i < CHANNELS; i++) {
            queues[i] = new LineQueue();
        }
        return queues;
    }

    // What the port hands over.

    /// A read.
    void arriveRead(PendingRequest read) {
        arrivedReads.add(read, read.lines);
    }

    /// A line of a write, a fence or an interrupt, in the order of their beats.
    void arriveBeat(PendingRequest request, int line) {
        arrivedWrites.join(request, 1 << line);
        waitingBeats++;
    }

    int waitingReads() {
        return requests.isScarce() ? RequestPool.COUNT : arrivedReads.size();
    }

    int waitingBeats() {
        return requests.isScarce() ? RequestPool.COUNT : waitingBeats;
    }

    /// Nothing is in flight.
    boolean isIdle() {
        return requests.isIdle();
    }

    // Admission: from the queues of the port into the pools.

    /// Admits what may be admitted now: reads one after the other, writes one after the other up to
    /// a fence that is not done.
    ///
    /// CCIP-ORD-30: what comes after a fence waits for it, and reads do not.
    ///
    /// CCIP-ORD-22, CCIP-ORD-28: reads are another queue, to which a fence has no place.
    void admit() {
        while (!arrivedReads.isEmpty() && schedule.admits(arrivedReads.request(0))) {
            enter(arrivedReads);
        }
        while (!arrivedWrites.isEmpty() && admitsBeats(arrivedWrites.request(0))) {
            int beats = Integer.bitCount(arrivedWrites.lines(0));
            waitingBeats -= beats;
            admitted(arrivedWrites.request(0), beats);
        }
    }

    /// CCIP-ORM-1, CCIP-ORM-2: lines enter the pool of their channel.
    private void enter(LineQueue arrived) {
        PendingRequest request = arrived.request(0);
        int lines = arrived.lines(0);
        arrived.remove();
        request.admitted |= lines;
        schedule.enter(request, lines);
    }

    /// CCIP-ORD-20, CCIP-ORD-21: no write and no fence passes a fence.
    private boolean admitsBeats(PendingRequest request) {
        return switch (request.kind) {
            case FENCE -> isDone(request.named);
            case INTERRUPT -> true;
            default -> schedule.admits(request);
        };
    }

    private void admitted(PendingRequest request, int beats) {
        switch (request.kind) {
            case FENCE -> {
                arrivedWrites.remove();
                answerable.add(request, 1);
                return;
            }
            case INTERRUPT -> {
                request.channel = request.named == VA ? (byte) VH0 : request.named;
                unissuedInterrupts++;
            }
            default -> {
                if (request.admitted == 0) {
                    request.packed = isPacked(request.channel);
                }
                pooledWrites[request.named] += beats;
                undrainedWrites += beats;
            }
        }
        enter(arrivedWrites);
    }

    /// CCIP-RSP-11: packed on PCIe, line by line on UPI, unless a run sets it.
    private boolean isPacked(int channel) {
        return switch (format) {
            case BY_CHANNEL -> channel != VL0;
            case PACKED -> true;
            case UNPACKED -> false;
            case RANDOM -> chance.in256(128);
        };
    }

    /// A write breaks off: its other lines do not come.
    void truncate(PendingRequest write) {
        write.uncommitted &= write.lines;
        write.unwritten &= write.lines;
        write.unanswered &= write.lines;
        if (write.admitted != write.lines) {
            return;
        }
        if (write.packed && write.uncommitted == 0) {
            answerable.add(write, write.lines);
        } else if (write.unanswered == 0) {
            schedule.completed(write);
            settle(write);
        }
    }

    /// Whether everything before a fence of this scope is done: of one channel its writes are at
    /// their point of observation, of VA all writes are in memory (CCI-P manual 1.3.13.1.1); and no
    /// interrupt is left.
    ///
    /// CCIP-ORD-23, CCIP-ORD-24, CCIP-ORD-25: vc_sel is the scope, and VA covers all channels.
    ///
    /// CCIP-ORD-14, CCIP-ORD-26: the fence of VA is answered when all is in memory.
    ///
    /// CCIP-ORD-29: with nothing to wait for it is done at once.
    ///
    /// CCIP-ORM-8, CCIP-ORM-9, CCIP-ORM-10: what a fence waits for, interrupts included.
    ///
    /// CCIP-ORD-31: on a channel, local commit is enough.
    private boolean isDone(int scope) {
        return unissuedInterrupts == 0
                && (scope == VA ? undrainedWrites == 0 : pooledWrites[scope] == 0);
    }

    // The steps that a schedule takes.

    /// Lines leave their pool for the queue upstream of their channel, an interrupt for the
    /// processor. A write or interrupt may be answered from now on.
    ///
    /// CCIP-ORM-3, CCIP-ORM-4: any line of a pool goes to the tail of its channel's queue.
    void leavePool(PendingRequest request, int lines) {
        leave(request, lines);
        if (request.kind != INTERRUPT) {
            upstream[request.channel].add(request, lines);
        }
    }

    /// The same for the lines at this position of a schedule's pool, from which they are taken.
    void leavePool(LineQueue pool, int position) {
        PendingRequest request = pool.request(position);
        int lines = pool.lines(position);
        pool.remove(position);
        leavePool(request, lines);
    }

    /// Lines leave their pool and, since nothing is upstream of their channel, reach memory at
    /// once; unless others might see a write that is not answered.
    ///
    /// CCIP-ORM-23: by the measured model nobody sees what is not answered.
    void pass(PendingRequest request, int lines) {
        if (measured) {
            leavePool(request, lines);
            return;
        }
        leave(request, lines);
        if (request.kind != INTERRUPT) {
            reach(request, lines);
        }
    }

    /// CCIP-ORD-10: a write may be answered at its channel's point of observation.
    private void leave(PendingRequest request, int lines) {
        if (request.kind == WRITE) {
            pooledWrites[request.named] -= Integer.bitCount(lines);
            events.committed(request);
            request.uncommitted &= ~lines;
            mayBeAnswered(request, lines);
        } else if (request.kind == INTERRUPT) {
            unissuedInterrupts--;
            answerable.add(request, 1);
            events.committed(request);
            events.interrupt(request.mdata);
        }
    }

    /// CCIP-RSP-9, CCIP-RSP-10: one response for each line, or one when all are committed.
    private void mayBeAnswered(PendingRequest write, int committed) {
        if (!write.packed) {
            for (int left = committed; left != 0; left &= left - 1) {
                answerable.add(write, Integer.lowestOneBit(left));
            }
        } else if (write.uncommitted == 0) {
            answerable.add(write, write.unanswered);
        }
    }

    /// Whether there is something upstream that may reach memory now.
    ///
    /// CCIP-ORD-13: what was answered may still be on its way to memory.
    boolean drains(int channel) {
        LineQueue queue = upstream[channel];
        return !queue.isEmpty() && (!measured || isVisible(queue.request(0), queue.lines(0)));
    }

    private static boolean isVisible(PendingRequest first, int lines) {
        return first.kind != WRITE || (first.unanswered & lines) == 0;
    }

    int downstream(int channel) {
        return downstream[channel].size();
    }

    /// What is first upstream reaches memory.
    ///
    /// CCIP-ORD-11, CCIP-ORD-12: upstream of a channel one line comes after the other.
    void drain(int channel) {
        LineQueue queue = upstream[channel];
        PendingRequest request = queue.request(0);
        int lines = queue.lines(0);
        queue.remove();
        reach(request, lines);
    }

    /// A write changes memory, a read takes its lines along downstream. Without memory, or if that
    /// went away while the request was in flight, nothing is stored, and a read is not answered, or
    /// with garbage.
    ///
    /// CCIP-MCL-14, CCIP-MCL-15: each line becomes visible by itself, once its beat is there.
    ///
    /// CCIP-ORM-5, CCIP-ORM-6: the head of a queue changes memory, or is filled from it.
    private void reach(PendingRequest request, int lines) {
        Mapping mapping = memory(request, lines);
        if (request.kind == WRITE) {
            if (mapping != null) {
                write(mapping, request, lines);
                schedule.drained(request, lines);
            }
            undrainedWrites -= Integer.bitCount(lines);
            events.reachedMemory(request, lines);
            request.unwritten &= ~lines;
            settle(request);
        } else if (mapping != null) {
            read(mapping, request, lines);
            schedule.drained(request, lines);
            events.reachedMemory(request, lines);
            downstream[request.channel].add(request, lines);
        } else if (answersFaults) {
            garble(request, lines);
            downstream[request.channel].add(request, lines);
        } else {
            readDone(request, lines);
        }
    }

    /// CCIP-HST-6: memory that went away meanwhile is reported, and not touched.
    private @Nullable Mapping memory(PendingRequest request, int lines) {
        Mapping mapping = request.mapping;
        if (mapping != null && !mapping.isLive()) {
            events.unmappedInFlight(request, lines);
            return null;
        }
        return mapping;
    }

    private static void read(Mapping mapping, PendingRequest request, int lines) {
        for (int left = lines; left != 0; left &= left - 1) {
            int line = PendingRequest.lowest(left);
            mapping.read(request.address + line, request.data, PendingRequest.at(line));
        }
    }

    private void garble(PendingRequest read, int lines) {
        for (int left = lines; left != 0; left &= left - 1) {
            chance.fillLine(read.data, PendingRequest.at(PendingRequest.lowest(left)));
        }
    }

    /// CCIP-BYT-3: a byte goes to its place in the line.
    private static void write(Mapping mapping, PendingRequest request, int lines) {
        if (request.length != Line.BYTES) {
            mapping.writeBytes(request.address, request.data, 0, request.start, request.length);
            return;
        }
        for (int left = lines; left != 0; left &= left - 1) {
            int line = PendingRequest.lowest(left);
            mapping.write(request.address + line, request.data, PendingRequest.at(line));
        }
    }

    private void settle(PendingRequest write) {
        if ((write.unwritten | write.unanswered) == 0) {
            requests.release(write);
        }
    }

    /// The read of which a line came downstream first; [#delivered] takes that line away.
    PendingRequest deliverable(int channel) {
        return downstream[channel].request(0);
    }

    /// Which line of [#deliverable] it is.
    int deliverableLine(int channel) {
        return PendingRequest.lowest(downstream[channel].lines(0));
    }

    /// The first line downstream was put on the wires.
    ///
    /// CCIP-ORM-7: the head of what came down is the response on C0.
    void delivered(int channel) {
        PendingRequest read = deliverable(channel);
        int line = 1 << deliverableLine(channel);
        downstream[channel].takeLine();
        readDone(read, line);
    }

    private void readDone(PendingRequest read, int lines) {
        read.unanswered &= ~lines;
        if (read.unanswered == 0) {
            schedule.completed(read);
            requests.release(read);
        }
    }

    /// How many responses may be sent now: any of these.
    int answerable() {
        return measured ? Math.min(1, answerable.size()) : answerable.size();
    }

    /// What [#answered] at this position answers.
    PendingRequest answer(int position) {
        return answerable.request(position);
    }

    /// The lines of it that [#answered] at this position answers.
    int answerLines(int position) {
        return answerable.lines(position);
    }

    /// A write, fence or interrupt was answered on the wires.
    void answered(int position) {
        PendingRequest request = answerable.request(position);
        int lines = answerable.lines(position);
        answerable.remove(position);
        request.unanswered &= ~lines;
        if (request.kind != WRITE) {
            requests.release(request);
            return;
        }
        if (request.unanswered == 0) {
            schedule.completed(request);
            settle(request);
        }
    }

    /// Equal for equal states of what has left the pools or not reached them, and hardly for
    /// others.
    long digest() {
        long digest = OrderingMachine.mix(arrivedReads.digest(), arrivedWrites.digest());
        for (int channel = 0; channel < CHANNELS; channel++) {
            digest = OrderingMachine.mix(digest, upstream[channel].digest());
            digest = OrderingMachine.mix(digest, downstream[channel].digest());
            for (int i = 0; i < downstream[channel].size(); i++) {
                digest = mixData(digest, downstream[channel], i);
            }
        }
        return OrderingMachine.mix(
                digest, measured ? answerable.digest() : answerable.digestInAnyOrder());
    }

    private static long mixData(long digest, LineQueue read, int position) {
        long mixed = digest;
        for (int left = read.lines(position); left != 0; left &= left - 1) {
            int at = PendingRequest.at(PendingRequest.lowest(left));
            for (int i = at; i < at + Line.LONGS; i++) {
                mixed = OrderingMachine.mix(mixed, read.request(position).data[i]);
            }
        }
        return mixed;
    }

    /// Ends everything: what has a place in memory order is written, all else is forgotten.
    ///
    /// CCIP-RST-6: no response to a request from before a reset comes after it.
    void flush() {
        schedule.flush(this);
        for (int channel = 0; channel < CHANNELS; channel++) {
            while (!upstream[channel].isEmpty()) {
                drain(channel);
            }
            downstream[channel].clear();
        }
        arrivedReads.clear();
        arrivedWrites.clear();
        waitingBeats = 0;
        answerable.clear();
        Arrays.fill(pooledWrites, 0);
        undrainedWrites = 0;
        unissuedInterrupts = 0;
        requests.releaseAll();
    }
}
