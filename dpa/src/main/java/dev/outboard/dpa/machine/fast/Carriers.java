package dev.outboard.dpa.machine.fast;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// DPA-HW-17: lets as many threads of Java run at once as there are processors, and the others in
/// their order.
///
/// To leave that to the scheduler of virtual threads would not do: a carrier whose own queue never
/// gets empty, since two threads that poll take turns on it, never looks at the threads that others
/// have started or woken, and the one that they wait for may be among those. So whoever starts or
/// wakes a thread puts it into the queue here, and none of them is runnable before its turn.
///
/// Activations are run by workers, each of which takes the next one when it is done. It allocates
/// nothing but workers: one more whenever an activation begins while all others have begun and not
/// ended theirs.
final class Carriers {
    private final ReentrantLock lock = new ReentrantLock();
    private final Queue<Turn> queue = new ArrayDeque<>();

    /// The one that has worked last is the first to work again.
    private final Deque<Worker> idle = new ArrayDeque<>();

    private final int count;
    private int free;
    private int workers;
    private boolean open;

    /// Whoever is done ends.
    private boolean dismissed;

    private volatile int waiting;

    Carriers(int count) {
        this.count = count;
        free = count;
    }

    /// The turn of a thread or of an activation. It may be used again when it has come.
    static final class Turn {
        /// What a worker is to run, unless a thread waits.
        private final @Nullable Runnable activation;

        private @Nullable Thread thread;
        private volatile boolean granted;

        /// That of a thread.
        Turn() {
            activation = null;
        }

        /// That of an activation, which begins when it comes and may sleep for it later.
        Turn(Runnable activation) {
            this.activation = activation;
        }

        /// The calling thread will sleep for it.
        Turn ofCaller() {
            return of(Thread.currentThread());
        }

        /// That thread will sleep for it.
        Turn of(Thread sleeper) {
            thread = sleeper;
            return this;
        }

        /// Sleeps until it comes.
        void await() {
            while (!granted) {
                LockSupport.park(this);
            }
            granted = false;
            thread = null;
        }
    }

    /// A thread that runs activations.
    private static final class Worker {
        private final Thread thread;
        private volatile @Nullable Runnable task;
        private volatile boolean dismissed;

        private Worker(Thread.Builder builder, Carriers carriers) {
            thread = builder.unstarted(() -> carriers.work(this));
        }

        private void give(Runnable next) {
            task = next;
            LockSupport.unpark(thread);
        }

        private void dismiss() {
            dismissed = true;
            LockSupport.unpark(thread);
        }

        /// @return null if there is nothing to do any more
        private @Nullable Runnable await() {
            Runnable next = task;
            while (next == null && !dismissed) {
                LockSupport.park(this);
                next = task;
            }
            task = null;
            return next;
        }
    }

    /// Starts a thread when it is its turn.
    void start(Thread thread) {
        Turn turn = new Turn();
        turn.thread = thread;
        admit(turn);
    }

    /// Ends the running of the calling thread.
    void leave() {
        lock.lock();
        try {
            free++;
            grantFree();
        } finally {
            lock.unlock();
        }
    }

    /// Lets the next one run, if there is one, and waits for its own next turn.
    void giveWay(Turn self) {
        if (waiting == 0) {
            return;
        }
        lock.lock();
        try {
            Turn next = poll();
            if (next == null) {
                return;
            }
            add(self.ofCaller());
            grant(next);
        } finally {
            lock.unlock();
        }
        self.await();
    }

    /// Sleeps until it has been woken and it is its turn.
    void sleep(Turn sleeper) {
        leave();
        sleeper.await();
    }

    /// The calling thread, which has that turn, sleeps for a while.
    void nap(Turn sleeper, long nanos) {
        sleeper.ofCaller();
        leave();
        long begin = System.nanoTime();
        for (long left = nanos; left > 0; left = begin + nanos - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
        }
        admit(sleeper);
        sleeper.await();
    }

    /// Lets a thread run that sleeps or is about to, or an activation begin: at once, or when it is
    /// its turn.
    void admit(Turn turn) {
        lock.lock();
        try {
            add(turn);
            grantFree();
        } finally {
            lock.unlock();
        }
    }

    /// The same, by a worker whose activation is at its end: it looks after it itself.
    void follow(Turn turn) {
        lock.lock();
        try {
            add(turn);
        } finally {
            lock.unlock();
        }
    }

    /// From now on everybody runs at once: the run is over.
    void open() {
        lock.lock();
        try {
            open = true;
            grantFree();
        } finally {
            lock.unlock();
        }
    }

    /// Nobody is left whose activations could begin.
    void dismiss() {
        lock.lock();
        try {
            Worker worker;
            while ((worker = idle.poll()) != null) {
                worker.dismiss();
            }
            workers = 0;
            dismissed = true;
        } finally {
            lock.unlock();
        }
    }

    private void grantFree() {
        while (waiting > 0 && (open || free > 0)) {
            free--;
            grant(queue.remove());
            waiting = queue.size();
        }
    }

    private void grant(Turn turn) {
        Thread thread = turn.thread;
        if (thread != null) {
            turn.granted = true;
            if (thread.getState() == Thread.State.NEW) {
                thread.start();
            } else {
                LockSupport.unpark(thread);
            }
        } else if (turn.activation != null && !NicThread.keep(turn.activation)) {
            Worker worker = idle.poll();
            (worker == null ? create() : worker).give(turn.activation);
        }
    }

    /// As many platform threads as may run at once, since those are woken without allocating
    /// anything; whoever comes when all of these are in the middle of an activation is a virtual
    /// one.
    private Worker create() {
        workers++;
        dismissed = false;
        Thread.Builder builder =
                workers <= count
                        ? Thread.ofPlatform().daemon().name("worker " + workers + " of a DPA")
                        : Thread.ofVirtual().name("worker of a DPA");
        Worker worker = new Worker(builder, this);
        worker.thread.start();
        return worker;
    }

    private void work(Worker self) {
        Runnable next = self.await();
        while (next != null) {
            next.run();
            next = next(self);
            if (next == null) {
                next = self.await();
            }
        }
    }

    /// The worker is done: it takes the next activation, or makes room for somebody else.
    ///
    /// @return null if it has to wait for the next one
    private @Nullable Runnable next(Worker self) {
        lock.lock();
        try {
            Turn next = poll();
            Runnable mine = next == null || next.thread != null ? null : next.activation;
            if (mine == null) {
                if (dismissed) {
                    self.dismiss();
                } else {
                    idle.push(self);
                }
                if (next == null) {
                    free++;
                } else {
                    grant(next);
                }
            }
            grantFree();
            return mine;
        } finally {
            lock.unlock();
        }
    }

    private void add(Turn turn) {
        queue.add(turn);
        waiting = queue.size();
    }

    private @Nullable Turn poll() {
        Turn next = queue.poll();
        waiting = queue.size();
        return next;
    }
}
