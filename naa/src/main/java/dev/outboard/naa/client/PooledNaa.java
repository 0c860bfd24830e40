package dev.outboard.naa.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// One NAA of a [NaaPool]: its sessions, and the thread that opens, checks and closes them. Callers
/// only take idle sessions and bring them back. Everything is guarded by the pool's lock, which is
/// not held while the network is waited for.
final class PooledNaa {
    /// Long enough for a lost packet to be sent again.
    private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(2);

    private final NaaPool pool;
    private final NaaPoolBuilder settings;
    private final NaaAddress address;
    private final Condition attention;
    private final Thread keeper;

    private final Deque<PooledSession> idle = new ArrayDeque<>();
    private final Set<PooledSession> busy = new HashSet<>();
    private final List<PooledSession> broken = new ArrayList<>();

    /// A session has broken in use: nobody gets another until all were checked.
    private boolean isSuspect;

    private long suspicions;

    private boolean wasTried;
    private @Nullable RuntimeException lastFailure;
    private long calls;
    private long failures;

    PooledNaa(NaaPool pool, NaaPoolBuilder settings, NaaAddress address) {
        this.pool = pool;
        this.settings = settings;
        this.address = address;
        this.attention = pool.lock().newCondition();
        this.keeper =
                Thread.ofPlatform().daemon().name("naa-pool " + address).unstarted(this::keep);
    }

    void start() {
        keeper.start();
    }

    NaaAddress address() {
        return address;
    }

    // ---- callers, with the lock -----------------------------------------------------------------

    /// An idle session, which is in use now.
    Optional<PooledSession> take() {
        Optional<PooledSession> session =
                isSuspect ? Optional.empty() : Optional.ofNullable(idle.poll());
        session.ifPresent(busy::add);
        return session;
    }

    /// How many sessions are in use.
    int load() {
        return busy.size();
    }

    /// A session is not in use any more.
    void giveBack(PooledSession session) {
        calls++;
        busy.remove(session);
        idle.push(session);
        attendIfClosed();
    }

    /// A session has broken while in use.
    void discard(PooledSession session, RuntimeException failure) {
        calls++;
        isSuspect = true;
        suspicions++;
        lost(session, failure);
        attend();
    }

    private void lost(PooledSession session, RuntimeException failure) {
        busy.remove(session);
        broken.add(session);
        failed(failure);
    }

    private void failed(RuntimeException failure) {
        failures++;
        lastFailure = failure;
    }

    /// Whether it is known whether the NAA can be reached.
    boolean wasTried() {
        return wasTried;
    }

    boolean isUp() {
        return !isSuspect && !(idle.isEmpty() && busy.isEmpty());
    }

    NaaPool.Naa status() {
        return new NaaPool.Naa(
                address,
                isUp(),
                idle.size(),
                busy.size(),
                calls,
                failures,
                lastFailure == null ? "" : String.valueOf(lastFailure.getMessage()));
    }

    /// Wakes the keeper.
    void attend() {
        attention.signal();
    }

    private void attendIfClosed() {
        if (pool.isClosed()) {
            attend();
        }
    }

    /// Throws what shows that no NAA would do.
    void refuseMisuse() {
        if (lastFailure instanceof IllegalArgumentException e) {
            throw e;
        }
    }

    // ---- the keeper -----------------------------------------------------------------------------

    private void keep() {
        while (!pool.isClosed()) {
            closeBroken();
            checkIdle();
            closeBroken();
            fill();
            awaitAttention(() -> isSuspect || pool.isClosed());
        }
        closeAll();
    }

    /// Waits until the next check is due.
    ///
    /// @param unless asked with the lock: there is something to do now
    private void awaitAttention(BooleanSupplier unless) {
        pool.lock().lock();
        try {
            long left = settings.checkInterval.toNanos();
            while (left > 0 && !unless.getAsBoolean()) {
                left = attention.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            // Nobody interrupts a keeper; looking around once more does no harm.
        } finally {
            pool.lock().unlock();
        }
    }

    /// Asks every idle session for a sign of life, one at a time. Unless another has broken
    /// meanwhile, the NAA is not suspect any more.
    private void checkIdle() {
        long before = pool.locked(() -> suspicions);
        List<PooledSession> sessions = pool.locked(() -> List.copyOf(idle));
        for (PooledSession session : sessions) {
            boolean taken = pool.locked(() -> idle.remove(session) && busy.add(session));
            if (taken) {
                check(session);
            }
        }
        pool.locked(() -> isSuspect = suspicions != before);
    }

    private void check(PooledSession session) {
        try {
            session.check(SIGN_OF_LIFE);
            pool.locked(() -> busy.remove(session) && idle.offer(session));
        } catch (RuntimeException e) {
            pool.locked(() -> lost(session, e));
        }
    }

    /// Opens sessions until there are enough, or one cannot be opened.
    private void fill() {
        boolean opened = true;
        while (opened && pool.locked(this::isShort)) {
            opened = openOne();
        }
    }

    private boolean isShort() {
        return idle.size() + busy.size() < settings.sessionsPerNaa && !pool.isClosed();
    }

    private boolean openOne() {
        try {
            PooledSession session = new PooledSession(this, settings);
            pool.locked(() -> wasTried = idle.offer(session));
            return true;
        } catch (RuntimeException e) {
            pool.locked(() -> {
                failed(e);
                wasTried = true;
            });
            return false;
        }
    }

    private void closeBroken() {
        List<PooledSession> sessions =
                pool.locked(() -> {
                    List<PooledSession> taken = List.copyOf(broken);
                    broken.clear();
                    return taken;
                });
        sessions.forEach(PooledSession::close);
    }

    /// Calls that are under way fail, and their callers bring the sessions back.
    private void closeAll() {
        pool.locked(() -> List.copyOf(busy)).forEach(PooledSession::disconnect);
        while (pool.locked(() -> !busy.isEmpty())) {
            awaitAttention(busy::isEmpty);
        }
        pool.locked(() -> broken.addAll(idle));
        closeBroken();
    }

    /// Waits until everything is closed.
    void join() throws InterruptedException {
        keeper.join();
    }
}
