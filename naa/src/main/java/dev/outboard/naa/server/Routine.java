package dev.outboard.naa.server;

/// A computation that a software NAA offers under a function code. One routine serves all
/// connections at once, so it keeps its state in the regions of the [RpcContext] or is thread-safe.
///
/// ```java
/// Routine increment = context -> {
///     for (RoutineRegion region : context.parameters()) {
///         MemorySegment memory = region.memory();
///         for (long i = 0; i < memory.byteSize(); i++) {
///             memory.set(JAVA_BYTE, i, (byte) (memory.get(JAVA_BYTE, i) + 1));
///         }
///     }
///     return ReturnCode.SUCCESS;
/// };
/// ```
///
/// A [RoutineSpec] gives it a function code and tells what it takes. It must not keep the memory of
/// its regions: that goes away with the connection. A region ends where its segment does; an access
/// beyond it throws, and the client gets an error code.
///
/// Parameter regions hold what the client wrote, in this RPC or an earlier one; those that the
/// client marked as output are returned when the routine ends without error.
@FunctionalInterface
public interface Routine {
    /// Computes one RPC.
    ///
    /// @return `SUCCESS`, or an error code from `FIRST_APPLICATION` to `LAST_APPLICATION` (see
    ///   [ReturnCode][dev.outboard.naa.ReturnCode]), after which the client gets no data
    /// @throws RoutineException to choose the error code and explain it to the server's log
    /// @throws Exception if it fails: the client gets `FIRST_APPLICATION`
    int run(RpcContext context) throws Exception;
}
