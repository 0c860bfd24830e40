package dev.outboard.node.offload;

import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RpcContext;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Lets no more calls onto a target at a time than its limit says; the others wait in the order in
/// which they have come. Any thread may call.
final class TargetTurns {
    private final Target target;
    private final ReentrantLock lock = new ReentrantLock();

    /// Who waits, the first first.
    private final Deque<Condition> waiting = new ArrayDeque<>();

    private TargetLimit limit = TargetLimit.NONE;
    private int running;
    private long busy;

    TargetTurns(Target target) {
        this.target = target;
    }

    /// Has another limit from now on. Calls that run beyond it go on.
    void limit(TargetLimit value) {
        lock.lock();
        try {
            limit = value;
            waiting.forEach(Condition::signal);
        } finally {
            lock.unlock();
        }
    }

    /// Waits for its turn, no longer than the call may take.
    ///
    /// @throws RoutineException with [TargetError#BUSY] if too many wait, or the time is over
    void enter(RpcContext rpc) throws RoutineException, InterruptedException {
        lock.lockInterruptibly();
        try {
            if (waiting.isEmpty() && running < limit.calls()) {
                running++;
                return;
            }
            if (waiting.size() >= limit.waiting()) {
                throw busy(
                        "%d calls run on target '%s', and %d wait already"
                                .formatted(running, target.word(), waiting.size()));
            }
            await(rpc);
        } finally {
            lock.unlock();
        }
    }

    private void await(RpcContext rpc) throws RoutineException, InterruptedException {
        Condition turn = lock.newCondition();
        waiting.add(turn);
        try {
            while (!turn.equals(waiting.peek()) || running >= limit.calls()) {
                if (rpc.isCancelled()) {
                    throw busy(
                            "target '%s' computed for others until the time of the call was over"
                                    .formatted(target.word()));
                }
                turn.await(rpc.remaining().toNanos(), TimeUnit.NANOSECONDS);
            }
            running++;
        } finally {
            waiting.remove(turn);
            wakeFirst();
        }
    }

    /// A call that has entered is over.
    void leave() {
        lock.lock();
        try {
            running--;
            wakeFirst();
        } finally {
            lock.unlock();
        }
    }

    private void wakeFirst() {
        Condition first = waiting.peek();
        if (first != null) {
            first.signal();
        }
    }

    private RoutineException busy(String why) {
        busy++;
        return TargetError.BUSY.because(why);
    }

    /// Adds what was counted, and what is going on, by name.
    void addTo(Map<String, Long> sums) {
        lock.lock();
        try {
            String prefix = "target." + target.word() + ".";
            sums.put(prefix + "running", (long) running);
            sums.put(prefix + "waiting", (long) waiting.size());
            sums.put(prefix + "busy", busy);
        } finally {
            lock.unlock();
        }
    }
}
