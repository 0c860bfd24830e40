package dev.outboard.dpa.machine.fast;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// DPA-HW-17: lets as many virtual threads run at once as there are carriers for them, and the
/// others in their order.
///
/// To leave that to `Thread.yield` would not do: a carrier whose own queue never gets empty, since
/// two threads that poll take turns on it, never looks at the threads that others have started or
/// woken, and the one that they wait for may be among those. So whoever starts or wakes a thread
/// puts it into the queue here, and none of them is runnable before its turn.
final class Carriers {
    private final ReentrantLock lock = new ReentrantLock();
    private final Queue<Turn> queue = new ArrayDeque<>();
    private int free;
    private boolean open;
    private volatile int waiting;

    Carriers(int count) {
        free = count;
    }

    /// The turn of a thread, which it waits for.
    static final class Turn {
        private final Thread thread;
        private final boolean first;
        private volatile boolean granted;

        private Turn(Thread thread, boolean first) {
            this.thread = thread;
            this.first = first;
        }

        private void grant() {
            granted = true;
            if (first) {
                thread.start();
            } else {
                LockSupport.unpark(thread);
            }
        }

        private void await() {
            while (!granted) {
                LockSupport.park(this);
            }
        }
    }

    /// Starts a thread when it is its turn.
    void start(Thread thread) {
        admit(new Turn(thread, true));
    }

    /// Ends the running of the calling thread.
    void leave() {
        lock.lock();
        try {
            Turn next = poll();
            if (next == null) {
                free++;
            } else {
                next.grant();
            }
        } finally {
            lock.unlock();
        }
    }

    /// Lets the next one run, if there is one, and waits for its own next turn.
    void giveWay() {
        if (waiting == 0) {
            return;
        }
        Turn self = sleeper();
        lock.lock();
        try {
            Turn next = poll();
            if (next == null) {
                return;
            }
            add(self);
            next.grant();
        } finally {
            lock.unlock();
        }
        self.await();
    }

    /// The turn that the calling thread will sleep for.
    Turn sleeper() {
        return new Turn(Thread.currentThread(), false);
    }

    /// Sleeps until it has been woken and it is its turn.
    void sleep(Turn sleeper) {
        leave();
        sleeper.await();
    }

    /// Wakes a thread that sleeps, or is about to. Each turn comes once.
    void wake(Turn sleeper) {
        admit(sleeper);
    }

    /// From now on everybody runs at once: the run is over.
    void open() {
        lock.lock();
        try {
            open = true;
            Turn next;
            while ((next = poll()) != null) {
                next.grant();
            }
        } finally {
            lock.unlock();
        }
    }

    private void admit(Turn turn) {
        lock.lock();
        try {
            if (open || free > 0) {
                free--;
                turn.grant();
            } else {
                add(turn);
            }
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
