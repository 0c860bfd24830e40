package dev.outboard.dpa.machine.explore;

import dev.outboard.dpa.model.Action;
import dev.outboard.dpa.model.Layout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// A run of a program from its beginning, which is given the values of a history. At its first
/// action beyond that it is left.
///
/// Stores of a NIC that have no order between them are one group of actions, of which any may be
/// the next one. In a history each of them stands as the index of the one that was done, among
/// those that could be; once all are done it makes no difference any more, and all stand as 0.
final class Replay {
    private final long[] history;
    private int given;
    private final List<Action.Write> group = new ArrayList<>();

    Replay(long[] history) {
        this.history = history.clone();
    }

    /// Leaves a program at its next action.
    @SuppressWarnings("serial") // Never leaves its replay.
    static final class Reached extends Error {
        private final transient List<? extends Action> actions;

        private Reached(List<? extends Action> actions) {
            super("", null, false, false);
            this.actions = actions;
        }

        /// Those that may be the next one.
        List<? extends Action> actions() {
            return actions;
        }
    }

    /// The history, with everything left out that makes no difference.
    long[] history() {
        return history;
    }

    /// The program does an action.
    ///
    /// @return what it gave
    long act(Action action) {
        order();
        if (given == history.length) {
            throw new Reached(List.of(action));
        }
        return history[given++];
    }

    /// A NIC stores, in no order yet.
    void store(Action.Write write) {
        group.add(write);
    }

    /// What was stored comes before all that follows.
    void order() {
        int start = given;
        List<Action.Write> left = new ArrayList<>(group);
        while (!left.isEmpty()) {
            List<Action.Write> possible = possible(left);
            if (given == history.length) {
                throw new Reached(possible);
            }
            left.remove(possible.get((int) history[given++]));
        }
        group.clear();
        Arrays.fill(history, start, given, 0);
    }

    /// Those that do not have to come after another one to the same granule.
    private static List<Action.Write> possible(List<Action.Write> left) {
        List<Action.Write> possible = new ArrayList<>();
        for (Action.Write write : left) {
            if (possible.stream().noneMatch(other -> sameGranule(other, write))) {
                possible.add(write);
            }
        }
        return possible;
    }

    private static boolean sameGranule(Action.Write one, Action.Write other) {
        return one.external() == other.external()
                && one.address() / Layout.GRANULE_BYTES == other.address() / Layout.GRANULE_BYTES;
    }
}
