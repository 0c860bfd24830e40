package dev.outboard.fabric.sim;

import dev.outboard.fabric.drive.Drivers;
import dev.outboard.fabric.drive.Engine;
import dev.outboard.fabric.drive.WaitPoint;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.verbs.CompletionRing;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Drivers on a network that has its own time. There is no thread behind the application: who polls
/// or waits lets time pass, and the network gives everybody a turn when it is due.
final class SimDrivers implements Drivers {
    /// How many turns that find work a thread that waits gives the device before time passes: the
    /// work may never end.
    private static final int MOST_AT_ONCE = 100;

    private final Engine engine;
    private final SharedNetwork network;
    private final Gid address;
    private final Set<WaitPoint> points = ConcurrentHashMap.newKeySet();

    /// Where the application last looked for a completion.
    private volatile @Nullable CompletionRing wanted;

    SimDrivers(Engine engine, SharedNetwork network, Gid address) {
        this.engine = engine;
        this.network = network;
        this.address = address;
    }

    @Override
    public void add(WaitPoint point) {
        points.add(point);
    }

    @Override
    public void remove(WaitPoint point) {
        points.remove(point);
    }

    /// The network gives a turn, on behalf of the application that looks soon.
    void turn() {
        engine.drive(wanted);
    }

    @Override
    public boolean drive(@Nullable CompletionRing ring) {
        if (ring != null) {
            wanted = ring;
        }
        boolean worked = turnIfDue(ring);
        if (!worked && !engine.isInside()) {
            network.passPoll();
        }
        return worked;
    }

    /// A turn, unless there is nothing to do in it: applications of a simulation look again and
    /// again.
    private boolean turnIfDue(@Nullable CompletionRing ring) {
        return network.isDue(address, engine.deadlineNanos()) && engine.drive(ring);
    }

    @Override
    public boolean await(WaitPoint point, @Nullable CompletionRing ring, long timeoutNanos) {
        pass(() -> point.isNotified() || point.isClosed(), ring, timeoutNanos);
        return point.isNotified();
    }

    @Override
    public <T> @Nullable T take(BlockingQueue<T> queue, long timeoutNanos) {
        pass(() -> !queue.isEmpty(), null, timeoutNanos);
        return queue.poll();
    }

    private void pass(BooleanSupplier isDone, @Nullable CompletionRing ring, long timeoutNanos) {
        wanted = ring;
        long now = engine.nowNanos();
        long limit = timeoutNanos > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + timeoutNanos;
        int turns = 0;
        while (!isDone.getAsBoolean()) {
            boolean mayGoOn =
                    turnIfDue(ring)
                            ? ++turns % MOST_AT_ONCE != 0 || network.passTurns(limit)
                            : network.pass(isDone, limit);
            if (!mayGoOn) {
                return;
            }
        }
    }

    @Override
    public void notified(WaitPoint point) {
        network.signal();
    }

    @Override
    public void close() {
        points.forEach(WaitPoint::abandon);
    }
}
