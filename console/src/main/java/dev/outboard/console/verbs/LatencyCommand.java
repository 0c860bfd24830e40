package dev.outboard.console.verbs;

import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `outboard verbs …-lat`: how long one message takes.
abstract class LatencyCommand extends PerftestCommand {
    @Override
    int defaultSize() {
        return 2;
    }

    @Override
    final int exchangesBefore() {
        return 4;
    }

    /// Waits until the peer has finished too.
    final void finish(PerftestControl control, PerftestPeer own) throws IOException {
        control.synchronize(own, 1);
        control.finish();
    }

    /// Measures what only the client does.
    @Override
    void measure(PerftestControl control, PerftestEnd end, PerftestPeer own) throws IOException {
        if (!isClient()) {
            finish(control, own);
            return;
        }
        LatencyResult result = new LatencyTest(end, iterations()).fetch();
        finish(control, own);
        result.print(out());
    }

    @Command(
            name = "send-lat",
            sortOptions = false,
            description = "Measure the latency of SENDs there and back, like ib_send_lat.")
    static final class Send extends LatencyCommand {
        @Override
        PerftestOperation operation() {
            return PerftestOperation.SEND;
        }

        @Override
        void measure(PerftestControl control, PerftestEnd end, PerftestPeer own)
                throws IOException {
            LatencyResult result = new LatencyTest(end, iterations()).bounceSends(isClient());
            finish(control, own);
            result.print(out());
        }
    }

    @Command(
            name = "write-lat",
            sortOptions = false,
            description = {
                "Measure the latency of RDMA WRITEs there and back, like ib_write_lat.",
                "Both sides watch their memory, so -e does not make it sleep."
            })
    static final class Write extends LatencyCommand {
        @Override
        PerftestOperation operation() {
            return PerftestOperation.WRITE;
        }

        /// The sides have met in memory; the original says no more.
        @Override
        void measure(PerftestControl control, PerftestEnd end, PerftestPeer own) {
            new LatencyTest(end, iterations()).bounceWrites(isClient()).print(out());
        }
    }

    @Command(
            name = "read-lat",
            sortOptions = false,
            description = "Measure the latency of RDMA READs, like ib_read_lat.")
    static final class Read extends LatencyCommand {
        @Override
        PerftestOperation operation() {
            return PerftestOperation.READ;
        }
    }

    @Command(
            name = "atomic-lat",
            sortOptions = false,
            description = "Measure the latency of atomic operations, like ib_atomic_lat.")
    static final class Atomic extends LatencyCommand {
        @Mixin private AtomicOption atomic;

        @Override
        PerftestOperation operation() {
            return atomic.operation();
        }

        @Override
        int defaultSize() {
            return AtomicOption.BYTES;
        }
    }
}
