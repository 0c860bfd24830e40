package dev.outboard.fabric.roce.cm;

import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.cm.CmAttribute;
import dev.outboard.fabric.roce.wire.cm.CmDatagram;
import dev.outboard.fabric.roce.wire.cm.CmMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Predicate;

/// A network of agents in virtual time. What becomes of a datagram is up to its [Fate]; by default
/// it arrives once, after [#LATENCY]. The same inputs give the same run.
final class CmNetwork {
    static final Duration LATENCY = Duration.ofMillis(1);

    /// Clocks may be negative.
    private static final long START_NANOS = -Duration.ofSeconds(3).toNanos();

    /// A datagram that left an agent.
    record Sent(long atNanos, Gid from, Gid to, byte[] mad) {
        CmDatagram datagram() {
            return CmDatagram.parse(mad);
        }

        CmMessage message() {
            return datagram().message();
        }

        CmAttribute attribute() {
            return message().attribute();
        }
    }

    /// After which delays a datagram arrives: none if it is lost, several if it is duplicated.
    interface Fate {
        List<Duration> delays(Sent sent);
    }

    private record Due(long atNanos, long order, Runnable action) {}

    private final Map<Gid, CmEndpoint> endpoints = new HashMap<>();
    private final PriorityQueue<Due> agenda =
            new PriorityQueue<>(
                    Comparator.comparingLong(Due::atNanos).thenComparingLong(Due::order));
    private final List<Sent> sent = new ArrayList<>();
    private Fate fate = datagram -> List.of(LATENCY);
    private long nowNanos = START_NANOS;
    private long order;

    void join(CmEndpoint endpoint) {
        endpoints.put(endpoint.gid(), endpoint);
    }

    /// The device behind `gid` is gone without a word.
    void leave(Gid gid) {
        endpoints.remove(gid);
    }

    void fate(Fate newFate) {
        fate = newFate;
    }

    /// Loses the datagrams that `doomed` is true for; the rest arrives as by default.
    void lose(Predicate<Sent> doomed) {
        fate = datagram -> doomed.test(datagram) ? List.of() : List.of(LATENCY);
    }

    /// Loses the first `count` messages of this kind from now on.
    void loseFirst(int count, CmAttribute attribute) {
        int[] left = {count};
        lose(datagram -> datagram.attribute() == attribute && left[0]-- > 0);
    }

    void loseNothing() {
        lose(_ -> false);
    }

    void send(Gid from, Gid to, byte[] mad) {
        Sent datagram = new Sent(nowNanos, from, to, mad.clone());
        sent.add(datagram);
        for (Duration delay : fate.delays(datagram)) {
            at(delay, () -> deliver(datagram));
        }
    }

    private void deliver(Sent datagram) {
        CmEndpoint endpoint = endpoints.get(datagram.to());
        if (endpoint != null) {
            endpoint.agent().receive(datagram.from(), datagram.mad().clone(), nowNanos);
        }
    }

    /// Does `action` after `delay`.
    void at(Duration delay, Runnable action) {
        agenda.add(new Due(nowNanos + delay.toNanos(), order++, action));
    }

    long nowNanos() {
        return nowNanos;
    }

    /// Lets time pass.
    void run(Duration duration) {
        long endNanos = nowNanos + duration.toNanos();
        while (nextNanos() <= endNanos) {
            step();
        }
        nowNanos = endNanos;
    }

    /// Lets time pass until nothing is on its way and no timer runs.
    void runUntilQuiet() {
        while (nextNanos() != Long.MAX_VALUE) {
            step();
        }
    }

    private long nextNanos() {
        long next = agenda.isEmpty() ? Long.MAX_VALUE : agenda.peek().atNanos();
        for (CmEndpoint endpoint : endpoints.values()) {
            next = Math.min(next, endpoint.agent().deadlineNanos());
        }
        return next;
    }

    private void step() {
        nowNanos = nextNanos();
        if (!agenda.isEmpty() && agenda.peek().atNanos() <= nowNanos) {
            agenda.poll().action().run();
        } else {
            endpoints.values().forEach(endpoint -> endpoint.agent().onTimer(nowNanos));
        }
    }

    /// Everything that was sent, lost or not.
    List<Sent> sent() {
        return sent;
    }

    List<Sent> sent(CmAttribute attribute) {
        return sent.stream().filter(datagram -> datagram.attribute() == attribute).toList();
    }

    /// The last message of this kind.
    Sent lastSent(CmAttribute attribute) {
        return sent(attribute).getLast();
    }

    void forgetSent() {
        sent.clear();
    }
}
