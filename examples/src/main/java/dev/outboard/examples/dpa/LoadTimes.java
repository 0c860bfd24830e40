package dev.outboard.examples.dpa;

import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.CycleCosts;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.MachineOptions.Storage;
import dev.outboard.dpa.machine.MachineOptions.Timing;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.terminal.Table;
import java.io.PrintWriter;

/// Measures how many cycles the first load from a packet takes that the NIC has just received, by
/// where the ring of packets lies and how large it is: as one would on hardware.
///
/// ```java
/// LoadTimes.Histogram times =
///         LoadTimes.measure(device, LoadTimes.Ring.DPA_1_MIB, 4000);
/// times.percentile(50); // 65 on a device with CycleCosts.BF3
/// ```
public final class LoadTimes {
    private static final int PACKETS = 4_000;

    private LoadTimes() {}

    /// Where packets go.
    public enum Ring {
        /// 1 MiB of DPA memory.
        DPA_1_MIB("1 MiB of the DPA", 1 << 20, false),
        /// 8 MiB of DPA memory.
        DPA_8_MIB("8 MiB of the DPA", 8 << 20, false),
        /// 1 MiB of the memory of the Arm cores, through a window.
        ARM_1_MIB("1 MiB of the Arm", 1 << 20, true);

        private final String words;
        final int lengthBytes;
        final boolean isArm;

        Ring(String words, int lengthBytes, boolean isArm) {
            this.words = words;
            this.lengthBytes = lengthBytes;
            this.isArm = isArm;
        }

        int slots() {
            return lengthBytes / LoadTimeKernels.SLOT_BYTES;
        }
    }

    /// How often a load took how many cycles.
    ///
    /// @param counts by the number of cycles; the last one is of more, too
    public record Histogram(long... counts) {

        /// How many loads there were.
        public long total() {
            return count(0, counts.length);
        }

        /// How many took so many cycles.
        public long count(int from, int before) {
            long sum = 0;
            for (int cycles = from; cycles < before; cycles++) {
                sum += counts[cycles];
            }
            return sum;
        }

        /// The fewest cycles that so many percent of the loads did not exceed.
        public int percentile(int percent) {
            long needed = (total() * percent + 99) / 100;
            int cycles = 0;
            for (long seen = counts[0]; seen < needed; seen += counts[cycles]) {
                cycles++;
            }
            return cycles;
        }

        private String share(int from, int before) {
            return Math.round(100.0 * count(from, before) / total()) + " %";
        }
    }

    /// Measures all rings on a device with the costs of a BlueField-3, in weak memory.
    ///
    /// @param seed what the figures follow from
    public static void print(PrintWriter out, long seed) {
        Table table = new Table("lrrrrrr");
        table.row("packets go to", "p50", "p90", "-99", "100-199", "200-499", "500-");
        for (Ring ring : Ring.values()) {
            Histogram times = measure(device(CycleCosts.BF3, seed), ring, PACKETS);
            table.row(
                    ring.words,
                    times.percentile(50),
                    times.percentile(90),
                    times.share(0, 100),
                    times.share(100, 200),
                    times.share(200, 500),
                    times.share(500, LoadTimeKernels.COUNTS));
        }
        table.print(out, "");
        out.flush();
    }

    /// A device with room for each ring, in weak memory.
    static DpaDevice device(CycleCosts costs, long seed) {
        Storage storage = Storage.DEFAULT;
        MachineOptions options =
                MachineOptions.DEFAULT
                        .withStorage(new Storage(16 << 20, storage.stackBytes(), false))
                        .withTiming(Timing.DEFAULT.withCosts(costs));
        return DpaDevice.of(options, RunMode.weak(Profile.SEED, seed));
    }

    /// Receives so many packets into that ring.
    ///
    /// @throws IllegalStateException if a packet is not what was sent
    public static Histogram measure(DpaDevice device, Ring ring, int packets) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process =
                        FlexioProcess.create(host, device, LoadTimeKernelsStub.APP);
                LoadTimeQueues queues = new LoadTimeQueues(process, ring)) {
            long wrong = process.call(LoadTimeKernelsStub.measure(queues.context, packets));
            if (wrong > 0) {
                throw new IllegalStateException(
                        "%d of %d packets are not what was sent".formatted(wrong, packets));
            }
            return new Histogram(queues.counts());
        }
    }
}
