package dev.outboard.naa.client;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.Device;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/// A completion queue that the clients of a device share, so that one thread can wait for all of
/// them. Each client has a [QueueShare] of it.
///
/// Of the threads that want completions one *leads*: it polls or sleeps on the queue, keeps what is
/// its own and puts the rest into the other shares. The others sleep until something is put into
/// theirs or the leader leaves. So a client that is alone is its own leader, without a hand-over.
final class SharedQueue implements AutoCloseable {
    private final CompletionQueue queue;
    private final AsyncRpcs asyncRpcs = new AsyncRpcs(this);
    private int free;
    private volatile QueueShare[] shares = {};

    private final AtomicBoolean led = new AtomicBoolean();
    private final Completion completion = new Completion();
    private final Set<Sleeper> followers = ConcurrentHashMap.newKeySet();

    SharedQueue(Device device, int capacity) {
        this.queue = device.createCompletionQueue(capacity);
        this.free = capacity;
    }

    /// The queue to create queue pairs with.
    CompletionQueue queue() {
        return queue;
    }

    /// The asynchronous RPCs of its clients.
    AsyncRpcs asyncRpcs() {
        return asyncRpcs;
    }

    // ---- shares ---------------------------------------------------------------------------------

    /// A share for at most `capacity` completions; empty if there is no room for it.
    synchronized Optional<QueueShare> share(int capacity) {
        if (capacity > free) {
            return Optional.empty();
        }
        free -= capacity;
        QueueShare share = new QueueShare(this, capacity);
        QueueShare[] more = Arrays.copyOf(shares, shares.length + 1);
        more[shares.length] = share;
        shares = more;
        return Optional.of(share);
    }

    /// The share's queue pair is gone.
    synchronized void remove(QueueShare share) {
        shares = Arrays.stream(shares).filter(s -> s != share).toArray(QueueShare[]::new);
        free += share.capacity();
    }

    /// Completions of queue pairs that are gone belong to nobody.
    private void put(Completion added) {
        for (QueueShare share : shares) {
            if (share.isOf(added)) {
                share.put(added);
                return;
            }
        }
    }

    // ---- leading --------------------------------------------------------------------------------

    /// Takes the next completion of `share`, unless another thread leads.
    boolean poll(QueueShare share, Completion into) {
        if (!led.compareAndSet(false, true)) {
            return false;
        }
        try {
            // The last leader may have put one there a moment ago.
            if (share.take(into)) {
                return true;
            }
            while (queue.poll(completion)) {
                if (share.isOf(completion)) {
                    into.copyFrom(completion);
                    return true;
                }
                put(completion);
            }
            return false;
        } finally {
            leave();
        }
    }

    /// Waits until `sleeper` is woken by a completion that was put into a share of its.
    void await(Sleeper sleeper, long nanos) {
        long start = System.nanoTime();
        long left = nanos;
        while (!sleeper.isWoken() && left > 0) {
            if (led.compareAndSet(false, true)) {
                try {
                    lead(sleeper, start, nanos);
                } finally {
                    leave();
                }
            } else {
                follow(sleeper, left);
            }
            left = nanos - (System.nanoTime() - start);
        }
    }

    private void lead(Sleeper sleeper, long start, long nanos) {
        long left = nanos - (System.nanoTime() - start);
        while (!sleeper.isWoken() && left > 0) {
            queue.requestNotification(false);
            /// NAA-POLL-4: a completion may have come before the queue was armed.
            distribute(sleeper);
            if (!sleeper.isWoken()) {
                queue.await(left);
            }
            left = nanos - (System.nanoTime() - start);
        }
        distribute(sleeper);
    }

    /// Stops at a completion for `sleeper`: who polls an empty queue sends the acknowledgement that
    /// could go with the next request. What is left is for the next leader.
    private void distribute(Sleeper sleeper) {
        while (!sleeper.isWoken() && queue.poll(completion)) {
            put(completion);
        }
    }

    private void follow(Sleeper sleeper, long nanos) {
        followers.add(sleeper);
        sleeper.sleep(nanos, () -> !led.get());
        followers.remove(sleeper);
    }

    private void leave() {
        led.set(false);
        if (!followers.isEmpty()) {
            followers.forEach(Sleeper::nudge);
        }
    }

    /// Releases the queue, once nobody has a share.
    @Override
    public void close() {
        asyncRpcs.close();
        queue.close();
    }
}
