package dev.outboard.ccip.fiu;

import static dev.outboard.ccip.fiu.Lines.FENCE;
import static dev.outboard.ccip.fiu.Lines.INTERRUPT;
import static dev.outboard.ccip.fiu.Lines.READ;
import static dev.outboard.ccip.fiu.Lines.WRITE;

import dev.outboard.ccip.platform.ResponseFormat;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.VirtualChannel;
import java.util.Arrays;

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
    private static final int VL0 = VirtualChannel.VL0.code();

    /// What a line waits for before its slot is free.
    private static final byte DRAIN = 1;

    private static final byte RESPONSE = 2;

    final Lines lines = new Lines();
    private final Schedule schedule;
    private final MemoryEvents events;
    private final ResponseFormat format;
    private final Chance chance;

    private final IntQueue arrivedReads = new IntQueue(Lines.COUNT);
    private final IntQueue arrivedWrites = new IntQueue(Lines.COUNT);
    private final IntQueue[] upstream = queues();
    private final IntQueue[] downstream = queues();
    private final IntQueue answerable = new IntQueue(Lines.COUNT);

    /// Writes that have not left their pool, by the channel that the AFU named.
    private final int[] pooledWrites = new int[CHANNELS];

    private int undrainedWrites;
    private int unissuedInterrupts;

    MemoryPath(Schedule schedule, MemoryEvents events, ResponseFormat format, Chance chance) {
        this.schedule = schedule;
        this.events = events;
        this.format = format;
        this.chance = chance;
    }

    private static IntQueue[] queues() {
        IntQueue[] queues = new IntQueue[CHANNELS];
        for (int i = 0; i < CHANNELS; i++) {
            queues[i] = new IntQueue(Lines.COUNT);
        }
        return queues;
    }

    // What the port hands over.

    /// A line of a read, or a fence, interrupt or line of a write, in the order of its Tx channel.
    void arrive(int slot) {
        (lines.kind[slot] == READ ? arrivedReads : arrivedWrites).add(slot);
    }

    int waitingReads() {
        return arrivedReads.size();
    }

    int waitingWrites() {
        return arrivedWrites.size();
    }

    /// Nothing is in flight.
    boolean isIdle() {
        return lines.freeCount() == Lines.COUNT;
    }

    // Admission: from the queues of the port into the pools.

    /// Admits what may be admitted now: reads one after the other, writes one after the other up to
    /// a fence that is not done.
    void admit() {
        while (!arrivedReads.isEmpty() && schedule.admits(this, arrivedReads.get(0))) {
            schedule.enter(this, arrivedReads.take());
        }
        while (!arrivedWrites.isEmpty() && admitWrite(arrivedWrites.get(0))) {
            arrivedWrites.take();
        }
    }

    private boolean admitWrite(int slot) {
        switch (lines.kind[slot]) {
            case FENCE -> {
                if (!isDone(lines.named[slot])) {
                    return false;
                }
                answerable.add(slot);
            }
            case INTERRUPT -> {
                unissuedInterrupts++;
                schedule.enter(this, slot);
            }
            default -> {
                if (!schedule.admits(this, slot)) {
                    return false;
                }
                if (lines.number[slot] == 0) {
                    lines.packed[slot] = isPacked(lines.channel[slot]);
                }
                pooledWrites[lines.named[slot]]++;
                undrainedWrites++;
                schedule.enter(this, slot);
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
    void truncate(int first, int missing) {
        lines.open[first] -= (byte) missing;
        lines.unanswered[first] -= (byte) missing;
        lines.held[first] -= (byte) (missing - 1);
        if (lines.packed[first] && lines.open[first] == 0) {
            answerable.add(first);
        } else if (lines.unanswered[first] == 0) {
            schedule.completed(this, first);
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
    void leavePool(int slot) {
        if (lines.kind[slot] == INTERRUPT) {
            unissuedInterrupts--;
            answerable.add(slot);
            events.interrupt(lines.mdata[slot]);
            return;
        }
        upstream[lines.channel[slot]].add(slot);
        if (lines.kind[slot] == WRITE) {
            pooledWrites[lines.named[slot]]--;
            committed(slot);
        }
    }

    private void committed(int slot) {
        int first = lines.first[slot];
        lines.open[first]--;
        if (!lines.packed[first]) {
            lines.pending[slot] = DRAIN | RESPONSE;
            answerable.add(slot);
            return;
        }
        lines.pending[slot] = slot == first ? DRAIN | RESPONSE : DRAIN;
        lines.hit[first] &= lines.hit[slot];
        if (lines.open[first] == 0) {
            answerable.add(first);
        }
    }

    int upstream(int channel) {
        return upstream[channel].size();
    }

    int downstream(int channel) {
        return downstream[channel].size();
    }

    /// The first line upstream reaches memory: a write changes it, a read takes its line along
    /// downstream.
    void drain(int channel) {
        int slot = upstream[channel].take();
        Mapping mapping = lines.mapping[slot];
        if (mapping == null || !mapping.isLive()) {
            events.unmappedInFlight(lines, slot);
            lost(slot);
        } else if (lines.kind[slot] == WRITE) {
            store(mapping, slot);
            undrainedWrites--;
            schedule.drained(this, slot);
            settled(slot, DRAIN);
        } else {
            mapping.read(lines.address[slot], lines.data, Lines.dataIndex(slot));
            schedule.drained(this, slot);
            downstream[channel].add(slot);
        }
    }

    private void store(Mapping mapping, int slot) {
        int at = Lines.dataIndex(slot);
        if (lines.length[slot] == Line.BYTES) {
            mapping.write(lines.address[slot], lines.data, at);
        } else {
            mapping.writeBytes(
                    lines.address[slot], lines.data, at, lines.start[slot], lines.length[slot]);
        }
    }

    /// A line whose memory went away while it was in flight: nothing is stored, and a read is not
    /// answered.
    private void lost(int slot) {
        if (lines.kind[slot] == WRITE) {
            undrainedWrites--;
            settled(slot, DRAIN);
        } else {
            readDone(slot);
        }
    }

    private void settled(int slot, byte what) {
        lines.pending[slot] &= (byte) ~what;
        if (lines.pending[slot] == 0) {
            lines.release(slot);
        }
    }

    /// The line that came downstream first; [#delivered] takes it away.
    int deliverable(int channel) {
        return downstream[channel].get(0);
    }

    /// The first line downstream was put on the wires.
    void delivered(int channel) {
        readDone(downstream[channel].take());
    }

    private void readDone(int slot) {
        int first = lines.first[slot];
        if (--lines.open[first] == 0) {
            schedule.completed(this, first);
        }
        lines.release(slot);
    }

    int answerable() {
        return answerable.size();
    }

    /// The slot that [#answered] at this position answers.
    int answer(int position) {
        return answerable.get(position);
    }

    /// A write, fence or interrupt was answered on the wires.
    void answered(int position) {
        int slot = answerable.take(position);
        if (lines.kind[slot] != WRITE) {
            lines.release(slot);
            return;
        }
        int first = lines.first[slot];
        if (lines.packed[first] || --lines.unanswered[first] == 0) {
            schedule.completed(this, first);
        }
        settled(slot, RESPONSE);
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
