package dev.outboard.fabric.sim;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.MacAddress;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.sim.network.SimulatedNetwork;
import dev.outboard.fabric.sim.network.SimulatedNetwork.Datagram;
import dev.outboard.fabric.sim.network.SimulatedNetwork.Node;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A [SimulatedNetwork] that the devices of this process share under a name, from when the first is
/// opened until the last is closed. One thread at a time has a hand in it.
final class SharedNetwork implements SimNetwork {
    /// What a look that finds nothing takes, so that time passes for a thread that only polls.
    private static final long EMPTY_POLL_NANOS = 1_000;

    /// Who waits longer waits for ever.
    private static final long LONGEST_WAIT_NANOS = Duration.ofDays(365).toNanos();

    /// Who sends what is replayed: the unspecified address.
    private static final Gid NOBODY = new Gid(0, 0);

    private static final Map<String, SharedNetwork> NETWORKS = new HashMap<>();

    private final String name;
    private final NetworkOptions options;
    private final SimClock clock;
    private final SimulatedNetwork<Gid> network;
    private final long startNanos = System.nanoTime();
    private final SimCards cards = new SimCards();
    private final SwitchPorts ports = new SwitchPorts();
    private final List<NetworkCapture> captures = new ArrayList<>();
    private final List<NetworkReplay> replays = new ArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();

    /// Time has passed, something was sent, or somebody is to look up.
    private final Condition changed = lock.newCondition();

    private SharedNetwork(String name, NetworkOptions options) {
        this.name = name;
        this.options = options;
        clock = options.clock();
        network = new SimulatedNetwork<>(new SplittableRandom(options.seed()), options.faults());
    }

    // ---- members --------------------------------------------------------------------------------

    /// The network that `options` name, with their device as a member that is not there yet.
    ///
    /// @throws FabricException with ADDRESS_IN_USE if the address is taken, or the network or the
    ///   card has other options
    static SharedNetwork join(SimOptions options) {
        Map<String, String> wanted = options.ofNetwork().written();
        synchronized (NETWORKS) {
            SharedNetwork network = NETWORKS.get(options.network());
            if (network == null) {
                network = new SharedNetwork(options.network(), options.ofNetwork());
            } else if (!wanted.isEmpty() && !wanted.equals(network.options.written())) {
                throw new FabricException(
                        Reason.ADDRESS_IN_USE,
                        "the network %s is there already, with %s; %s wants it with %s: name the same options, or none, or another network"
                                .formatted(
                                        options.network(),
                                        network.options.written(),
                                        options.name(),
                                        wanted));
            }
            network.ports.requireFree(options);
            network.cards.join(options);
            network.ports.join(Gid.of(options.address()));
            NETWORKS.put(options.network(), network);
            return network;
        }
    }

    /// The device at `address` is there: it gets turns, unless its own threads take them.
    void attach(Gid address, Node node) {
        exclusively(() -> network.attach(address, node));
    }

    /// The device at `address` is gone.
    void leave(Gid address) {
        exclusively(() -> network.detach(address));
        synchronized (NETWORKS) {
            cards.leave(address);
            ports.leave(address);
            if (!cards.isEmpty()) {
                return;
            }
            NETWORKS.remove(name);
        }
        exclusively(() -> {
            captures.forEach(NetworkCapture::close);
            replays.forEach(NetworkReplay::close);
        });
    }

    /// The card of the open device at `address`.
    SimCard card(Gid address) {
        synchronized (NETWORKS) {
            return cards.at(address);
        }
    }

    SimClock clock() {
        return clock;
    }

    NetworkOptions options() {
        return options;
    }

    // ---- packets --------------------------------------------------------------------------------

    /// Sends `bytes` on the way of `path`.
    ///
    /// @return false if they do not fit the way, and are dropped
    boolean send(Path path, byte[] bytes) {
        return exclusively(() -> {
            changed.signalAll();
            captures.forEach(capture -> capture.packet(nowNanos(), path, bytes));
            return network.send(path.source(), path.destination(), bytes);
        });
    }

    /// Sends an Ethernet frame to whoever has its destination address; if nobody has, to all
    /// others.
    void sendFrame(Gid from, byte[] frame) {
        long destination = MacAddress.bitsAt(MemorySegment.ofArray(frame), 0);
        List<Gid> receivers;
        synchronized (NETWORKS) {
            receivers = ports.receivers(from, new MacAddress(destination));
        }
        exclusively(() -> {
            changed.signalAll();
            captures.forEach(capture -> capture.frame(nowNanos(), frame));
            network.sendFrame(from, receivers, frame);
        });
    }

    @Override
    public Capture capture(java.nio.file.Path file) {
        NetworkCapture capture = new NetworkCapture(file, name);
        exclusively(() -> {
            captures.add(capture);
        });
        return () ->
                exclusively(() -> {
                    captures.remove(capture);
                    capture.close();
                });
    }

    @Override
    public Replay replay(java.nio.file.Path file) {
        NetworkReplay replay =
                new NetworkReplay(file, nowNanos(), frame -> sendFrame(NOBODY, frame));
        exclusively(() -> {
            replays.add(replay);
            replayNext(replay, nowNanos());
        });
        return new Replay() {
            @Override
            public long frames() {
                return replay.frames();
            }

            @Override
            public long sent() {
                return replay.sent();
            }

            @Override
            public void close() {
                exclusively(() -> {
                    replays.remove(replay);
                    replay.close();
                });
            }
        };
    }

    private void replayNext(NetworkReplay replay, long nanos) {
        if (nanos < Long.MAX_VALUE) {
            network.schedule(nanos, () -> replayNext(replay, replay.send(nowNanos())));
            changed.signalAll();
        } else {
            replays.remove(replay);
        }
    }

    @Nullable Datagram<Gid> poll(Gid address) {
        lock.lock();
        try {
            catchUp();
            return network.poll(address);
        } finally {
            lock.unlock();
        }
    }

    /// Whether it is `nanos` or later, or something has arrived at `address`.
    boolean isDue(Gid address, long nanos) {
        return exclusively(() -> nanos <= network.nowNanos() || network.hasMail(address));
    }

    boolean hasMail(Gid address) {
        return exclusively(() -> network.hasMail(address));
    }

    // ---- time -----------------------------------------------------------------------------------

    @Override
    public long nowNanos() {
        return clock == SimClock.REAL
                ? System.nanoTime() - startNanos
                : exclusively(network::nowNanos);
    }

    @Override
    public long nextNanos() {
        return exclusively(network::nextNanos);
    }

    @Override
    public boolean step() {
        requireNoWallClock();
        return exclusively(() -> {
            boolean happened = network.step();
            changed.signalAll();
            return happened;
        });
    }

    @Override
    public void runUntil(long nanos) {
        requireNoWallClock();
        exclusively(() -> {
            network.runUntil(nanos);
            changed.signalAll();
        });
    }

    private void requireNoWallClock() {
        if (clock == SimClock.REAL) {
            throw new FabricException(
                    Reason.INVALID_STATE,
                    "the network " + name + " has clock=real and cannot be stepped");
        }
    }

    /// An application has looked and found nothing.
    void passPoll() {
        if (clock == SimClock.VIRTUAL) {
            exclusively(() -> network.runUntil(network.nowNanos() + EMPTY_POLL_NANOS));
        }
    }

    /// An application waits, and its device has been at work all the while.
    ///
    /// @return false if `limitNanos` is reached
    boolean passTurns(long limitNanos) {
        passPoll();
        return nowNanos() < limitNanos;
    }

    /// An application waits until `isDone`, at most until `limitNanos`. In virtual time it may
    /// return whenever something has happened.
    ///
    /// @return false if the limit is reached
    boolean pass(BooleanSupplier isDone, long limitNanos) {
        return exclusively(
                () -> clock == SimClock.VIRTUAL ? hurry(limitNanos) : waitFor(isDone, limitNanos));
    }

    private boolean hurry(long limitNanos) {
        long now = network.nowNanos();
        if (now >= limitNanos) {
            return false;
        }
        long next = network.nextNanos();
        if (next <= limitNanos && next != SimulatedNetwork.NEVER) {
            return network.step();
        }
        if (limitNanos - now > LONGEST_WAIT_NANOS) {
            throw new FabricException(
                    Reason.INVALID_STATE,
                    "a thread waits for ever: nothing is on its way on the network "
                            + name
                            + ", and with clock=virtual no other thread will send; see clock=real");
        }
        network.runUntil(limitNanos);
        return true;
    }

    private boolean waitFor(BooleanSupplier isDone, long limitNanos) {
        while (!isDone.getAsBoolean()) {
            if (network.nowNanos() >= limitNanos) {
                return false;
            }
            changed.awaitUninterruptibly();
        }
        return true;
    }

    /// With the clock of the wall: waits until something has arrived at `address`, `isWoken`, or
    /// `nanos` passed. An interrupt does not end it, as it does not end a wait on a socket.
    void awaitMail(Gid address, BooleanSupplier isWoken, long nanos) {
        long limit = nowNanos() + Math.min(nanos, LONGEST_WAIT_NANOS);
        boolean isInterrupted = false;
        lock.lock();
        try {
            catchUp();
            long now = nowNanos();
            while (!isWoken.getAsBoolean() && !network.hasMail(address) && now < limit) {
                try {
                    long _ = changed.awaitNanos(Math.min(limit, network.nextArrivalNanos()) - now);
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
                catchUp();
                now = nowNanos();
            }
        } finally {
            lock.unlock();
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /// Whoever waits looks up.
    void signal() {
        exclusively(changed::signalAll);
    }

    /// With the clock of the wall: what is due has arrived.
    private void catchUp() {
        if (clock == SimClock.REAL) {
            network.deliver(nowNanos());
        }
    }

    // ---- harm -----------------------------------------------------------------------------------

    @Override
    public void cut(InetAddress from, InetAddress to) {
        exclusively(() -> network.cut(Gid.of(from), Gid.of(to)));
    }

    @Override
    public void heal() {
        exclusively(network::heal);
    }

    @Override
    public void kill(InetAddress address) {
        List<Gid> dead;
        synchronized (NETWORKS) {
            dead = cards.on(Gid.of(address));
        }
        exclusively(() ->
                dead.forEach(function -> {
                    network.detach(function);
                    network.isolate(function);
                }));
    }

    @Override
    public void filter(Predicate<Frame> passes) {
        exclusively(() ->
                network.filter(datagram ->
                        passes.test(
                                new Frame(
                                        datagram.from().toInetAddress(),
                                        datagram.to().toInetAddress(),
                                        datagram.isFrame(),
                                        datagram.bytes()))));
    }

    @Override
    public void limit(InetAddress from, InetAddress to, int bytes) {
        exclusively(() -> network.limit(Gid.of(from), Gid.of(to), bytes));
    }

    // ---- the rest -------------------------------------------------------------------------------

    @Override
    public String name() {
        return name;
    }

    @Override
    public Map<String, Long> counters() {
        return exclusively(() -> {
            Map<String, Long> counters = new TreeMap<>();
            network.counts().copyTo(counters, "");
            return counters;
        });
    }

    private <T> T exclusively(Supplier<T> operation) {
        lock.lock();
        try {
            return operation.get();
        } finally {
            lock.unlock();
        }
    }

    private void exclusively(Runnable operation) {
        lock.lock();
        try {
            operation.run();
        } finally {
            lock.unlock();
        }
    }
}
