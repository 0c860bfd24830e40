package dev.outboard.fabric.roce.io;

import dev.outboard.fabric.linux.Descriptor;
import dev.outboard.fabric.linux.EventFd;
import dev.outboard.fabric.linux.Libc;
import dev.outboard.fabric.linux.Pollfd;
import dev.outboard.fabric.linux.Timespec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// Blocks the thread that drives an engine until a socket is readable, a time has passed, or
/// another thread calls [#wake]. One thread at a time waits; any thread may wake and close.
///
/// A wake-up is a permit, as in [java.util.concurrent.locks.LockSupport]: given while nobody waits,
/// it ends the next wait at once. So whoever has work first publishes it and then wakes; whoever
/// waits first looks for work. Nothing is lost, and waking a thread that runs costs no system call.
public final class Waiter implements AutoCloseable {
    /// No permit, nobody waits.
    private static final int RUNNING = 0;

    /// Somebody waits in the kernel, or is about to.
    private static final int WAITING = 1;

    /// Somebody called [#wake].
    private static final int WOKEN = 2;

    /// For good.
    private static final int CLOSED = 3;

    private final List<Descriptor> sockets;
    private final EventFd event = new EventFd("waiter");
    private final AtomicInteger state = new AtomicInteger(RUNNING);

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment waitErrno = Libc.errnoIn(arena);

    private final MemorySegment polled;
    private final MemorySegment timeout = arena.allocate(Timespec.SIZE, Long.BYTES);

    /// A waiter for `sockets`, which stay the caller's.
    public Waiter(UdpSocket... sockets) {
        this.sockets = List.of(sockets).stream().map(UdpSocket::descriptor).toList();
        this.polled = arena.allocate((sockets.length + 1) * Pollfd.SIZE, Long.BYTES);
    }

    /// Waits for at most `timeoutNanos`.
    ///
    /// @return false if the time passed and nothing happened. It may return true for no reason.
    public boolean await(long timeoutNanos) {
        if (timeoutNanos <= 0 || !state.compareAndSet(RUNNING, WAITING)) {
            return consumePermit();
        }
        try {
            return poll(timeoutNanos) != 0;
        } finally {
            enter(RUNNING);
        }
    }

    private boolean consumePermit() {
        int before = enter(RUNNING);
        if (before == CLOSED) {
            throw new IllegalStateException("the waiter is closed");
        }
        return before == WOKEN;
    }

    /// Enters `next` unless closed, and returns the state before.
    private int enter(int next) {
        while (true) {
            int now = state.get();
            if (now == CLOSED || state.compareAndSet(now, next)) {
                return now;
            }
        }
    }

    private int poll(long timeoutNanos) {
        int acquired = 0;
        int eventFd = event.acquire();
        try {
            Pollfd.set(polled, 0, eventFd, Pollfd.POLLIN);
            for (Descriptor socket : sockets) {
                int fd = socket.acquire();
                acquired++;
                Pollfd.set(polled, acquired, fd, Pollfd.POLLIN);
            }
            Timespec.set(timeout, timeoutNanos);
            int ready = Libc.ppoll(waitErrno, polled, acquired + 1L, timeout);
            if (ready > 0 && Pollfd.returnedEvents(polled, 0) != 0) {
                event.clear();
            }
            return ready;
        } finally {
            for (int i = 0; i < acquired; i++) {
                sockets.get(i).release();
            }
            event.release();
        }
    }

    /// Ends the current wait, or else the next one.
    public void wake() {
        if (enter(WOKEN) == WAITING) {
            event.signal();
        }
    }

    /// Ends a wait that is going on; later waits throw, later wake-ups do nothing. The sockets stay
    /// open.
    @Override
    public void close() {
        if (state.getAndSet(CLOSED) != CLOSED) {
            event.signal();
            event.close();
        }
    }
}
