package dev.outboard.dpa.machine.turns;

import java.util.Arrays;

/// Whether an actor only looks at the same few words again and again and finds them as they were.
/// Then it is in a poll loop and gets short turns; and once it has looked at everything since
/// anything has changed at all, it sleeps until something changes.
final class PollWatch {
    /// How many words one poll loop may look at.
    private static final int WORDS = 4;

    /// So many looks in vain are at least one round of a poll loop, and two of most.
    static final int ROUND = 2 * WORDS;

    /// After so many looks in vain nothing will come any more: enough for a loop that counts its
    /// rounds in a way that nobody sees to end first.
    private static final int PATIENCE = 4000;

    /// The same of a loop that is known to do more than look.
    private static final int PATIENCE_WITH_COUNTING = 1_000_000;

    /// What is no version.
    private static final long NEVER = -1;

    private final long[] addresses = new long[WORDS];
    private final long[] values = new long[WORDS];
    private int next;

    /// Looks in a row that have told it nothing new.
    private int streak;

    /// Those of them since the latest change of anything.
    private int looks;

    private long seenVersion = NEVER;

    /// Whether one of the looks since the last fresh one was in a loop that does more than look.
    private boolean counting;

    /// The actor has loaded.
    ///
    /// @param counting whether it is known to do more than look in the loop around, if any; of a
    ///   load of the device library nobody knows
    void load(long address, long value, long version, boolean counting) {
        this.counting |= counting;
        for (int i = 0; i < WORDS; i++) {
            if (addresses[i] == address && values[i] == value) {
                look(1, version);
                return;
            }
        }
        this.counting = counting;
        addresses[next] = address;
        values[next] = value;
        next = (next + 1) % WORDS;
        streak = 0;
        looks = 0;
    }

    /// The actor has said that it has nothing to do. Two such moments have a round between them.
    void pause(long version) {
        look(ROUND / 2, version);
    }

    private void look(int count, long version) {
        if (seenVersion != version) {
            seenVersion = version;
            looks = 0;
        }
        streak += count;
        looks += count;
    }

    /// The actor has done something else that matters.
    void reset() {
        if (seenVersion != NEVER || streak > 0 || addresses[0] != 0) {
            Arrays.fill(addresses, 0);
            streak = 0;
            looks = 0;
            seenVersion = NEVER;
        }
    }

    /// Whether it is in a poll loop.
    boolean isPolling() {
        return streak >= ROUND;
    }

    /// Whether it knows that nothing has changed that it waits for.
    boolean isAsleep(long version) {
        return looks >= ROUND && seenVersion == version;
    }

    /// Whether it has not looked long enough to be sure that nothing will change.
    boolean looksOn(long version) {
        return seenVersion != version || looks < (counting ? PATIENCE_WITH_COUNTING : PATIENCE);
    }
}
