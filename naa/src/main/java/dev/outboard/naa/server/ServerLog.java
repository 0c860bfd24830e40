package dev.outboard.naa.server;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Takes what the threads of a server have to say and passes it on from a thread of its own, since
/// a terminal, a pipe or a logger may keep whoever writes to it waiting, and a server must not
/// wait. What comes while too much is waiting is dropped, and what a client can cause is let
/// through [#LINES_PER_SECOND] times a second for each kind; both are counted, and told once there
/// is room.
///
/// ```java
/// ServerLog log = new ServerLog(out::println);
/// log.say("rejected", line);
/// …
/// log.flush(Duration.ofSeconds(1));
/// ```
///
/// Any thread may call; nothing needs to be closed.
public final class ServerLog {
    /// What may wait for the sink.
    public static final int CAPACITY = 256;

    /// How many lines of one kind pass within a second.
    public static final int LINES_PER_SECOND = 20;

    private final Consumer<String> sink;
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private final Map<String, LineRate> rates = new HashMap<>();
    private final LongAdder limited = new LongAdder();
    private boolean draining;
    private long dropped;
    private long droppedTold;

    /// @param sink takes lines, one at a time, on a thread of the log's; may block
    public ServerLog(Consumer<String> sink) {
        this.sink = sink;
    }

    /// Passes a line on that nobody else can cause at will.
    ///
    /// @return false if it was dropped
    public boolean say(String line) {
        return enqueue(() -> sink.accept(line));
    }

    /// Passes a line on that clients can cause.
    ///
    /// @param kind lines of the same kind are limited together
    public void say(String kind, String line) {
        say(kind, () -> sink.accept(line));
    }

    /// Like [#say(String,String)], with something that writes the line itself.
    void say(String kind, Runnable line) {
        LineRate.Verdict verdict;
        synchronized (this) {
            verdict =
                    rates.computeIfAbsent(kind, _ -> new LineRate(LINES_PER_SECOND))
                            .next(System.nanoTime());
        }
        if (verdict.leftOut() > 0) {
            say(
                    "%d lines about %s were left out: more than %d a second"
                            .formatted(verdict.leftOut(), kind, LINES_PER_SECOND));
        }
        if (verdict.passes()) {
            enqueue(line);
        } else {
            limited.increment();
        }
    }

    /// Waits until everything was passed on.
    ///
    /// @param limit how long at most
    /// @return whether it was
    public boolean flush(Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        synchronized (this) {
            try {
                long left = limit.toMillis();
                while (draining && left > 0) {
                    wait(left);
                    left = Duration.ofNanos(end - System.nanoTime()).toMillis();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return !draining;
        }
    }

    /// How many lines were dropped, and how many were left out because there were too many of their
    /// kind, by name.
    public synchronized Map<String, Long> counters() {
        return Map.of("log.dropped", dropped, "log.limited", limited.sum());
    }

    private boolean enqueue(Runnable line) {
        synchronized (this) {
            if (waiting.size() == CAPACITY) {
                dropped++;
                return false;
            }
            waiting.add(line);
            if (draining) {
                return true;
            }
            draining = true;
        }
        Thread.ofPlatform().daemon().name("naa-log").start(this::drain);
        return true;
    }

    private void drain() {
        for (Runnable line = next(); line != null; line = next()) {
            try {
                line.run();
            } catch (RuntimeException e) {
                lost();
            }
        }
    }

    private synchronized void lost() {
        dropped++;
    }

    /// A reader that refuses this too is not told about it: that would never end.
    private void tell(long untold) {
        try {
            sink.accept("%d lines were dropped: nobody took them".formatted(untold));
        } catch (RuntimeException e) {
            // The counter has them.
        }
    }

    /// The next to pass on: once there is room, how many had to be dropped.
    ///
    /// @return null if there is nothing left; the thread ends then
    private synchronized @Nullable Runnable next() {
        Runnable line = waiting.poll();
        if (line == null && dropped > droppedTold) {
            long untold = dropped - droppedTold;
            droppedTold = dropped;
            line = () -> tell(untold);
        }
        if (line == null) {
            draining = false;
            notifyAll();
        }
        return line;
    }
}
