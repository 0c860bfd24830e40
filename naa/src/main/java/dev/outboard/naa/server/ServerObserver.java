package dev.outboard.naa.server;

import java.net.InetSocketAddress;

/// Learns what happens at a server. Called on the server's threads, so it must be quick and
/// thread-safe; what it throws ends the connection. Every method does nothing unless overridden.
public interface ServerObserver {
    /// A client has connected.
    default void connected(NaaServerContext connection) {}

    /// A client was turned away.
    default void rejected(InetSocketAddress peer, String why) {}

    /// An RPC was answered.
    ///
    /// @param nanos what the routine took
    default void answered(
            NaaServerContext connection, RpcContext rpc, int returnCode, long nanos) {}

    /// A routine has thrown or taken too long, or a call was refused; the client gets an error
    /// code.
    default void routineFailed(NaaServerContext connection, RpcContext rpc, Throwable failure) {}

    /// A routine that says it is short was not.
    ///
    /// @param nanos what it took
    /// @param moved whether this was once too often, so that it runs on the workers from now on
    default void routineOverran(RoutineSpec routine, long nanos, boolean moved) {}

    /// The client reported that it could not start an RPC.
    default void hostError(NaaServerContext connection) {}

    /// The client has disconnected.
    default void disconnected(NaaServerContext connection) {}

    /// The connection was lost or ended by the server, or something could not be released.
    default void failed(String peer, RuntimeException failure) {}

    /// Tells two of everything, one after the other.
    static ServerObserver both(ServerObserver first, ServerObserver second) {
        return new ServerObserver() {
            @Override
            public void connected(NaaServerContext connection) {
                first.connected(connection);
                second.connected(connection);
            }

            @Override
            public void rejected(InetSocketAddress peer, String why) {
                first.rejected(peer, why);
                second.rejected(peer, why);
            }

            @Override
            public void answered(
                    NaaServerContext connection, RpcContext rpc, int returnCode, long nanos) {
                first.answered(connection, rpc, returnCode, nanos);
                second.answered(connection, rpc, returnCode, nanos);
            }

            @Override
            public void routineFailed(
                    NaaServerContext connection, RpcContext rpc, Throwable failure) {
                first.routineFailed(connection, rpc, failure);
                second.routineFailed(connection, rpc, failure);
            }

            @Override
            public void routineOverran(RoutineSpec routine, long nanos, boolean moved) {
                first.routineOverran(routine, nanos, moved);
                second.routineOverran(routine, nanos, moved);
            }

            @Override
            public void hostError(NaaServerContext connection) {
                first.hostError(connection);
                second.hostError(connection);
            }

            @Override
            public void disconnected(NaaServerContext connection) {
                first.disconnected(connection);
                second.disconnected(connection);
            }

            @Override
            public void failed(String peer, RuntimeException failure) {
                first.failed(peer, failure);
                second.failed(peer, failure);
            }
        };
    }

    /// One line for people about a routine that was not short.
    static String describeOverrun(RoutineSpec routine, long nanos, boolean moved) {
        return "routine %s says it is short but took %d µs%s"
                .formatted(
                        routine.name(), nanos / 1000, moved ? "; it runs on the workers now" : "");
    }

    /// Logs failures with [System.Logger], and nothing else; never waits for the logger, see
    /// [ServerLog].
    static ServerObserver logging() {
        System.Logger log = System.getLogger(NaaServer.class.getName());
        ServerLog queue = new ServerLog(line -> log.log(System.Logger.Level.WARNING, line));
        return new ServerObserver() {
            @Override
            public void rejected(InetSocketAddress peer, String why) {
                say("rejected clients", System.Logger.Level.INFO, "rejected " + peer + ": " + why);
            }

            @Override
            public void routineFailed(
                    NaaServerContext connection, RpcContext rpc, Throwable failure) {
                String what =
                        "function %d failed for %s: %s"
                                .formatted(
                                        rpc.functionCode(),
                                        connection.peer(),
                                        failure.getMessage());
                if (failure instanceof RoutineException) {
                    say("failed calls", System.Logger.Level.WARNING, what);
                } else {
                    queue.say(
                            "failed calls",
                            () -> log.log(System.Logger.Level.WARNING, what, failure));
                }
            }

            @Override
            public void routineOverran(RoutineSpec routine, long nanos, boolean moved) {
                // A busy machine interrupts every routine now and then; the counters tell how
                // often.
                System.Logger.Level level =
                        moved ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG;
                say("overruns", level, describeOverrun(routine, nanos, moved));
            }

            @Override
            public void hostError(NaaServerContext connection) {
                String what = connection.peer() + " could not start its RPC";
                say("host errors", System.Logger.Level.INFO, what);
            }

            @Override
            public void failed(String peer, RuntimeException failure) {
                String what = String.valueOf(failure.getMessage());
                say("failed clients", System.Logger.Level.WARNING, what);
            }

            private void say(String kind, System.Logger.Level level, String line) {
                queue.say(kind, () -> log.log(level, line));
            }
        };
    }
}
