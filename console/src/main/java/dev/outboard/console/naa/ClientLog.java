package dev.outboard.console.naa;

import dev.outboard.naa.server.NaaServerContext;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.naa.server.ServerLog;
import dev.outboard.naa.server.ServerObserver;
import dev.outboard.terminal.ByteSize;
import java.net.InetSocketAddress;
import java.util.Map;

/// Prints a line for every client that comes, goes or fails, as far as there are not too many.
///
/// @param log takes the lines
/// @param quiet leaves out those that come and go
record ClientLog(ServerLog log, boolean quiet) implements ServerObserver {
    @Override
    public void connected(NaaServerContext connection) {
        if (!quiet) {
            log.say("clients that come", "client " + connection.peer() + " connected");
        }
    }

    @Override
    public void disconnected(NaaServerContext connection) {
        if (!quiet) {
            Map<String, Long> counters = connection.counters();
            log.say(
                    "clients that go",
                    "client %s disconnected after %d RPCs, %s in, %s out"
                            .formatted(
                                    connection.peer(),
                                    counters.getOrDefault("rpcs", 0L),
                                    new ByteSize(counters.getOrDefault("bytes.received", 0L)),
                                    new ByteSize(counters.getOrDefault("bytes.sent", 0L))));
        }
    }

    @Override
    public void rejected(InetSocketAddress peer, String why) {
        log.say(
                "rejected clients",
                "client " + peer.getAddress().getHostAddress() + " rejected: " + why);
    }

    @Override
    public void routineFailed(NaaServerContext connection, RpcContext rpc, Throwable failure) {
        log.say(
                "failed calls",
                "client %s: function %d failed: %s"
                        .formatted(connection.peer(), rpc.functionCode(), failure.getMessage()));
    }

    @Override
    public void routineOverran(RoutineSpec routine, long nanos, boolean moved) {
        if (moved) {
            log.say("overruns", ServerObserver.describeOverrun(routine, nanos, true));
        }
    }

    @Override
    public void hostError(NaaServerContext connection) {
        log.say(
                "host errors",
                "client " + connection.peer() + " reported that it could not start its RPC");
    }

    @Override
    public void failed(String peer, RuntimeException failure) {
        log.say("failed clients", "client " + peer + " failed: " + failure.getMessage());
    }
}
