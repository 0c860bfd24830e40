package dev.outboard.fabric;

/// Gets the completions of a [CompletionQueue] as they come, from the thread that drives the device
/// and inside the turn that made them: no hand-over, no waiting, and no queue that could run full.
///
/// ```java
/// CompletionQueue queue = device.createCompletionQueue(completion -> {
///     queuePair.post(answer.id(completion.id()));
/// });
/// ```
///
/// The driving thread is whichever has an interest at the time: one that polls, awaits or posts on
/// any queue of the device, one that closes a queue pair, or the device's own. They come one at a
/// time, each call seeing what the calls before it did; the completions of one queue in the order
/// in which the requests finished.
///
/// A sink may post, to any queue pair, and read anything. What it posts leaves in the same turn or
/// in one that follows at once. Posting still is for one thread at a time: a queue pair that a sink
/// posts to is posted to by nobody else, unless they exclude each other.
///
/// It must not make the device stand still. Whatever needs the device for itself (to create, change
/// or close a queue pair, to connect, to count), or waits for something that only the device can
/// bring, throws `IllegalStateException` at once when called from inside. A sink that waits for
/// something else holds up everybody on its device for that long. So does one that changes
/// something on another device; two that do so on each other's wait for ever.
///
/// It must not throw. If it does, the completion counts as delivered; the failure is counted as
/// `completions.sink-failures` of [Device#counters], the first one of a queue is logged, and
/// everything goes on.
@FunctionalInterface
public interface CompletionSink {
    /// A work request finished. `completion` is valid during the call only; the next completion
    /// reuses it.
    void completed(Completion completion);
}
