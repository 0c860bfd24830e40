package dev.outboard.node.offload;

import dev.outboard.fabric.Device;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RpcContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The routines of a JAR in processes of their own: whatever one does there, it costs its caller a
/// code, and nobody else anything. A process computes one call at a time, on copies of its regions.
/// One that ends, or has to be killed since its call takes longer than it may, is replaced.
///
/// No process outlives the node: they end when their standard input does.
public final class IsolatedJar implements OffloadedRoutine {
    private static final int FEWEST = 2;

    private final Path jar;
    private final long memoryBytes;
    private final Offload offload;
    private final int most = Math.max(FEWEST, Runtime.getRuntime().availableProcessors());
    private final ReentrantLock lock = new ReentrantLock(true);
    private final Condition changed = lock.newCondition();
    private final Deque<RoutineProcess> idle = new ArrayDeque<>();

    /// How many there are: idle ones, those that compute and those that start.
    private int count;

    private String whyNone = "all its processes compute for others";
    private boolean closed;

    private IsolatedJar(Path jar, long memoryBytes, Offload offload) {
        this.jar = jar;
        this.memoryBytes = memoryBytes;
        this.offload = offload;
    }

    /// What a JAR offers, to be run by a node in processes of their own.
    ///
    /// @param memoryBytes how much heap a process may have, and how much other memory
    /// @throws IllegalArgumentException if there is no such file, it is no JAR, has no provider or
    ///   one that cannot be used, or two routines have the same function code
    /// @throws UncheckedIOException if no process can be started
    public static RoutineSet load(Path jar, long memoryBytes) {
        Offload offload =
                new Offload() {
                    @Override
                    public OffloadedRoutine open(Device device) {
                        return opened(jar, memoryBytes, this);
                    }
                };
        try (RoutineProcess process = RoutineProcess.start(jar, memoryBytes, offload)) {
            return RoutineSet.of().with(process.routines(), jar.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    private static IsolatedJar opened(Path jar, long memoryBytes, Offload offload) {
        IsolatedJar made = new IsolatedJar(jar, memoryBytes, offload);
        try {
            made.idle.add(RoutineProcess.start(jar, memoryBytes, offload));
            made.count = 1;
            made.startAnother();
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    @Override
    public boolean isWaiting() {
        return true;
    }

    @Override
    public int run(RpcContext rpc) throws RoutineException, InterruptedException {
        RoutineProcess process = take(rpc);
        try {
            return process.run(rpc);
        } finally {
            giveBack(process);
        }
    }

    /// One is always in reserve, or on its way: a process that dies keeps nobody waiting.
    private RoutineProcess take(RpcContext rpc) throws RoutineException, InterruptedException {
        long left = rpc.remaining().toNanos();
        lock.lockInterruptibly();
        try {
            dropTheDead();
            while (idle.isEmpty()) {
                startAnother();
                if (left <= 0 || closed) {
                    throw TargetError.BUSY.because("%s: %s".formatted(jar, whyNone));
                }
                left = changed.awaitNanos(left);
                dropTheDead();
            }
            RoutineProcess taken = idle.pop();
            if (idle.isEmpty()) {
                startAnother();
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /// A routine may leave a thread that ends the process after its call.
    private void dropTheDead() {
        List<RoutineProcess> dead = idle.stream().filter(process -> !process.isSound()).toList();
        idle.removeAll(dead);
        count -= dead.size();
        dead.forEach(RoutineProcess::close);
    }

    private void giveBack(RoutineProcess process) {
        boolean isKept;
        lock.lock();
        try {
            isKept = process.isSound() && !closed;
            if (isKept) {
                idle.push(process);
                changed.signal();
            } else {
                count--;
                startAnother();
            }
        } finally {
            lock.unlock();
        }
        if (!isKept) {
            process.close();
        }
    }

    private void startAnother() {
        if (count < most && !closed) {
            count++;
            Thread.ofPlatform().daemon().name("routine-process-start").start(this::start);
        }
    }

    private void start() {
        try {
            RoutineProcess made = RoutineProcess.start(jar, memoryBytes, offload);
            lock.lock();
            try {
                if (closed) {
                    made.close();
                } else {
                    idle.push(made);
                    changed.signal();
                }
            } finally {
                lock.unlock();
            }
        } catch (IOException | RuntimeException e) {
            lock.lock();
            try {
                count--;
                whyNone = String.valueOf(e.getMessage());
            } finally {
                lock.unlock();
            }
        }
    }

    /// Kills the processes.
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            idle.forEach(RoutineProcess::close);
            idle.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
