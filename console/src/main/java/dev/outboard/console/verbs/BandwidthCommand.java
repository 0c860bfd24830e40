package dev.outboard.console.verbs;

import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `outboard verbs …-bw`: how many messages go one way, from the client or, for READs, to it.
abstract class BandwidthCommand extends PerftestCommand {
    @Override
    int defaultSize() {
        return 65_536;
    }

    @Override
    int exchangesBefore() {
        return 3;
    }

    /// The server of what only the client does learns the results from it.
    @Override
    void measure(PerftestControl control, PerftestEnd end, PerftestPeer own) throws IOException {
        BandwidthResult result =
                isClient()
                        ? new BandwidthTest(end, iterations()).stream()
                        : BandwidthResult.none(end.settings().bytes());
        control.synchronize(own, 1);
        BandwidthResult peer = control.exchangeResults(result);
        control.synchronize(own, 1);
        control.finish();
        (isClient() ? result : peer).print(out());
    }

    @Command(
            name = "send-bw",
            sortOptions = false,
            description = "Measure the bandwidth of SENDs, like ib_send_bw.")
    static final class Send extends BandwidthCommand {
        @Override
        PerftestOperation operation() {
            return PerftestOperation.SEND;
        }

        @Override
        int exchangesBefore() {
            return 4;
        }

        /// Both sides measure, and keep it to themselves.
        @Override
        void measure(PerftestControl control, PerftestEnd end, PerftestPeer own)
                throws IOException {
            BandwidthTest test = new BandwidthTest(end, iterations());
            BandwidthResult result = isClient() ? test.stream() : test.receive();
            control.synchronize(own, 1);
            control.finish();
            result.print(out());
        }
    }

    @Command(
            name = "write-bw",
            sortOptions = false,
            description = "Measure the bandwidth of RDMA WRITEs, like ib_write_bw.")
    static final class Write extends BandwidthCommand {
        @Override
        PerftestOperation operation() {
            return PerftestOperation.WRITE;
        }
    }

    @Command(
            name = "read-bw",
            sortOptions = false,
            description = "Measure the bandwidth of RDMA READs, like ib_read_bw.")
    static final class Read extends BandwidthCommand {
        @Override
        PerftestOperation operation() {
            return PerftestOperation.READ;
        }
    }

    @Command(
            name = "atomic-bw",
            sortOptions = false,
            description = "Measure the rate of atomic operations, like ib_atomic_bw.")
    static final class Atomic extends BandwidthCommand {
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
