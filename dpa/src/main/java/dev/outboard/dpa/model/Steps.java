package dev.outboard.dpa.model;

import java.util.Arrays;

/// A list of steps, for use again and again.
public final class Steps {
    private static final int KIND_SHIFT = 60;
    private static final int FIRST_SHIFT = 30;
    private static final long NUMBER = (1L << FIRST_SHIFT) - 1;

    /// The kinds of steps.
    public enum Kind {
        /// An actor does its next action.
        RUN,
        /// A pending write is performed.
        PERFORM,
        /// A posted operation of the NIC goes on.
        POSTED,
        /// The NIC comes to see a granule.
        SHOW,
        /// A cached copy vanishes.
        VANISH
    }

    private static final Kind[] KINDS = Kind.values();

    private long[] steps = new long[16];
    private int size;

    void add(Kind kind, int first, int second) {
        if (size == steps.length) {
            steps = Arrays.copyOf(steps, 2 * size);
        }
        steps[size++] =
                ((long) kind.ordinal() << KIND_SHIFT) | ((long) first << FIRST_SHIFT) | second;
    }

    /// Empties it.
    void clear() {
        size = 0;
    }

    /// The number of steps.
    public int size() {
        return size;
    }

    /// A step.
    public long get(int index) {
        return steps[index];
    }

    /// What kind a step is.
    public static Kind kind(long step) {
        return KINDS[(int) (step >>> KIND_SHIFT)];
    }

    /// Of RUN the actor, of PERFORM and VANISH the thread, of POSTED and SHOW 0.
    public static int first(long step) {
        return (int) ((step >>> FIRST_SHIFT) & NUMBER);
    }

    /// Of RUN the alternative, of SHOW the granule, of the others an index, of POSTED that and the
    /// number of the write.
    public static int second(long step) {
        return (int) (step & NUMBER);
    }
}
