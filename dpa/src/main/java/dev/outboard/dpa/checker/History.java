package dev.outboard.dpa.checker;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// How an actor came to know what others did: for each of them, the last few times that it learned
/// of something new. For reports, which name the announcement.
final class History {
    private static final int SIZE = 4;
    private static final int NUMBERS = 6;

    private long[] @Nullable [] epochs;
    private int[] @Nullable [] numbers;
    private long[] counts;

    /// One time.
    ///
    /// @param epoch the last event of the other one that was learned of
    /// @param site where that event stands
    /// @param kind what it is, an [AddressKind]
    /// @param direct whether it was read itself, and not heard of through somebody else
    /// @param via who was heard of
    /// @param viaSite where the store or announcement of that one stands
    /// @param learned where the actor learned it
    record Lesson(
            long epoch, int site, int kind, boolean direct, int via, int viaSite, int learned) {}

    History(int actors) {
        epochs = new long[actors] @Nullable [];
        numbers = new int[actors] @Nullable [];
        counts = new long[actors];
    }

    /// There are so many actors now.
    void reach(int actors) {
        epochs = Arrays.copyOf(epochs, actors);
        numbers = Arrays.copyOf(numbers, actors);
        counts = Arrays.copyOf(counts, actors);
    }

    void learn(
            int other,
            long epoch,
            int site,
            int kind,
            boolean direct,
            int via,
            int viaSite,
            int learned) {
        long[] ends = epochs[other];
        int[] row = numbers[other];
        if (ends == null || row == null) {
            ends = new long[SIZE];
            row = new int[SIZE * NUMBERS];
            epochs[other] = ends;
            numbers[other] = row;
        }
        int slot = (int) (counts[other]++ & (SIZE - 1));
        ends[slot] = epoch;
        int at = slot * NUMBERS;
        row[at] = site;
        row[at + 1] = kind;
        row[at + 2] = direct ? 1 : 0;
        row[at + 3] = via;
        row[at + 4] = viaSite;
        row[at + 5] = learned;
    }

    /// The first time, as far as it is remembered, that something as late as that was learned.
    @Nullable Lesson first(int other, long epoch) {
        long[] ends = epochs[other];
        int[] row = numbers[other];
        if (ends == null || row == null) {
            return null;
        }
        long count = counts[other];
        for (long i = Math.max(0, count - SIZE); i < count; i++) {
            int slot = (int) (i & (SIZE - 1));
            if (ends[slot] >= epoch) {
                int at = slot * NUMBERS;
                return new Lesson(
                        ends[slot],
                        row[at],
                        row[at + 1],
                        row[at + 2] == 1,
                        row[at + 3],
                        row[at + 4],
                        row[at + 5]);
            }
        }
        return null;
    }
}
