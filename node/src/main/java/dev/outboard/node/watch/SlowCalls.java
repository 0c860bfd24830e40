package dev.outboard.node.watch;

import dev.outboard.naa.server.NaaServerContext;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.naa.server.ServerLog;
import dev.outboard.naa.server.ServerObserver;
import java.time.Duration;
import java.util.Locale;

/// Says of each RPC that took longer than a limit where its time went.
///
/// @param limit from its arrival to the acknowledgement of its answer
public record SlowCalls(ServerLog log, Duration limit) implements ServerObserver {
    private static final double NANOS_PER_MILLI = 1e6;

    @Override
    public void answered(NaaServerContext connection, RpcContext rpc, int returnCode, long nanos) {
        long total = System.nanoTime() - rpc.arrivedNanos();
        if (total > limit.toNanos()) {
            log.say("slow calls", line(connection.peer(), rpc, returnCode, nanos, total));
        }
    }

    private static String line(
            String peer, RpcContext rpc, int returnCode, long nanos, long total) {
        long waited = Math.min(rpc.waitedNanos(), nanos);
        return String.format(
                Locale.ROOT,
                "client %s: function %d took %.1f ms (waited %.1f, computed %.1f, answered %.1f), code 0x%02x",
                peer,
                rpc.functionCode(),
                total / NANOS_PER_MILLI,
                waited / NANOS_PER_MILLI,
                (nanos - waited) / NANOS_PER_MILLI,
                (total - nanos) / NANOS_PER_MILLI,
                returnCode);
    }
}
