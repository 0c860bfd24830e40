package dev.outboard.fabric;

/// A queue of finished work requests, in the order they finished.
///
/// One thread at a time may call [#poll], [#take], [#requestNotification] and [#await]. Polling an
/// empty queue drives the device, so a busy loop over `poll` is the fastest way to wait:
///
/// ```java
/// Completion completion = new Completion();
/// while (!queue.poll(completion)) {
///     Thread.onSpinWait();
/// }
/// ```
///
/// To sleep instead: request a notification, poll once more (a completion may have come in
/// between), then await.
///
/// A queue made with a [CompletionSink] holds nothing: polling it drives the device, which hands
/// completions to the sink, and finds none. Who awaits it drives the device as well, and comes back
/// when the sink has had what was asked for.
public interface CompletionQueue extends AutoCloseable {
    /// Takes the oldest completion.
    ///
    /// @return false if there is none; `into` is then unchanged
    boolean poll(Completion into);

    /// Takes the oldest completion if there is one already, without driving the device: for a
    /// thread that sees to several queues and has the device driven by waiting for their
    /// [CompletionChannel].
    ///
    /// @return false if there is none; `into` is then unchanged
    boolean take(Completion into);

    /// Arms the queue: the next completion added ends [#await], or else is told to the queue's
    /// [CompletionChannel] if it has one.
    ///
    /// @param solicitedOnly only a receive whose sender asked for an event, or any error, shall
    ///   wake it
    void requestNotification(boolean solicitedOnly);

    /// Waits for the notification last requested, sleeping if need be.
    ///
    /// @return true if it came (the queue is then disarmed), false if `timeoutNanos` passed first
    ///   or the queue was closed
    /// @throws IllegalStateException when called from inside a [CompletionSink]
    boolean await(long timeoutNanos);

    /// Ends the [#await] of another thread, or else the next one, as if the notification had come.
    /// Any thread.
    void wake();

    /// How many completions it holds at most; 0 if it hands them to a [CompletionSink].
    int capacity();

    /// Releases the queue. Its [CompletionSink], if it has one, is not called any more: the last
    /// call ended when the last queue pair was closed.
    ///
    /// @throws FabricException with IN_USE while a queue pair completes into it
    @Override
    void close();
}
