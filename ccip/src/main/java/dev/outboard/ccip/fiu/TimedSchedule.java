package dev.outboard.ccip.fiu;

import static dev.outboard.ccip.fiu.Lines.INTERRUPT;
import static dev.outboard.ccip.fiu.Lines.NONE;
import static dev.outboard.ccip.fiu.Lines.READ;

import dev.outboard.ccip.platform.LinkParameters;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.VirtualChannel;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One realistic order: each line takes its link for as long as the link is wide, and comes back
/// after the latency of whatever served it. Links carry reads and writes side by side.
final class TimedSchedule implements Schedule {
    private static final int CHANNELS = VirtualChannel.values().length;
    private static final int CYCLE = LinkParameters.CYCLE;

    /// The cycles that a line may be ahead, at most.
    private static final int HORIZON = 1 << 14;

    private final @Nullable LinkParameters[] links = new LinkParameters[CHANNELS];
    private final int[] channels;
    private final Caches caches;
    private final Chance chance;

    private long now;

    /// When a link is free again, in 1/256 cycles: reads, then writes.
    private final long[] freeAt = new long[2 * CHANNELS];

    /// Requests on each link: reads, then writes.
    private final int[] outstanding = new int[2 * CHANNELS];

    /// What VA has laid on each link so far, in 1/256 cycles: reads, then writes. The least gets
    /// the next request, so that each gets a share as large as its bandwidth.
    private final long[] laid = new long[2 * CHANNELS];

    private final int[] dueFirst = new int[HORIZON];
    private final int[] dueLast = new int[HORIZON];
    private int lastDelivery;

    TimedSchedule(Profile profile, Caches caches, Chance chance) {
        profile.links().forEach((channel, link) -> links[channel.code()] = link);
        this.channels =
                profile.channels().stream().mapToInt(VirtualChannel::code).sorted().toArray();
        this.caches = caches;
        this.chance = chance;
        Arrays.fill(dueFirst, NONE);
    }

    @Override
    public boolean admits(MemoryPath path, int slot) {
        Lines lines = path.lines;
        if (lines.number[slot] != 0) {
            lines.channel[slot] = lines.channel[lines.first[slot]];
            return true;
        }
        if (lines.channel[slot] == 0) {
            lines.channel[slot] = (byte) steer(lines, slot);
        }
        int direction = direction(lines, slot);
        LinkParameters link = link(lines.channel[slot]);
        if (outstanding[direction] == link.outstanding()
                || freeAt[direction] - now * CYCLE > (HORIZON / 2) * (long) CYCLE) {
            return false;
        }
        outstanding[direction]++;
        freeAt[direction] = Math.max(freeAt[direction], now * CYCLE) + link.cyclesPerRequest();
        return true;
    }

    private int steer(Lines lines, int slot) {
        if (lines.named[slot] != VirtualChannel.VA.code()) {
            return lines.named[slot];
        }
        int writes = lines.kind[slot] == READ ? 0 : CHANNELS;
        int least = channels[0];
        for (int channel : channels) {
            if (laid[writes + channel] < laid[writes + least]) {
                least = channel;
            }
        }
        LinkParameters link = link(least);
        laid[writes + least] +=
                link.cyclesPerRequest() + (long) lines.count[slot] * link.cyclesPerLine();
        return least;
    }

    private LinkParameters link(int channel) {
        return Objects.requireNonNull(links[channel], "the port refuses a channel without a link");
    }

    private static int direction(Lines lines, int slot) {
        return lines.kind[slot] == READ ? lines.channel[slot] : CHANNELS + lines.channel[slot];
    }

    @Override
    public void enter(MemoryPath path, int slot) {
        Lines lines = path.lines;
        int direction = direction(lines, slot);
        LinkParameters link = link(lines.channel[slot]);
        freeAt[direction] = Math.max(freeAt[direction], now * CYCLE) + link.cyclesPerLine();
        long due = freeAt[direction] / CYCLE + caches.latency(lines, slot, link, chance);
        int bucket = (int) Math.max(due, now + 1) & HORIZON - 1;
        lines.next[slot] = NONE;
        if (dueFirst[bucket] == NONE) {
            dueFirst[bucket] = slot;
        } else {
            lines.next[dueLast[bucket]] = slot;
        }
        dueLast[bucket] = slot;
    }

    @Override
    public void drained(MemoryPath path, int slot) {
        caches.drained(path.lines, slot);
    }

    @Override
    public void completed(MemoryPath path, int first) {
        outstanding[direction(path.lines, first)]--;
    }

    @Override
    public void clock(MemoryPath path) {
        now++;
        int bucket = (int) now & HORIZON - 1;
        int slot = dueFirst[bucket];
        while (slot != NONE) {
            int next = path.lines.next[slot];
            path.leavePool(slot);
            if (path.lines.kind[slot] != INTERRUPT) {
                path.drain(path.lines.channel[slot]);
            }
            slot = next;
        }
        dueFirst[bucket] = NONE;
    }

    @Override
    public int delivery(MemoryPath path) {
        for (int i = 1; i <= channels.length; i++) {
            int turn = (lastDelivery + i) % channels.length;
            if (path.downstream(channels[turn]) > 0) {
                lastDelivery = turn;
                return channels[turn];
            }
        }
        return NONE;
    }

    @Override
    public int answer(MemoryPath path) {
        return path.answerable() > 0 ? 0 : NONE;
    }

    @Override
    public void flush(MemoryPath path) {
        for (int bucket = 0; bucket < HORIZON; bucket++) {
            for (int slot = dueFirst[bucket]; slot != NONE; slot = path.lines.next[slot]) {
                path.leavePool(slot);
            }
            dueFirst[bucket] = NONE;
        }
        Arrays.fill(outstanding, 0);
        Arrays.fill(freeAt, 0);
    }
}
