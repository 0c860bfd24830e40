package dev.outboard.fabric.sim.network;

import dev.outboard.fabric.verbs.Counters;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Carries datagrams between nodes in virtual time, with [NetworkFaults]. It owns the clock, takes
/// all chance from one seeded generator, and runs in one thread: the same seed gives the same run.
///
/// ```java
/// var network = new SimulatedNetwork<String>(new SplittableRandom(seed), faults);
/// network.attach("a", nodeA);
/// network.attach("b", nodeB);
/// while (!done() && network.step()) { … }
/// ```
///
/// A node acts in turns: when datagrams have arrived for it, and when the deadline that it names
/// has come.
///
/// @param <A> an address
public final class SimulatedNetwork<A> {
    /// Never: a deadline that does not come.
    public static final long NEVER = Long.MAX_VALUE;

    private static final int MAX_FLIPPED_BITS = 4;

    /// A datagram held back lets this many times the longest delay pass at most.
    private static final int HOLD_BACK = 4;

    private static final double NANOS_PER_SECOND = 1e9;

    /// Somebody on the network.
    public interface Node {
        /// When it wants a turn at the latest, or [#NEVER]. A time that has passed means at once.
        long deadlineNanos();

        /// Empties its inbox, does what is due, and sends.
        void turn(long nowNanos);
    }

    /// A datagram as its receiver gets it.
    ///
    /// @param from who sent it
    /// @param to who gets it
    /// @param isFrame whether it is a whole Ethernet frame
    /// @param bytes the receiver's to keep
    public record Datagram<A>(A from, A to, boolean isFrame, byte[] bytes) {
        private Datagram<A> copy() {
            return new Datagram<>(from, to, isFrame, bytes.clone());
        }
    }

    /// What can happen to a datagram.
    public enum Fate {
        SENT,
        ARRIVED,
        LOST,
        /// The way is cut.
        CUT_OFF,
        /// Longer than what fits the way.
        TOO_LONG,
        DUPLICATED,
        HELD_BACK,
        CORRUPTED,
        /// Dropped because the receiver's inbox was full.
        OVERFLOWED,
        /// Nobody has that address.
        UNDELIVERABLE
    }

    /// What is to happen at a certain time; what comes first happens first.
    private record Event(long nanos, long number, Runnable action) {}

    private record Route<A>(A from, A to) {}

    /// What is known of a route.
    private static final class Way {
        boolean isCut;
        int limit = Integer.MAX_VALUE;

        /// When the last datagram that was not held back arrives.
        long lastArrival;
    }

    private static final class Host<A> {
        final Node node;
        final ArrayDeque<Datagram<A>> inbox = new ArrayDeque<>();
        long wakeNanos = NEVER;

        /// When the last datagram that was sent has left.
        long idleNanos;

        Host(Node node) {
            this.node = node;
        }

        long turnNanos() {
            return Math.min(wakeNanos, node.deadlineNanos());
        }
    }

    private final SplittableRandom random;
    private final NetworkFaults faults;
    private final Map<A, Host<A>> hosts = new LinkedHashMap<>();
    private final Map<Route<A>, Way> ways = new HashMap<>();
    private final Set<A> isolated = new HashSet<>();
    private final Counters<Fate> counts = new Counters<>(Fate.class);
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(
                    Comparator.comparingLong(Event::nanos).thenComparingLong(Event::number));
    private Predicate<Datagram<A>> passes = datagram -> true;
    private long nowNanos;
    private long eventCount;
    private int inFlight;

    /// A network without nodes at time 0.
    public SimulatedNetwork(SplittableRandom random, NetworkFaults faults) {
        this.random = random;
        this.faults = faults;
    }

    /// The virtual time.
    public long nowNanos() {
        return nowNanos;
    }

    /// Connects `node` under a free address.
    public void attach(A address, Node node) {
        if (hosts.putIfAbsent(address, new Host<>(node)) != null) {
            throw new IllegalArgumentException(address + " is taken");
        }
    }

    /// Takes the node at `address` off the network for good, as if its machine died.
    public void detach(A address) {
        hosts.remove(address);
    }

    /// Drops, from now on, every datagram that does not pass; for tests that lose one exactly.
    public void filter(Predicate<Datagram<A>> newPasses) {
        passes = newPasses;
    }

    /// Drops what `from` sends to `to`, until [#heal].
    public void cut(A from, A to) {
        way(from, to).isCut = true;
    }

    /// Drops what `address` sends, and what is sent to it, for good.
    public void isolate(A address) {
        isolated.add(address);
    }

    /// Ends everything that [#cut] began.
    public void heal() {
        ways.values().forEach(way -> way.isCut = false);
    }

    /// Datagrams of more than `bytes` bytes do not fit the way from `from` to `to`.
    public void limit(A from, A to, int bytes) {
        way(from, to).limit = bytes;
    }

    /// How many datagrams met that fate.
    public long count(Fate fate) {
        return counts.get(fate);
    }

    /// How many datagrams met which fate.
    public Counters<Fate> counts() {
        return counts;
    }

    /// Datagrams on the way.
    public int inFlight() {
        return inFlight;
    }

    /// Sends `bytes`, which stay the caller's.
    ///
    /// @return false if they do not fit the way, and are dropped
    public boolean send(A from, A to, byte[] bytes) {
        Way way = way(from, to);
        if (!fits(way, bytes)) {
            return false;
        }
        note(Fate.SENT);
        carry(way, new Datagram<>(from, to, false, bytes.clone()), leaves(from, bytes.length));
        return true;
    }

    /// Sends an Ethernet frame, which stays the caller's, once to the switch, which passes it on to
    /// each of `receivers`, where it fits the way. Each copy has a fate of its own, and ends with a
    /// check sequence.
    public void sendFrame(A from, Collection<A> receivers, byte[] bytes) {
        byte[] frame = FrameCheck.sealed(bytes);
        long leaves = leaves(from, frame.length);
        if (receivers.isEmpty()) {
            note(Fate.SENT);
            note(Fate.UNDELIVERABLE);
        }
        for (A to : receivers) {
            Way way = way(from, to);
            if (fits(way, frame)) {
                note(Fate.SENT);
                carry(way, new Datagram<>(from, to, true, frame.clone()), leaves);
            }
        }
    }

    private Way way(A from, A to) {
        return ways.computeIfAbsent(new Route<>(from, to), route -> new Way());
    }

    private boolean fits(Way way, byte[] bytes) {
        boolean fits = bytes.length <= way.limit;
        if (!fits) {
            note(Fate.TOO_LONG);
        }
        return fits;
    }

    private void carry(Way way, Datagram<A> datagram, long leaves) {
        if (way.isCut || isolated.contains(datagram.from) || isolated.contains(datagram.to)) {
            note(Fate.CUT_OFF);
            return;
        }
        if (!passes.test(datagram) || happens(faults.loss())) {
            note(Fate.LOST);
            return;
        }
        if (happens(faults.duplication())) {
            note(Fate.DUPLICATED);
            launch(way, datagram.copy(), leaves);
        }
        launch(way, datagram, leaves);
    }

    /// When the last bit of what `from` sends now has left: one datagram after the other, as fast
    /// as the bandwidth allows.
    private long leaves(A from, int bytes) {
        Host<A> host = hosts.get(from);
        if (host == null || faults.bitsPerSecond() == 0) {
            return nowNanos;
        }
        double nanos = bytes * Byte.SIZE * NANOS_PER_SECOND / faults.bitsPerSecond();
        host.idleNanos = Math.max(nowNanos, host.idleNanos) + (long) Math.ceil(nanos);
        return host.idleNanos;
    }

    /// The next datagram that arrived at `address`, or null.
    public @Nullable Datagram<A> poll(A address) {
        Host<A> host = hosts.get(address);
        return host == null ? null : host.inbox.poll();
    }

    /// Moves the clock to the next arrival or deadline, and gives turns to whom it concerns. False
    /// if nothing will ever happen again.
    public boolean step() {
        long next = nextNanos();
        if (next == NEVER) {
            return false;
        }
        deliver(Math.max(nowNanos, next));
        for (Host<A> host : List.copyOf(hosts.values())) {
            if (host.turnNanos() <= nowNanos) {
                host.wakeNanos = NEVER;
                host.node.turn(nowNanos);
            }
        }
        return true;
    }

    /// Moves the clock to `now`, which has not passed, and lets arrive what is due, without giving
    /// turns.
    public void deliver(long now) {
        nowNanos = now;
        while (!events.isEmpty() && events.element().nanos <= now) {
            events.remove().action.run();
        }
    }

    /// When the next datagram arrives somewhere, or something else is [scheduled][#schedule], or
    /// [#NEVER].
    public long nextArrivalNanos() {
        return events.isEmpty() ? NEVER : events.element().nanos;
    }

    /// Lets `action` run at `nanos`; at once when time next passes, if that has passed.
    public void schedule(long nanos, Runnable action) {
        events.add(new Event(nanos, eventCount++, action));
    }

    /// Whether something has arrived at `address` that was not taken yet.
    public boolean hasMail(A address) {
        Host<A> host = hosts.get(address);
        return host != null && !host.inbox.isEmpty();
    }

    /// Steps until `untilNanos`, where the clock then stands.
    public void runUntil(long untilNanos) {
        while (nextNanos() <= untilNanos) {
            step();
        }
        nowNanos = Math.max(nowNanos, untilNanos);
    }

    /// When [#step] has something to do, or [#NEVER]. A time that has passed means at once.
    public long nextNanos() {
        long next = nextArrivalNanos();
        for (Host<A> host : hosts.values()) {
            next = Math.min(next, host.turnNanos());
        }
        return next;
    }

    private void launch(Way way, Datagram<A> datagram, long leavesNanos) {
        if (happens(faults.corruption())) {
            note(Fate.CORRUPTED);
            flipBits(datagram.bytes());
        }
        long arrival = leavesNanos + faults.delayNanos() + upTo(faults.jitterNanos());
        if (happens(faults.reordering())) {
            note(Fate.HELD_BACK);
            arrival += 1 + upTo(HOLD_BACK * (faults.delayNanos() + faults.jitterNanos()));
        } else {
            way.lastArrival = Math.max(way.lastArrival, arrival);
            arrival = way.lastArrival;
        }
        inFlight++;
        schedule(arrival, () -> arrive(datagram));
    }

    private void arrive(Datagram<A> datagram) {
        inFlight--;
        Host<A> host = hosts.get(datagram.to());
        if (host == null) {
            note(Fate.UNDELIVERABLE);
        } else if (host.inbox.size() >= faults.inboxDatagrams()) {
            note(Fate.OVERFLOWED);
        } else {
            note(Fate.ARRIVED);
            host.inbox.add(datagram);
            host.wakeNanos = Math.min(host.wakeNanos, nowNanos + upTo(faults.turnNanos()));
        }
    }

    private void flipBits(byte[] bytes) {
        int bits = random.nextInt(1, MAX_FLIPPED_BITS + 1);
        // Never the same bit twice, which would repair it.
        var flipped = new ArrayList<Integer>();
        while (flipped.size() < Math.min(bits, bytes.length * Byte.SIZE)) {
            int bit = random.nextInt(bytes.length * Byte.SIZE);
            if (!flipped.contains(bit)) {
                flipped.add(bit);
                bytes[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            }
        }
    }

    private boolean happens(double chance) {
        return chance > 0 && random.nextDouble() < chance;
    }

    private long upTo(long bound) {
        return bound == 0 ? 0 : random.nextLong(bound + 1);
    }

    private void note(Fate fate) {
        counts.increment(fate);
    }
}
