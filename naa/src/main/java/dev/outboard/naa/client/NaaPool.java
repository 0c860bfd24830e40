package dev.outboard.naa.client;

import dev.outboard.naa.NaaException;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.NaaUnavailableException;
import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.RpcException;
import dev.outboard.naa.RpcResult;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// Sessions with one or several NAAs that offer the same function. Each call takes a session of the
/// NAA with the fewest calls under way, copies its arguments in, and the results back.
///
/// ```java
/// try (NaaPool pool =
///         NaaPool.builder(10)
///                 .naa("10.0.0.7")
///                 .naa("10.0.0.8")
///                 .input(bytes)
///                 .output(bytes)
///                 .idempotent()
///                 .open()) {
///     pool.invoke(MemorySegment.ofArray(in), MemorySegment.ofArray(out));
/// }
/// ```
///
/// An NAA that fails is left out until it answers again; idle sessions are asked for a sign of life
/// now and then. If all sessions are in use a call waits, and if too many wait it is refused. The
/// pool distributes calls and knows nothing about their cost: it is no scheduler.
///
/// Any thread may call, virtual ones too. One thread per NAA looks after its sessions. [#close]
/// ends the calls that are under way.
public final class NaaPool implements AutoCloseable {
    private final NaaPoolBuilder settings;
    private final List<Long> argumentBytes;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<PooledNaa> naas = new ArrayList<>();
    private int waiting;
    private int turn;
    private volatile boolean closed;

    /// One NAA of a pool.
    ///
    /// @param address where it listens
    /// @param isUp whether it takes calls
    /// @param idle sessions that wait for calls
    /// @param busy sessions in use
    /// @param calls that were made, failed ones included
    /// @param failures sessions lost or not opened
    /// @param lastFailure the latest of these; empty if there was none
    public record Naa(
            NaaAddress address,
            boolean isUp,
            int idle,
            int busy,
            long calls,
            long failures,
            String lastFailure) {
        /// One line for people.
        @Override
        public String toString() {
            return isUp
                    ? "%s: %d of %d sessions in use".formatted(address, busy, busy + idle)
                    : "%s: down (%s)".formatted(address, lastFailure);
        }
    }

    private NaaPool(NaaPoolBuilder settings) {
        this.settings = settings;
        this.argumentBytes =
                settings.regions.stream()
                        .filter(region -> region.constant().isEmpty())
                        .map(NaaPoolBuilder.Region::size)
                        .toList();
        settings.naas.forEach(address -> naas.add(new PooledNaa(this, settings, address)));
    }

    /// Begins the description of a pool for a function.
    public static NaaPoolBuilder builder(int functionCode) {
        return new NaaPoolBuilder(functionCode);
    }

    static NaaPool open(NaaPoolBuilder settings) {
        NaaPool pool = new NaaPool(settings);
        pool.naas.forEach(PooledNaa::start);
        try {
            pool.awaitFirstSession();
            return pool;
        } catch (RuntimeException e) {
            pool.close();
            throw e;
        }
    }

    private void awaitFirstSession() {
        lock.lock();
        try {
            while (naas.stream().noneMatch(PooledNaa::isUp)) {
                if (naas.stream().allMatch(PooledNaa::wasTried)) {
                    naas.forEach(PooledNaa::refuseMisuse);
                    throw unavailable("no NAA can be reached");
                }
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    // ---- calls ----------------------------------------------------------------------------------

    /// Calls the function and has the results in the outputs.
    ///
    /// @param arguments one per region that is no constant, in order and of the same size
    /// @throws RpcException if the NAA answers with an error code
    /// @throws NaaUnavailableException if no session was free in time; nothing was called then
    /// @throws NaaException if the NAA fails; of an idempotent function, if all others fail too
    public RpcResult invoke(MemorySegment... arguments) {
        List<MemorySegment> values = checked(arguments);
        long deadline = System.nanoTime() + settings.callLimit.toNanos();
        Set<PooledNaa> tried = new HashSet<>();
        List<NaaException> failures = new ArrayList<>();
        while (true) {
            PooledSession session = take(tried, deadline, failures);
            try {
                Duration left = Duration.ofNanos(Math.max(1, deadline - System.nanoTime()));
                RpcResult result = session.call(values, left);
                giveBack(session);
                return result;
            } catch (NaaException e) {
                release(session, e);
                tried.add(session.naa());
                if (!mayBeRepeated(e) || tried.size() == naas.size()) {
                    failures.forEach(e::addSuppressed);
                    throw e;
                }
                failures.add(e);
            } catch (RuntimeException e) {
                discard(session, e);
                throw e;
            }
        }
    }

    /// Whether another NAA may do better. An NAA that is busy or shuts down has not run the
    /// function, but only one of ours says so with these codes.
    private boolean mayBeRepeated(NaaException failure) {
        return settings.idempotent
                && switch (failure) {
                    case RpcException e ->
                            e.returnCode() == ReturnCode.BUSY
                                    || e.returnCode() == ReturnCode.SHUTTING_DOWN;
                    case NaaException _ -> true;
                };
    }

    /// An error code leaves the session usable.
    private void release(PooledSession session, NaaException failure) {
        if (failure instanceof RpcException) {
            giveBack(session);
        } else {
            discard(session, failure);
        }
    }

    /// Starts a call on a virtual thread. The future completes with what [#invoke] returns or
    /// throws; the arguments are left alone until then.
    public CompletableFuture<RpcResult> invokeAsync(MemorySegment... arguments) {
        MemorySegment[] values = arguments.clone();
        return CompletableFuture.supplyAsync(() -> invoke(values), Thread::startVirtualThread);
    }

    private List<MemorySegment> checked(MemorySegment... arguments) {
        if (arguments.length != argumentBytes.size()) {
            throw new IllegalArgumentException(
                    "%d arguments; function %d takes %d here"
                            .formatted(
                                    arguments.length, settings.functionCode, argumentBytes.size()));
        }
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i].byteSize() != argumentBytes.get(i)) {
                throw new IllegalArgumentException(
                        "argument %d has %d bytes instead of %d"
                                .formatted(i, arguments[i].byteSize(), argumentBytes.get(i)));
            }
        }
        return List.of(arguments);
    }

    // ---- sessions -------------------------------------------------------------------------------

    /// A session of an NAA that was not tried.
    ///
    /// @param failures of those that were
    private PooledSession take(Set<PooledNaa> tried, long deadline, List<NaaException> failures) {
        lock.lock();
        try {
            Optional<PooledSession> session = pick(tried);
            return session.isPresent() ? session.get() : await(tried, deadline);
        } catch (NaaUnavailableException e) {
            failures.forEach(e::addSuppressed);
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /// The idle session of the NAA with the fewest calls; among equals they take turns.
    private Optional<PooledSession> pick(Set<PooledNaa> tried) {
        if (closed) {
            throw new IllegalStateException("the pool is closed");
        }
        int first = turn++;
        List<PooledNaa> order = new ArrayList<>(naas);
        Collections.rotate(order, first % order.size());
        return order.stream()
                .filter(naa -> !tried.contains(naa))
                .sorted(Comparator.comparingInt(PooledNaa::load))
                .flatMap(naa -> naa.take().stream())
                .findFirst();
    }

    private PooledSession await(Set<PooledNaa> tried, long deadline) {
        if (waiting >= settings.maxWaiting) {
            throw unavailable("%d calls wait already".formatted(waiting));
        }
        waiting++;
        try {
            Optional<PooledSession> session = Optional.empty();
            while (session.isEmpty()) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    throw unavailable(
                            "none was free within %d ms".formatted(settings.callLimit.toMillis()));
                }
                changed.awaitNanos(left);
                session = pick(tried);
            }
            return session.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable("interrupted while waiting");
        } finally {
            waiting--;
        }
    }

    private NaaUnavailableException unavailable(String why) {
        String each = status().stream().map(Naa::toString).collect(Collectors.joining("; "));
        return new NaaUnavailableException(
                new NaaException.Where(
                        NaaException.Phase.POOL,
                        NaaState.INIT,
                        "function " + settings.functionCode),
                "%s (%s); wait longer, call less at once, or add NAAs".formatted(why, each));
    }

    private void giveBack(PooledSession session) {
        locked(() -> session.naa().giveBack(session));
    }

    private void discard(PooledSession session, RuntimeException failure) {
        locked(() -> session.naa().discard(session, failure));
    }

    /// How the NAAs are doing, in the order they were added.
    public List<Naa> status() {
        lock.lock();
        try {
            return naas.stream().map(PooledNaa::status).toList();
        } finally {
            lock.unlock();
        }
    }

    // ---- for the NAAs ---------------------------------------------------------------------------

    ReentrantLock lock() {
        return lock;
    }

    boolean isClosed() {
        return closed;
    }

    /// Does something with the lock, after which waiting calls look again.
    <T> T locked(Supplier<T> action) {
        lock.lock();
        try {
            T result = action.get();
            changed.signalAll();
            return result;
        } finally {
            lock.unlock();
        }
    }

    /// The same without a result.
    void locked(Runnable action) {
        locked(() -> {
            action.run();
            return true;
        });
    }

    /// Ends all calls and closes all sessions. A second call does nothing.
    @Override
    public void close() {
        locked(() -> {
            closed = true;
            naas.forEach(PooledNaa::attend);
        });
        boolean interrupted = false;
        for (PooledNaa naa : naas) {
            try {
                naa.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
