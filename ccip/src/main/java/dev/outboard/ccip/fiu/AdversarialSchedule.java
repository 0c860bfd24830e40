package dev.outboard.ccip.fiu;

import static dev.outboard.ccip.fiu.PendingRequest.INTERRUPT;

import dev.outboard.ccip.platform.LinkParameters;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.VirtualChannel;

/// Any order that CCI-P allows, by seed, and rare ones more often than hardware would show them:
/// for a while, one kind of step on one channel is held up or hurried, and pools are served from
/// the front, from the back or anywhere.
final class AdversarialSchedule implements Schedule {
    private static final int CHANNELS = VirtualChannel.values().length;

    /// Requests that are admitted at a time, at most.
    private static final int ADMITTED = 256;

    private static final int[] ODDS = {0, 8, 64, 160, 256};
    private static final int LONGEST_MOOD = 9;
    private static final int LONGEST_RUN = 7;

    private enum Order {
        FIRST,
        LAST,
        ANY
    }

    private static final Order[] ORDERS = Order.values();

    private final int[] channels;
    private final Caches caches;
    private final LinkParameters link;
    private final Chance chance;

    /// Lines in the pool of each channel; the interrupts stand at 0.
    private final LineQueue[] pools = new LineQueue[CHANNELS];

    private final Order[] order = new Order[CHANNELS];
    private final int[] leaveOdds = new int[CHANNELS];
    private final int[] drainOdds = new int[CHANNELS];
    private final int[] deliverOdds = new int[CHANNELS];
    private int answerOdds;
    private int admitOdds;
    private int moodLeft;
    private int run;
    private int runChannel;
    private int admitted;

    AdversarialSchedule(Profile profile, Caches caches, Chance chance) {
        channels = Schedule.channels(profile);
        this.link = profile.links().values().iterator().next();
        this.caches = caches;
        this.chance = chance;
        for (int i = 0; i < CHANNELS; i++) {
            pools[i] = new LineQueue();
        }
        changeMood();
    }

    /// CCIP-MOD-6: what is rare comes often for a while.
    private void changeMood() {
        moodLeft = 1 + chance.below(1 << chance.below(LONGEST_MOOD));
        for (int channel = 0; channel < CHANNELS; channel++) {
            order[channel] = ORDERS[chance.below(ORDERS.length)];
            leaveOdds[channel] = odds();
            drainOdds[channel] = odds();
            deliverOdds[channel] = odds();
        }
        answerOdds = odds();
        admitOdds = odds();
    }

    private int odds() {
        return ODDS[chance.below(ODDS.length)];
    }

    /// CCIP-VC-1, CCIP-VC-8: each request of VA gets a channel of its own.
    @Override
    public boolean admits(PendingRequest request) {
        if (request.admitted != 0) {
            return chance.in256(Math.max(admitOdds, 8));
        }
        if (admitted == ADMITTED || !chance.in256(admitOdds)) {
            return false;
        }
        admitted++;
        request.channel = (byte) steer(request.named);
        return true;
    }

    /// CCIP-VC-3c, CCIP-VC-3d: VA goes anywhere, also many times to one link.
    private int steer(int named) {
        if (named != VirtualChannel.VA.code()) {
            return named;
        }
        if (run == 0) {
            run = 1 + chance.below(1 << chance.below(1 + chance.below(LONGEST_RUN)));
            runChannel = channels[chance.below(channels.length)];
        }
        run--;
        return runChannel;
    }

    @Override
    public void enter(PendingRequest request, int lines) {
        if (request.kind == INTERRUPT) {
            pools[0].add(request, lines);
            return;
        }
        caches.latency(request, lines, link, chance);
        for (int left = lines; left != 0; left &= left - 1) {
            pools[request.channel].add(request, Integer.lowestOneBit(left));
        }
    }

    @Override
    public void drained(PendingRequest request, int lines) {
        caches.drained(request, lines);
    }

    @Override
    public void completed(PendingRequest request) {
        admitted--;
    }

    @Override
    public void clock(MemoryPath path) {
        if (--moodLeft < 0) {
            changeMood();
        }
        for (int channel = 0; channel < CHANNELS; channel++) {
            while (!pools[channel].isEmpty() && chance.in256(leaveOdds[channel])) {
                path.leavePool(pools[channel], pick(channel));
                if (chance.in256(128)) {
                    break;
                }
            }
            while (path.drains(channel) && chance.in256(drainOdds[channel])) {
                path.drain(channel);
                if (chance.in256(128)) {
                    break;
                }
            }
        }
    }

    /// CCIP-RSP-3: lines leave in any order.
    private int pick(int channel) {
        return switch (order[channel]) {
            case FIRST -> 0;
            case LAST -> pools[channel].size() - 1;
            case ANY -> chance.below(pools[channel].size());
        };
    }

    @Override
    public int delivery(MemoryPath path) {
        int start = chance.below(channels.length);
        for (int i = 0; i < channels.length; i++) {
            int channel = channels[(start + i) % channels.length];
            if (path.downstream(channel) > 0 && chance.in256(deliverOdds[channel])) {
                return channel;
            }
        }
        return NONE;
    }

    /// CCIP-RSP-4: writes are answered in any order.
    @Override
    public int answer(MemoryPath path) {
        int count = path.answerable();
        return count > 0 && chance.in256(answerOdds) ? chance.below(count) : NONE;
    }

    @Override
    public void flush(MemoryPath path) {
        for (int channel = 0; channel < CHANNELS; channel++) {
            while (!pools[channel].isEmpty()) {
                path.leavePool(pools[channel], 0);
            }
        }
        admitted = 0;
    }
}
