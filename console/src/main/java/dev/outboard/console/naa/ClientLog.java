package dev.outboard.console.naa;

import dev.outboard.bench.report.ByteSize;
import dev.outboard.naa.server.NaaServerContext;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.naa.server.ServerObserver;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.function.Consumer;

/// Prints a line for every client that comes, goes or fails.
///
/// @param lines takes the lines, from any thread
/// @param quiet leaves out those that come and go
record ClientLog(Consumer<String> lines, boolean quiet) implements ServerObserver {
    @Override
    public void connected(NaaServerContext connection) {
        if (!quiet) {
            lines.accept("client " + connection.peer() + " connected");
        }
    }

    @Override
    public void disconnected(NaaServerContext connection) {
        if (!quiet) {
            Map<String, Long> counters = connection.counters();
            lines.accept(
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
        lines.accept("client " + peer.getAddress().getHostAddress() + " rejected: " + why);
    }

    @Override
    public void routineFailed(NaaServerContext connection, RpcContext rpc, Throwable failure) {
        lines.accept(
                "client %s: function %d failed: %s"
                        .formatted(connection.peer(), rpc.functionCode(), failure.getMessage()));
    }

    @Override
    public void routineOverran(RoutineSpec routine, long nanos, boolean moved) {
        if (moved) {
            lines.accept(ServerObserver.describeOverrun(routine, nanos, true));
        }
    }

    @Override
    public void hostError(NaaServerContext connection) {
        lines.accept("client " + connection.peer() + " reported that it could not start its RPC");
    }

    @Override
    public void failed(String peer, RuntimeException failure) {
        lines.accept("client " + peer + " failed: " + failure.getMessage());
    }
}
