package dev.outboard.fabric;

/// A file descriptor for programs that wait in `poll` or `epoll` for other things too. It is
/// readable from the first [#signal] on until [#clear]; channels that it is attached to signal it
/// with each notification. While nobody polls, the device makes progress by itself, so the
/// descriptor becomes readable although the program sleeps in the kernel.
///
/// ```java
/// channel.attach(handle);
/// while (true) {
///     handle.clear();
///     queues.forEach(queue -> queue.requestNotification(false));
///     if (!pollAll(queues)) {
///         epollWait(handle.fileDescriptor(), …);
///     }
/// }
/// ```
///
/// Clear first, arm and look for work afterwards: nothing is lost then. Any thread may call.
public interface NotificationHandle extends AutoCloseable {
    /// The descriptor, open until [#close]: to be waited for, never to be read, written or closed.
    ///
    /// @throws FabricException with CLOSED after [#close]
    int fileDescriptor();

    /// Makes the descriptor readable. Harmless when it is already, or closed.
    void signal();

    /// Makes the descriptor unreadable until the next [#signal]. Harmless when it is already, or
    /// closed.
    void clear();

    /// Closes the descriptor; channels it is attached to go on without it. Closing twice is
    /// harmless.
    @Override
    void close();
}
