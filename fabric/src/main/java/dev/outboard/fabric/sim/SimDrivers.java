package dev.outboard.fabric.sim;

import dev.outboard.fabric.drive.Drivers;
import dev.outboard.fabric.drive.Engine;
import dev.outboard.fabric.drive.WaitPoint;
import dev.outboard.fabric.roce.wire.Gid;
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

    /// Whether the application's last call looked for completions.
    private volatile boolean looks;

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
        engine.drive(looks);
    }

    @Override
    public boolean drive() {
        looks = true;
        boolean worked = turnIfDue();
        if (!worked && !engine.isInside()) {
            network.passPoll();
        }
        return worked;
    }

    /// A turn, unless there is nothing to do in it: applications of a simulation look again and
    /// again.
    private boolean turnIfDue() {
        return network.isDue(address, engine.deadlineNanos()) && engine.drive(true);
    }

    @Override
    public boolean await(WaitPoint point, long timeoutNanos) {
        looks = true;
        pass(() -> point.isNotified() || point.isClosed(), timeoutNanos);
        return point.isNotified();
    }

    @Override
    public <T> @Nullable T take(BlockingQueue<T> queue, long timeoutNanos) {
        looks = false;
        pass(() -> !queue.isEmpty(), timeoutNanos);
        return queue.poll();
    }

    private void pass(BooleanSupplier isDone, long timeoutNanos) {
        long now = engine.nowNanos();
        long limit = timeoutNanos > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + timeoutNanos;
        int turns = 0;
        while (!isDone.getAsBoolean()) {
            boolean mayGoOn =
                    turnIfDue()
                            ? ++turns % MOST_AT_ONCE != 0 || network.passTurns(limit)
                            : network.pass(isDone, limit);
            if (!mayGoOn) {
                return;
            }
        }
    }

    @Override
    public boolean passesTime() {
        return true;
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
