package dev.outboard.console.naa;

import dev.outboard.naa.RpcResult;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.client.SetupTimes;
import dev.outboard.terminal.ByteSize;
import dev.outboard.terminal.Measure;
import dev.outboard.terminal.Table;
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
        phase("whole setup", times.totalNanos());
        return this;
    }

    /// The phases of RPCs, which all succeeded; at least one. The client looks now and then whether
    /// the answer begins. A small one, or one that comes all between two looks, it finds complete:
    /// then nobody knows where computing ended.
    ///
    /// @param sent the bytes that the last one has sent
    public RpcReport rpcs(long sent, List<RpcResult> results) {
        long returned = results.getLast().totalBytesReceived();
        long compute = median(results, RpcResult::computeNanos);
        long receive = median(results, RpcResult::receiveNanos);
        transfer("send", median(results, RpcResult::sendNanos), sent);
        if (receive == 0) {
            transfer("compute, receive", compute, returned);
        } else {
            phase("compute", compute);
            transfer("receive", receive, returned);
        }
        transfer("whole RPC", median(results, RpcResult::totalNanos), sent + returned);
        return this;
    }

    /// The same RPC once more: what the first took longer has warmed both processes up.
    ///
    /// @param sent the bytes that it has sent
    public RpcReport again(long sent, RpcResult result) {
        transfer("again, warm", result.totalNanos(), sent + result.totalBytesReceived());
        return this;
    }

    /// Prints the table.
    public void print(PrintWriter out) {
        table.print(out, "");
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
