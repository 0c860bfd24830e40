package dev.outboard.console.naa;

import dev.outboard.bench.report.ByteSize;
import dev.outboard.bench.report.Measure;
import dev.outboard.bench.report.Table;
import dev.outboard.naa.NaaClient;
import dev.outboard.naa.RpcResult;
import dev.outboard.naa.SetupTimes;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.ToLongFunction;

/// Prints where the time of a session went: its setup, and the median of its RPCs.
public final class RpcReport {
    private final Table table = new Table("lrrr").row("", "TIME", "BYTES", "RATE");

    /// The phases of the setup of `client`.
    public RpcReport setup(NaaClient client) {
        SetupTimes times = client.setupTimes();
        phase("address and route", times.addressNanos() + times.routeNanos());
        phase("connect", times.handshakeNanos());
        phase("region setup", times.registrationNanos() + times.mrspNanos());
        return this;
    }

    /// The phases of RPCs of `client`, which all succeeded; at least one. A client cannot see when
    /// the node starts to answer, since the outputs are written to its memory without its doing.
    public RpcReport rpcs(NaaClient client, List<RpcResult> results) {
        send(client, median(results, RpcResult::sendNanos));
        long answer = median(results, result -> result.totalNanos() - result.sendNanos());
        transfer("compute, receive", answer, TransferProgress.bytes(client, false));
        whole(client, median(results, RpcResult::totalNanos));
        return this;
    }

    /// The phases of one RPC of `client` whose routine took `computeNanos` by the node's clock.
    public RpcReport rpc(NaaClient client, RpcResult result, long computeNanos) {
        send(client, result.sendNanos());
        phase("compute", computeNanos);
        long receiveNanos = result.totalNanos() - result.sendNanos() - computeNanos;
        transfer("receive", receiveNanos, TransferProgress.bytes(client, false));
        whole(client, result.totalNanos());
        return this;
    }

    /// Prints the table.
    public void print(PrintWriter out) {
        table.print(out, "");
    }

    private void send(NaaClient client, long nanos) {
        transfer("send", nanos, TransferProgress.bytes(client, true));
    }

    private void whole(NaaClient client, long nanos) {
        long bytes = TransferProgress.bytes(client, true) + TransferProgress.bytes(client, false);
        transfer("whole RPC", nanos, bytes);
    }

    private void phase(String name, long nanos) {
        table.row(name, Measure.time(nanos));
    }

    private void transfer(String name, long nanos, long bytes) {
        table.row(name, Measure.time(nanos), new ByteSize(bytes), Measure.rate(bytes, nanos));
    }

    private static long median(List<RpcResult> results, ToLongFunction<RpcResult> time) {
        long[] sorted = results.stream().mapToLong(time).sorted().toArray();
        return sorted[sorted.length / 2];
    }
}
