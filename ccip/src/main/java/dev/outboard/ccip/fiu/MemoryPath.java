package dev.outboard.ccip.fiu;

import static dev.outboard.ccip.fiu.PendingLine.FENCE;
import static dev.outboard.ccip.fiu.PendingLine.INTERRUPT;
import static dev.outboard.ccip.fiu.PendingLine.READ;
import static dev.outboard.ccip.fiu.PendingLine.WRITE;

import dev.outboard.ccip.platform.ResponseFormat;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.VirtualChannel;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The ordering rules of CCI-P memory traffic (CCI-P manual 1.3.13), as a machine of small steps.
///
/// Each physical channel has a pool of lines that were admitted and have no order yet, a queue
/// upstream in which reads and writes pass to memory one by one, and a queue downstream of lines
/// that were read. A write is at its channel's point of observation when it leaves the pool, and
/// visible to everybody when it leaves the queue. Whatever order a [Schedule] chooses for the steps
/// is one that CCI-P allows; TIMED and ADVERSARIAL runs and the exhaustive search differ in nothing
/// else.
final class MemoryPath {
    private static final int CHANNELS = VirtualChannel.values().length;
    private static final int VA = VirtualChannel.VA.code();
    private static final int VH0 = VirtualChannel.VH0.code();
    private static final int VL0 = VirtualChannel.VL0.code();

    /// What a line of a write waits for before it is released.
    private static final byte DRAIN = 1;

    private static final byte RESPONSE = 2;

    final LinePool lines = new LinePool();
    private final Schedule schedule;
    private final MemoryEvents events;
    private final ResponseFormat format;
    private final boolean answersFaults;
    private final Chance chance;

    private final LineQueue arrivedReads = new LineQueue();
    private final LineQueue arrivedWrites = new LineQueue();
    private final LineQueue[] upstream = queues();
    private final LineQueue[] downstream = queues();
    private final LineQueue answerable = new LineQueue();

    /// Writes that have not left their pool, by the channel that the AFU named.
    private final int[] pooledWrites = new int[CHANNELS];

    private int undrainedWrites;
    private int unissuedInterrupts;

    MemoryPath(Schedule schedule, MemoryEvents events, Parameters parameters, Chance chance) {
        this.schedule = schedule;
        this.events = events;
        this.format = parameters.format();
        this.answersFaults = parameters.answersFaults();
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

    /// A line of a read, or a fence, interrupt or line of a write, in the order of its Tx channel.
    void arrive(PendingLine line) {
        (line.kind == READ ? arrivedReads : arrivedWrites).add(line);
    }

    int waitingReads() {
        return lines.isScarce() ? LinePool.COUNT : arrivedReads.size();
    }

    int waitingWrites() {
        return lines.isScarce() ? LinePool.COUNT : arrivedWrites.size();
    }

    /// Nothing is in flight.
    boolean isIdle() {
        return lines.isIdle();
    }

    // Admission: from the queues of the port into the pools.

    /// Admits what may be admitted now: reads one after the other, writes one after the other up to
    /// a fence that is not done.
    void admit() {
        while (!arrivedReads.isEmpty() && schedule.admits(arrivedReads.get(0))) {
            schedule.enter(arrivedReads.take());
        }
        while (!arrivedWrites.isEmpty() && admitWrite(arrivedWrites.get(0))) {
            arrivedWrites.take();
        }
    }

    private boolean admitWrite(PendingLine line) {
        switch (line.kind) {
            case FENCE -> {
                if (!isDone(line.named)) {
                    return false;
                }
                answerable.add(line);
            }
            case INTERRUPT -> {
                line.channel = line.named == VA ? (byte) VH0 : line.named;
                unissuedInterrupts++;
                schedule.enter(line);
            }
            default -> {
                if (!schedule.admits(line)) {
                    return false;
                }
                if (line.number == 0) {
                    line.packed = isPacked(line.channel);
                }
                pooledWrites[line.named]++;
                undrainedWrites++;
                schedule.enter(line);
            }
        }
        return true;
    }

    private boolean isPacked(int channel) {
        return switch (format) {
            case BY_CHANNEL -> channel != VL0;
            case PACKED -> true;
            case UNPACKED -> false;
            case RANDOM -> chance.in256(128);
        };
    }

    /// A write breaks off: `missing` of its lines do not come.
    void truncate(PendingLine first, int missing) {
        first.open -= (byte) missing;
        first.unanswered -= (byte) missing;
        first.held -= (byte) (missing - 1);
        if (first.packed && first.open == 0) {
            answerable.add(first);
        } else if (first.unanswered == 0) {
            schedule.completed(first);
        }
        lines.unhold(first);
    }

    /// Whether everything before a fence of this scope is done: of one channel its writes are at
    /// their point of observation, of VA all writes are in memory (CCI-P manual 1.3.13.1.1); and no
    /// interrupt is left.
    private boolean isDone(int scope) {
        return unissuedInterrupts == 0
                && (scope == VA ? undrainedWrites == 0 : pooledWrites[scope] == 0);
    }

    // The steps that a schedule takes.

    /// A line leaves its pool for the queue upstream of its channel, an interrupt for the
    /// processor. A write or interrupt may be answered from now on.
    void leavePool(PendingLine line) {
        leave(line);
        if (line.kind != INTERRUPT) {
            upstream[line.channel].add(line);
        }
    }

    /// A line leaves its pool and, since nothing is upstream of its channel, reaches memory at
    /// once.
    void pass(PendingLine line) {
        leave(line);
        if (line.kind != INTERRUPT) {
            reach(line);
        }
    }

    private void leave(PendingLine line) {
        if (line.kind == WRITE) {
            pooledWrites[line.named]--;
            committed(line);
        } else if (line.kind == INTERRUPT) {
            unissuedInterrupts--;
            answerable.add(line);
            events.committed(line);
            events.interrupt(line.mdata);
        }
    }

    private void committed(PendingLine line) {
        events.committed(line);
        PendingLine first = line.first;
        first.open--;
        if (!first.packed) {
            line.pending = DRAIN | RESPONSE;
            answerable.add(line);
            return;
        }
        line.pending = line == first ? DRAIN | RESPONSE : DRAIN;
        first.hit &= line.hit;
        if (first.open == 0) {
            answerable.add(first);
        }
    }

    int upstream(int channel) {
        return upstream[channel].size();
    }

    int downstream(int channel) {
        return downstream[channel].size();
    }

    /// The first line upstream reaches memory.
    void drain(int channel) {
        reach(upstream[channel].take());
    }

    /// A write changes memory, a read takes its line along downstream. Without memory, or if that
    /// went away while the line was in flight, nothing is stored, and a read is not answered, or
    /// with garbage.
    private void reach(PendingLine line) {
        Mapping mapping = memory(line);
        if (mapping != null) {
            transfer(mapping, line);
            schedule.drained(line);
        }
        if (line.kind == WRITE) {
            undrainedWrites--;
            events.reachedMemory(line);
            settled(line, DRAIN);
        } else if (mapping != null) {
            events.reachedMemory(line);
            downstream[line.channel].add(line);
        } else if (answersFaults) {
            chance.fill(line.data);
            downstream[line.channel].add(line);
        } else {
            readDone(line);
        }
    }

    private @Nullable Mapping memory(PendingLine line) {
        Mapping mapping = line.mapping;
        if (mapping != null && !mapping.isLive()) {
            events.unmappedInFlight(line);
            return null;
        }
        return mapping;
    }

    private static void transfer(Mapping mapping, PendingLine line) {
        if (line.kind == READ) {
            mapping.read(line.address, line.data, 0);
        } else if (line.length == Line.BYTES) {
            mapping.write(line.address, line.data, 0);
        } else {
            mapping.writeBytes(line.address, line.data, 0, line.start, line.length);
        }
    }

    private void settled(PendingLine line, byte what) {
        line.pending &= (byte) ~what;
        if (line.pending == 0) {
            lines.release(line);
        }
    }

    /// The line that came downstream first; [#delivered] takes it away.
    PendingLine deliverable(int channel) {
        return downstream[channel].get(0);
    }

    /// The first line downstream was put on the wires.
    void delivered(int channel) {
        readDone(downstream[channel].take());
    }

    private void readDone(PendingLine line) {
        PendingLine first = line.first;
        if (--first.open == 0) {
            schedule.completed(first);
        }
        lines.release(line);
    }

    int answerable() {
        return answerable.size();
    }

    /// The line that [#answered] at this position answers.
    PendingLine answer(int position) {
        return answerable.get(position);
    }

    /// A write, fence or interrupt was answered on the wires.
    void answered(int position) {
        PendingLine line = answerable.take(position);
        if (line.kind != WRITE) {
            lines.release(line);
            return;
        }
        PendingLine first = line.first;
        if (first.packed || --first.unanswered == 0) {
            schedule.completed(first);
        }
        settled(line, RESPONSE);
    }

    /// Equal for equal states of what has left the pools or not reached them, and hardly for
    /// others.
    long digest() {
        long digest = OrderingMachine.mix(arrivedReads.digest(), arrivedWrites.digest());
        for (int channel = 0; channel < CHANNELS; channel++) {
            digest = OrderingMachine.mix(digest, upstream[channel].digest());
            digest = OrderingMachine.mix(digest, downstream[channel].digest());
            for (int i = 0; i < downstream[channel].size(); i++) {
                digest =
                        OrderingMachine.mix(
                                digest, Arrays.hashCode(downstream[channel].get(i).data));
            }
        }
        long inAnyOrder = 0;
        for (int i = 0; i < answerable.size(); i++) {
            inAnyOrder += OrderingMachine.mix(0, answerable.get(i).digest());
        }
        return OrderingMachine.mix(digest, inAnyOrder);
    }

    /// Ends everything: what has a place in memory order is written, all else is forgotten (CCI-P
    /// manual 1.3.11: no response to a request from before a reset comes after it).
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
        answerable.clear();
        Arrays.fill(pooledWrites, 0);
        undrainedWrites = 0;
        unissuedInterrupts = 0;
        lines.releaseAll();
    }
}
