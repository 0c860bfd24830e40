package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.naa.RpcResult;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class RpcReportTest {
    @Test
    void tellsComputeFromReceiveWhenTheAnswerWasSeenToBegin() {
        assertThat(rows(rpc(3_000_000, 2_000_000, 1_000_000)))
                .containsExactly(
                        "send 3.00 ms 900 KiB 307 MB/s",
                        "compute 2.00 ms",
                        "receive 1.00 ms 300 KiB 307 MB/s",
                        "whole RPC 6.00 ms 1.2 MiB 205 MB/s");
    }

    @Test
    void doesNotGuessWhenTheAnswerBegan() {
        assertThat(rows(rpc(3_000_000, 3_000_000, 0)))
                .containsExactly(
                        "send 3.00 ms 900 KiB 307 MB/s",
                        "compute, receive 3.00 ms 300 KiB 102 MB/s",
                        "whole RPC 6.00 ms 1.2 MiB 205 MB/s");
    }

    @Test
    void takesTheMedianOfSeveral() {
        assertThat(rows(rpc(9_000_000, 1, 1), rpc(1_000_000, 1, 1), rpc(2_000_000, 1, 1)))
                .startsWith("send 2.00 ms 900 KiB 461 MB/s");
    }

    private static RpcResult rpc(long sendNanos, long computeNanos, long receiveNanos) {
        return new RpcResult(0, 0, 300 << 10, 300 << 10, sendNanos, computeNanos, receiveNanos);
    }

    /// The rows below the heading, with a single space between cells.
    private static List<String> rows(RpcResult... results) {
        StringWriter out = new StringWriter();
        new RpcReport().rpcs(900 << 10, List.of(results)).print(new PrintWriter(out));
        return out.toString().lines().skip(1).map(row -> row.replaceAll(" +", " ")).toList();
    }
}
