package dev.outboard.doca;

import dev.outboard.fabric.CompletionChannel;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.NotificationHandle;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// What a native program waits for, in `epoll` among other things, instead of calling
/// [ProgressEngine#await]: a file descriptor (`doca_pe_get_notification_handle`). Made by
/// [ProgressEngine#notification], and closed with it.
///
/// ```java
/// Notification notification = engine.notification();
/// // add notification.handle() to an epoll set
/// while (!done) {
///     notification.request();
///     // epoll_wait
///     notification.clear();
///     while (engine.progress()) {}
/// }
/// ```
///
/// [#request] is for the threads that may progress; any thread may clear.
public final class Notification {
    private final ProgressEngine engine;
    private final NotificationHandle handle;

    Notification(ProgressEngine engine, NotificationHandle handle) {
        this.engine = engine;
        this.handle = handle;
    }

    /// The file descriptor, always the same, open until the engine is closed: to be waited for,
    /// never to be read, written or closed. Readable once there may be work.
    ///
    /// DCORE-PE-12: a file descriptor, for native users.
    ///
    /// @throws DocaException with BAD_STATE if the engine is closed
    public int handle() {
        engine.requireOpen();
        return handle.fileDescriptor();
    }

    /// From now on work makes the handle readable, which it is at once if there is work already
    /// (`doca_pe_request_notification`). It may become readable without work, too.
    ///
    /// DCORE-PE-10, DCORE-PE-11: work that is there already makes it readable.
    ///
    /// @throws DocaException with BAD_STATE if the engine is closed, or the thread mode does not
    ///   allow this thread
    public void request() {
        engine.requireOpen();
        if (engine.arm()) {
            handle.signal();
            return;
        }
        long nanos = engine.lookAgainNanos();
        if (nanos < Long.MAX_VALUE) {
            later(nanos).execute(handle::signal); // nobody else tells of work
        }
    }

    private static Executor later(long nanos) {
        return CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, Runnable::run);
    }

    /// Makes the handle unreadable, until there is work after the next [#request]
    /// (`doca_pe_clear_notification`). Afterwards [ProgressEngine#progress] until it returns false.
    ///
    /// @throws DocaException with BAD_STATE if the engine is closed
    public void clear() {
        engine.requireOpen();
        handle.clear();
    }

    // ---- the engine's ---------------------------------------------------------------------------

    /// What tells of work for `contexts`, made on the device of the first.
    ///
    /// @throws DocaException with BAD_STATE if there is none, with DRIVER if it cannot be made
    static Notification of(
            ProgressEngine engine, Ctx[] contexts, Collection<CompletionChannel> channels) {
        if (contexts.length == 0) {
            throw new DocaException(
                    DocaError.BAD_STATE, "the progress engine drives no context; attach one first");
        }
        DocaDev dev = contexts[0].device();
        try {
            NotificationHandle handle = dev.protectionDomain().device().createNotificationHandle();
            channels.forEach(channel -> channel.attach(handle));
            return new Notification(engine, handle);
        } catch (FabricException e) {
            throw DocaException.of("making a notification handle on " + dev, e);
        }
    }

    /// A channel whose notifications, and those of all others, `told` tells of, if anybody asked
    /// for it.
    static CompletionChannel channel(Device device, @Nullable Notification told) {
        CompletionChannel channel = device.createCompletionChannel();
        if (told != null) {
            channel.attach(told.handle);
        }
        return channel;
    }

    /// Makes it readable, if anybody asked for it.
    static void signal(@Nullable Notification told) {
        if (told != null) {
            told.handle.signal();
        }
    }

    /// Closes its file descriptor, if anybody asked for it.
    static void close(@Nullable Notification told) {
        if (told != null) {
            told.handle.close();
        }
    }
}
