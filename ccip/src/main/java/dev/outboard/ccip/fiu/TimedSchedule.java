package dev.outboard.ccip.fiu;

import static dev.outboard.ccip.fiu.PendingLine.READ;

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

    private final @Nullable PendingLine[] dueFirst = new PendingLine[HORIZON];
    private final @Nullable PendingLine[] dueLast = new PendingLine[HORIZON];
    private int lastDelivery;

    TimedSchedule(Profile profile, Caches caches, Chance chance) {
        profile.links().forEach((channel, link) -> links[channel.code()] = link);
        channels = Schedule.channels(profile);
        this.caches = caches;
        this.chance = chance;
    }

    @Override
    public boolean admits(PendingLine line) {
        if (line.number != 0) {
            line.channel = line.first.channel;
            return true;
        }
        if (line.channel == 0) {
            line.channel = (byte) steer(line);
        }
        int direction = direction(line);
        LinkParameters link = link(line.channel);
        if (outstanding[direction] == link.outstanding()
                || freeAt[direction] - now * CYCLE > (HORIZON / 2) * (long) CYCLE) {
            return false;
        }
        outstanding[direction]++;
        freeAt[direction] = Math.max(freeAt[direction], now * CYCLE) + link.cyclesPerRequest();
        return true;
    }

    private int steer(PendingLine line) {
        if (line.named != VirtualChannel.VA.code()) {
            return line.named;
        }
        int writes = line.kind == READ ? 0 : CHANNELS;
        int least = channels[0];
        for (int channel : channels) {
            if (laid[writes + channel] < laid[writes + least]) {
                least = channel;
            }
        }
        LinkParameters link = link(least);
        laid[writes + least] += link.cyclesPerRequest() + (long) line.count * link.cyclesPerLine();
        return least;
    }

    private LinkParameters link(int channel) {
        return Objects.requireNonNull(links[channel], "the port refuses a channel without a link");
    }

    private static int direction(PendingLine line) {
        return line.kind == READ ? line.channel : CHANNELS + line.channel;
    }

    @Override
    public void enter(PendingLine line) {
        int direction = direction(line);
        LinkParameters link = link(line.channel);
        int latency = latency(line, link);
        long due = now + latency;
        // A line read out of the FPGA cache does not occupy the link (CCI-P manual 1.2.3).
        if (line.kind != READ || !line.hit) {
            freeAt[direction] = Math.max(freeAt[direction], now * CYCLE) + link.cyclesPerLine();
            due = freeAt[direction] / CYCLE + latency;
        }
        int bucket = (int) Math.max(due, now + 1) & HORIZON - 1;
        PendingLine last = dueLast[bucket];
        line.next = null;
        if (last == null) {
            dueFirst[bucket] = line;
        } else {
            last.next = line;
        }
        dueLast[bucket] = line;
    }

    /// Lines of one request travel together, unless the FPGA cache serves only one of the two.
    private int latency(PendingLine line, LinkParameters link) {
        line.latency = caches.latency(line, link, chance);
        PendingLine first = line.first;
        return line.hit == first.hit ? first.latency : line.latency;
    }

    @Override
    public void drained(PendingLine line) {
        caches.drained(line);
    }

    @Override
    public void completed(PendingLine first) {
        outstanding[direction(first)]--;
    }

    @Override
    public void clock(MemoryPath path) {
        now++;
        int bucket = (int) now & HORIZON - 1;
        PendingLine line = dueFirst[bucket];
        while (line != null) {
            PendingLine next = line.next;
            path.pass(line);
            line = next;
        }
        dueFirst[bucket] = null;
        dueLast[bucket] = null;
    }

    @Override
    public int delivery(MemoryPath path) {
        int turn = lastDelivery;
        for (int i = 0; i < channels.length; i++) {
            turn = turn + 1 == channels.length ? 0 : turn + 1;
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
            for (PendingLine line = dueFirst[bucket]; line != null; line = line.next) {
                path.leavePool(line);
            }
            dueFirst[bucket] = null;
            dueLast[bucket] = null;
        }
        Arrays.fill(outstanding, 0);
        Arrays.fill(freeAt, 0);
    }
}
