package dev.outboard.ccip.fiu;

import static dev.outboard.ccip.fiu.PendingRequest.READ;

import dev.outboard.ccip.platform.LinkParameters;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One realistic order: each request takes its link for as long as the link is wide, and comes back
/// after the latency of whatever served it, with all its lines at once. Links carry reads and
/// writes side by side. A write goes on when its last beat is there.
final class TimedSchedule implements Schedule {
    private static final int CHANNELS = VirtualChannel.values().length;
    private static final int VA = VirtualChannel.VA.code();
    private static final int WRLINE_M = WriteType.WRLINE_M.code();
    private static final int CYCLE = LinkParameters.CYCLE;

    /// The cycles that a request may be ahead, at most.
    private static final int HORIZON = 1 << 14;

    private final @Nullable LinkParameters[] links = new LinkParameters[CHANNELS];
    private final int[] channels;
    private final Caches caches;
    private final Chance chance;
    private final boolean measured;

    private long now;

    /// When a link is free again, in 1/256 cycles: reads, then writes.
    private final long[] freeAt = new long[2 * CHANNELS];

    /// Requests on each link: reads, then writes.
    private final int[] outstanding = new int[2 * CHANNELS];

    /// What VA has laid on each link so far, in 1/256 cycles: reads, then writes. The least gets
    /// the next request, so that each gets a share as large as its bandwidth.
    private final long[] laid = new long[2 * CHANNELS];

    private final @Nullable PendingRequest[] dueFirst = new PendingRequest[HORIZON];
    private final @Nullable PendingRequest[] dueLast = new PendingRequest[HORIZON];
    private int lastDelivery;

    /// @param measured whether writes wait for their responses before they reach memory
    TimedSchedule(Profile profile, Caches caches, Chance chance, boolean measured) {
        this.measured = measured;
        profile.links().forEach((channel, link) -> links[channel.code()] = link);
        channels = Schedule.channels(profile);
        this.caches = caches;
        this.chance = chance;
    }

    @Override
    public boolean admits(PendingRequest request) {
        if (!request.isComplete()) {
            return false;
        }
        if (request.channel == 0) {
            request.channel = (byte) steer(request);
        }
        int direction = direction(request);
        LinkParameters link = link(request.channel);
        if (outstanding[direction] == link.outstanding()
                || freeAt[direction] - now * CYCLE > (HORIZON / 2) * (long) CYCLE) {
            return false;
        }
        outstanding[direction]++;
        return true;
    }

    /// CCIP-VC-2, CCIP-VC-3a: VA takes the link that is laden least, by what its lines cost.
    private int steer(PendingRequest request) {
        if (request.named != VA) {
            return request.named;
        }
        int writes = request.kind == READ ? 0 : CHANNELS;
        int least = channels[0];
        for (int channel : channels) {
            if (laid[writes + channel] < laid[writes + least]) {
                least = channel;
            }
        }
        laid[writes + least] += duration(link(least), request.count);
        return least;
    }

    private LinkParameters link(int channel) {
        return Objects.requireNonNull(links[channel], "the port refuses a channel without a link");
    }

    private static int direction(PendingRequest request) {
        return request.kind == READ ? request.channel : CHANNELS + request.channel;
    }

    /// How long a request occupies a link that carries so many of its lines.
    ///
    /// CCIP-MCL-16: a request costs the link something besides its lines.
    private static int duration(LinkParameters link, int lines) {
        return link.cyclesPerRequest() + lines * link.cyclesPerLine();
    }

    @Override
    public void enter(PendingRequest request, int lines) {
        int direction = direction(request);
        LinkParameters link = link(request.channel);
        int latency = caches.latency(request, lines, link, chance);
        int carried = staysOnChip(request) ? lines & ~request.hits : lines;
        if (carried == 0) {
            fallDue(request, now + latency);
            return;
        }
        freeAt[direction] =
                Math.max(freeAt[direction], now * CYCLE)
                        + duration(link, Integer.bitCount(carried));
        fallDue(request, freeAt[direction] / CYCLE + latency);
    }

    /// Whether a hit in the FPGA cache is all there is to a line (CCI-P manual 1.2.3): it is read
    /// from there, or stays there after the write.
    ///
    /// CCIP-PLT-33c: what hits does not occupy the link.
    private static boolean staysOnChip(PendingRequest request) {
        return request.kind == READ || request.type == WRLINE_M;
    }

    private void fallDue(PendingRequest request, long cycle) {
        int bucket = (int) cycle & HORIZON - 1;
        PendingRequest last = dueLast[bucket];
        request.next = null;
        if (last == null) {
            dueFirst[bucket] = request;
        } else {
            last.next = request;
        }
        dueLast[bucket] = request;
    }

    @Override
    public void drained(PendingRequest request, int lines) {
        caches.drained(request, lines);
    }

    @Override
    public void completed(PendingRequest request) {
        outstanding[direction(request)]--;
    }

    @Override
    public void clock(MemoryPath path) {
        now++;
        if (measured) {
            drain(path);
        }
        int bucket = (int) now & HORIZON - 1;
        PendingRequest request = dueFirst[bucket];
        if (request == null) {
            return;
        }
        while (request != null) {
            PendingRequest next = request.next;
            path.pass(request, request.lines);
            request = next;
        }
        dueFirst[bucket] = null;
        dueLast[bucket] = null;
    }

    /// What waited for its response goes on.
    private void drain(MemoryPath path) {
        for (int channel : channels) {
            while (path.drains(channel)) {
                path.drain(channel);
            }
        }
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
            PendingRequest request = dueFirst[bucket];
            for (; request != null; request = request.next) {
                path.leavePool(request, request.lines);
            }
            dueFirst[bucket] = null;
            dueLast[bucket] = null;
        }
        Arrays.fill(outstanding, 0);
        Arrays.fill(freeAt, 0);
    }
}
