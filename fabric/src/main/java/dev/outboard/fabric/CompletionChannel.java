package dev.outboard.fabric;

import java.util.function.Consumer;

/// Where completion queues report their notifications together, so that one thread can wait for all
/// of them (the verbs' `ibv_comp_channel`).
///
/// ```java
/// queues.forEach(this::handle);
/// while (channel.await(timeoutNanos)) {
///     channel.takeNotified(this::handle);
/// }
///
/// void handle(CompletionQueue queue) {
///     queue.requestNotification(false);
///     while (queue.poll(completion)) { … }
/// }
/// ```
///
/// Request first and poll afterwards: nothing is lost then. While a thread waits for one of the
/// queues [by itself][CompletionQueue#await], the channel is not told of that queue.
///
/// One thread at a time may await and take; any thread may wake and close.
public interface CompletionChannel extends AutoCloseable {
    /// Waits until one of the queues gets the notification requested of it, or [#wake] is called,
    /// sleeping if need be. What happened since the last wait ended counts too.
    ///
    /// @return false if `timeoutNanos` passed first or the channel was closed; true may come for a
    ///   completion that was polled meanwhile
    boolean await(long timeoutNanos);

    /// Hands over each open queue that was notified since it was last taken, in no certain order.
    void takeNotified(Consumer<? super CompletionQueue> action);

    /// Ends the wait that is going on, or else the next one.
    void wake();

    /// Signals `handle`, too, with each notification and [#wake] from now on, and at once if one
    /// came since the last wait ended. It takes the place of the handle attached before.
    void attach(NotificationHandle handle);

    /// Wakes `other`, too, with each notification and [#wake] from now on, and at once if one came
    /// since the last wait ended: for a thread that waits for several devices. It takes the place
    /// of the channel attached before.
    ///
    /// @param other of any device; nothing attached to it, or to what that is attached to, is this
    void attach(CompletionChannel other);

    /// Ends the wait that is going on, and all that follow.
    ///
    /// @throws FabricException with IN_USE while it has completion queues
    @Override
    void close();
}
