package dev.outboard.fabric;

/// Is told of each access of the device to a memory region, in the order in which they happen: for
/// checkers of memory models, which must know which bytes a network card read or wrote, and when.
/// See [ProtectionDomain#register(java.lang.foreign.MemorySegment, MemoryWatch, Access...)].
///
/// An access concerns the bytes of one packet, in one memory piece of a request. It happens between
/// the two calls, and at no other time: what is read is copied then. A packet that is sent again
/// reads again; one that arrives again writes nothing. Payload that is posted inline is copied by
/// the thread that posts, and is no access.
///
/// The watch is called inside a turn of the device, by the thread that drives. What holds for a
/// [CompletionSink] holds here: it may post, and must not wait. It must not throw; if it does, the
/// failure is counted as `memory.watch-failures` of [Device#counters], the first one of a device is
/// logged, and the access takes place.
public interface MemoryWatch {
    /// The access follows. A read finds what the watch puts there now.
    default void before(MemoryAccess access) {}

    /// The access has taken place, and the bytes written can be seen.
    default void after(MemoryAccess access) {}
}
