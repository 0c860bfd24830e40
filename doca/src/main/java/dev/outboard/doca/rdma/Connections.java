package dev.outboard.doca.rdma;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
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

    /// Tasks held back: some, if more than 0.
    private int held;

    /// Connections that have ended and not left.
    private int ended;

    /// Whom [#nextFailed] looks at next.
    private int cursor;

    Connections(int capacity) {
        slots = new RdmaConnection[capacity];
        byNumber = new RdmaConnection[2 * RdmaConfiguration.roundUp(capacity)];
    }

    // ---- who there is ---------------------------------------------------------------------------

    boolean isFull() {
        return all.size() == slots.length;
    }

    /// A new one.
    ///
    /// DRDMA-CONN-7, DFLT-43: as many as there may be.
    ///
    /// @param making makes it for a slot
    /// @throws DocaException with FULL if there is no room
    RdmaConnection create(Rdma rdma, IntFunction<RdmaConnection> making) {
        if (isFull()) {
            throw new DocaException(
                    DocaError.FULL, rdma + " has all of its " + slots.length + " connections");
        }
        RdmaConnection connection = making.apply(freeSlot());
        add(connection);
        return connection;
    }

    private int freeSlot() {
        int slot = 0;
        while (slots[slot] != null) {
            slot++;
        }
        return slot;
    }

    private void add(RdmaConnection connection) {
        all.add(connection);
        slots[connection.slot()] = connection;
        place(connection);
    }

    private void place(RdmaConnection connection) {
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

    private void remove(RdmaConnection connection) {
        all.remove(connection);
        slots[connection.slot()] = null;
        Arrays.fill(byNumber, null);
        all.forEach(this::place);
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
            if (!all.get(i).sends().isIdle()) {
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

    /// Asks the peers of connections that were silent for `silence` whether they are there.
    ///
    /// @return how many
    int probe(long now, long silence) {
        int probed = 0;
        for (int i = 0; i < all.size(); i++) {
            probed += all.get(i).probe(now, silence) ? 1 : 0;
        }
        return probed;
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
            RequestTask task = connection.sends().takeBroken();
            if (task != null) {
                broken--;
                return task;
            }
        }
        return null;
    }

    /// Lets a task wait for [#flush], in its place in the order of its connection.
    void hold(RequestTask task) {
        task.connection().sends().hold(task);
        held++;
    }

    /// Sends what was held back.
    void flush() {
        if (held > 0) {
            held = 0;
            for (int i = 0; i < all.size(); i++) {
                broken += all.get(i).sends().flush();
            }
        }
    }

    /// Takes the oldest task of a connection that has one; nothing completes any more.
    @Nullable RequestTask takeAny() {
        for (RdmaConnection connection : all) {
            connection.sends().probed();
            if (connection.sends().hasTasks()) {
                RequestTask task = connection.sends().take();
                broken -= task.broken == null ? 0 : 1;
                return task;
            }
        }
        return null;
    }

    // ---- ending ---------------------------------------------------------------------------------

    /// Ends everything outstanding of a connection: it completes as flushed.
    void shut(RdmaConnection connection) {
        if (connection.shut()) {
            ended++;
            broken += connection.sends().flush();
        }
    }

    /// The same for all.
    ///
    /// DRDMA-CM-10: all of them, when the context stops.
    void shut() {
        all.forEach(this::shut);
    }

    /// Whether one has ended and has nothing in flight.
    boolean hasLeaving() {
        return leaving() != null;
    }

    /// Removes such a connection.
    @Nullable RdmaConnection takeLeaving() {
        RdmaConnection connection = leaving();
        if (connection != null) {
            ended--;
            remove(connection);
        }
        return connection;
    }

    private @Nullable RdmaConnection leaving() {
        if (ended == 0) {
            return null;
        }
        for (RdmaConnection connection : all) {
            if (connection.life().isEnded() && connection.sends().isIdle()) {
                return connection;
            }
        }
        return null;
    }

    /// Whether there is one whose end, or whose failure, the application is to be told.
    boolean hasAnnounced() {
        for (RdmaConnection connection : all) {
            if (connection.life().isAnnounced()) {
                return true;
            }
        }
        return false;
    }

    /// Whether somebody waits to hear what becomes of one.
    boolean hasUnsettled() {
        for (RdmaConnection connection : all) {
            if (connection.life().isUnsettled()) {
                return true;
            }
        }
        return false;
    }

    /// Destroys the queue pairs.
    void close() {
        all.forEach(RdmaConnection::close);
    }
}
