package dev.outboard.doca.rdma;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The connections of a context. Those that completions name, by slot or by queue pair, are found
/// without searching and without allocation.
final class Connections {
    private final List<RdmaConnection> all = new ArrayList<>();
    private final @Nullable RdmaConnection[] slots;

    /// By queue pair number, which is random: linear probing, at most half full.
    private final @Nullable RdmaConnection[] byNumber;

    /// Tasks to fail without being sent.
    private int broken;

    /// Whom [#nextFailed] looks at next.
    private int cursor;

    Connections(int capacity) {
        slots = new RdmaConnection[capacity];
        byNumber = new RdmaConnection[2 * RdmaSettings.roundUp(capacity)];
    }

    // ---- who there is ---------------------------------------------------------------------------

    boolean isFull() {
        return all.size() == slots.length;
    }

    /// A slot that no connection has; there is one unless [#isFull].
    int freeSlot() {
        int slot = 0;
        while (slots[slot] != null) {
            slot++;
        }
        return slot;
    }

    void add(RdmaConnection connection) {
        all.add(connection);
        slots[connection.slot()] = connection;
        int place = connection.queuePairNumber() & (byNumber.length - 1);
        while (byNumber[place] != null) {
            place = (place + 1) & (byNumber.length - 1);
        }
        byNumber[place] = connection;
    }

    /// The oldest, if any.
    @Nullable RdmaConnection first() {
        return all.isEmpty() ? null : all.getFirst();
    }

    /// The one whose work requests carry `slot`; there is one.
    RdmaConnection inSlot(int slot) {
        return Objects.requireNonNull(slots[slot]);
    }

    /// The one with this queue pair; there is one.
    RdmaConnection ofQueuePair(int number) {
        int place = number & (byNumber.length - 1);
        while (true) {
            RdmaConnection found = Objects.requireNonNull(byNumber[place]);
            if (found.queuePairNumber() == number) {
                return found;
            }
            place = (place + 1) & (byNumber.length - 1);
        }
    }

    // ---- how they are ---------------------------------------------------------------------------

    /// Whether data can flow to anybody.
    boolean isConnected() {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).state() == RdmaState.CONNECTED) {
                return true;
            }
        }
        return false;
    }

    /// Whether none has a task in flight.
    boolean isIdle() {
        for (int i = 0; i < all.size(); i++) {
            if (!all.get(i).isIdle()) {
                return false;
            }
        }
        return true;
    }

    /// Whether one failed, and nobody has been told; [#nextFailed] looks at that one then.
    boolean hasFailed() {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).hasFailed()) {
                cursor = i;
                return true;
            }
        }
        return false;
    }

    /// Looks at one connection, another each time.
    ///
    /// @return it, if it failed and nobody has been told
    @Nullable RdmaConnection nextFailed() {
        if (all.isEmpty()) {
            return null;
        }
        cursor = cursor < all.size() ? cursor : 0;
        RdmaConnection connection = all.get(cursor);
        cursor++;
        return connection.hasFailed() ? connection : null;
    }

    // ---- tasks that were not sent ---------------------------------------------------------------

    /// A task that is to fail took its place in the order of completion of its connection.
    void brokenAdded() {
        broken++;
    }

    boolean hasBroken() {
        return broken > 0;
    }

    /// Takes such a task, if it is the turn of one.
    @Nullable RequestTask takeBroken() {
        if (broken == 0) {
            return null;
        }
        for (RdmaConnection connection : all) {
            RequestTask task = connection.takeBroken();
            if (task != null) {
                broken--;
                return task;
            }
        }
        return null;
    }

    // ---- ending ---------------------------------------------------------------------------------

    /// Ends everything outstanding: it completes as flushed.
    void shut() {
        all.forEach(RdmaConnection::shut);
    }

    /// Destroys the queue pairs.
    void close() {
        all.forEach(RdmaConnection::close);
    }
}
