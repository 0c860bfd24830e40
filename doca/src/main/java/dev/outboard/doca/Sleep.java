package dev.outboard.doca;

import dev.outboard.fabric.CompletionChannel;
import dev.outboard.fabric.Device;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// The sleep of the one thread that waits for a progress engine, and what ends it: a notification
/// of one of its devices, or [#wake]. A native program sleeps on a [Notification] instead.
///
/// [#begin], [#takeWoken] and [#notification] are called by one thread at a time, [#sleep] and
/// [#end] by the one that began; the rest from any.
final class Sleep {
    /// An interrupt is noticed after this at the latest.
    private static final long LONGEST_NANOS = 50_000_000;

    private final Map<Device, CompletionChannel> channels = new ConcurrentHashMap<>();

    /// The first of them, which the others wake, too.
    private volatile @Nullable CompletionChannel waited;

    private volatile @Nullable Thread sleeper;
    private volatile @Nullable Notification notification;
    private volatile boolean woken;

    /// The channel whose notifications end it.
    synchronized CompletionChannel channel(Device device) {
        return channels.computeIfAbsent(device, this::newChannel);
    }

    private CompletionChannel newChannel(Device device) {
        CompletionChannel channel = Notification.channel(device, notification);
        CompletionChannel first = waited;
        if (first == null) {
            waited = channel;
        } else {
            channel.attach(first);
        }
        return channel;
    }

    /// What native programs wait for; the same each time.
    Notification notification(ProgressEngine engine, Ctx[] contexts) {
        Notification made = notification;
        if (made == null) {
            made = Notification.of(engine, contexts, channels.values());
            notification = made;
        }
        return made;
    }

    /// The current thread is the one that sleeps, until [#end].
    ///
    /// @return false if there is one
    boolean begin() {
        if (sleeper != null) {
            return false;
        }
        sleeper = Thread.currentThread();
        return true;
    }

    @Nullable Thread sleeper() {
        return sleeper;
    }

    /// Sleeps for so long at most; it may be shorter without a reason.
    void sleep(long nanos) {
        long most = Math.min(nanos, LONGEST_NANOS);
        CompletionChannel channel = waited;
        if (channel == null) {
            LockSupport.parkNanos(this, most);
        } else {
            channel.await(most);
        }
    }

    void end() {
        sleeper = null;
    }

    /// Ends the sleep that is going on, or else the next one.
    void wake() {
        woken = true;
        Notification.signal(notification);
        CompletionChannel channel = waited;
        if (channel != null) {
            channel.wake();
        }
        LockSupport.unpark(sleeper);
    }

    /// Whether [#wake] was called since this was last asked.
    boolean takeWoken() {
        boolean was = woken;
        woken = false;
        return was;
    }

    /// Ends the sleep, and gives channels and notification up.
    void close() {
        Notification.close(notification);
        channels.values().forEach(CompletionChannel::close);
        channels.clear();
        LockSupport.unpark(sleeper);
    }
}
