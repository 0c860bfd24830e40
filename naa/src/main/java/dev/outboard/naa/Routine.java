package dev.outboard.naa;

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
/// Parameter regions hold what the client wrote, in this RPC or an earlier one; those that the
/// client marked as output are returned when the routine ends with [ReturnCode#SUCCESS].
@FunctionalInterface
public interface Routine {
    /// Computes one RPC.
    ///
    /// @return [ReturnCode#SUCCESS], or an error code in [ReturnCode#FIRST_APPLICATION] to
    ///   [ReturnCode#LAST_APPLICATION], after which the client gets no data
    /// @throws RoutineException to choose the error code and explain it to the server's log
    /// @throws Exception if it fails: the client gets [ReturnCode#FIRST_APPLICATION]
    int run(RpcContext context) throws Exception;

    /// Whether it takes microseconds. A short routine runs on the thread that polls the connection,
    /// since a hand-over would cost more than the RPC, and cannot be interrupted; every other one
    /// runs on a bounded pool and is interrupted when its time is over.
    default boolean isShort() {
        return false;
    }

    /// The same routine, declared short.
    static Routine ofShort(Routine routine) {
        return new Routine() {
            @Override
            public int run(RpcContext context) throws Exception {
                return routine.run(context);
            }

            @Override
            public boolean isShort() {
                return true;
            }
        };
    }
}
