package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.sim.network.NetworkFaults;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.Seeds;
import dev.outboard.testkit.Snapshot;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/// Bulk data over a bad network: intact always, and how fast.
class FaultyNetworkTest {
    private static final long DELAY_NANOS = 50_000;
    private static final int MESSAGE_BYTES = 64 * 1024;

    @Test
    @Requirement("ROCE-RC-35")
    void dataStaysIntactUnderLossDuplicationAndReordering() {
        NetworkFaults faults =
                NetworkFaults.none(DELAY_NANOS)
                        .withLoss(0.01)
                        .withDuplication(0.01)
                        .withReordering(0.01);
        Seeds.campaign(
                10,
                seed -> {
                    var transfer = new BulkTransfer(seed, faults, 64, 20_000);
                    transfer.run(300, 300);
                    for (int end = 0; end < 2; end++) {
                        assertThat(transfer.counter(end, QueuePairCounter.RETRANSMITS))
                                .isPositive();
                        assertThat(transfer.counter(end, QueuePairCounter.DUPLICATES_RECEIVED))
                                .isPositive();
                        assertThat(transfer.counter(end, QueuePairCounter.SEQUENCE_NAKS_SENT))
                                .isPositive();
                    }
                });
    }

    /// Not a promise but a memory: whoever changes windows, timers or probes sees what it does.
    @Test
    void goodputPerLossAndWindowIsWhatItWas() {
        double[] losses = {0, 0.001, 0.01, 0.05};
        int[] windows = {4, 16, 64, 128};
        var table = new StringBuilder();
        table.append("Goodput in MB/s of virtual time: 16 MiB in messages of 64 KiB, MTU 4096,\n");
        table.append(
                "round trip 100 us, mean of 4 seeds; rows: loss, columns: window in packets\n");
        table.append("      ");
        for (int window : windows) {
            table.append(String.format(Locale.ROOT, "%8d", window));
        }
        for (double loss : losses) {
            table.append(String.format(Locale.ROOT, "\n%5.1f%%", loss * 100));
            for (int window : windows) {
                table.append(String.format(Locale.ROOT, "%8.1f", goodput(loss, window)));
            }
        }
        Snapshot.assertUnchanged("goodput.txt", table.append('\n').toString());
    }

    private static double goodput(double loss, int window) {
        int messages = 256;
        int seeds = 4;
        long nanos = 0;
        for (long seed = 0; seed < seeds; seed++) {
            NetworkFaults faults = NetworkFaults.none(DELAY_NANOS).withLoss(loss);
            nanos += new BulkTransfer(seed, faults, window, MESSAGE_BYTES).run(messages, 0);
        }
        return 1e3 * seeds * messages * MESSAGE_BYTES / nanos;
    }
}
