package dev.outboard.examples.dpa;

import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioBuffer;
import dev.outboard.dpa.flexio.FlexioCq;
import dev.outboard.dpa.flexio.FlexioHeap;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioOutbox;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioQp;
import dev.outboard.dpa.flexio.FlexioWindow;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.CycleCosts;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.MachineOptions.Storage;
import dev.outboard.dpa.machine.MachineOptions.Timing;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.terminal.Table;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

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
        private final int lengthBytes;
        private final boolean isArm;

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
                        FlexioProcess.create(host, device, LoadTimeKernelsStub.APP)) {
            DpaAddr histogram = process.heap().zeros(LoadTimeKernels.COUNTS * Long.BYTES);
            DpaAddr context = context(process, ring, histogram);
            long wrong = process.call(LoadTimeKernelsStub.measure(context, packets));
            if (wrong > 0) {
                throw new IllegalStateException(
                        "%d of %d packets are not what was sent".formatted(wrong, packets));
            }
            byte[] counts = process.heap().copyOut(histogram, LoadTimeKernels.COUNTS * Long.BYTES);
            long[] words = new long[LoadTimeKernels.COUNTS];
            ByteBuffer.wrap(counts).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(words);
            return new Histogram(words);
        }
    }

    /// Makes the ring, and a queue pair that sends packets to itself.
    private static DpaAddr context(FlexioProcess process, Ring ring, DpaAddr histogram) {
        FlexioHeap heap = process.heap();
        DpaAddr packet = heap.zeros(LoadTimeKernels.PACKET_BYTES);
        FlexioMkey packetKey =
                FlexioMkey.create(
                        process,
                        process.domain(),
                        packet,
                        LoadTimeKernels.PACKET_BYTES,
                        Access.LOCAL_WRITE);
        DpaAddr packets;
        FlexioMkey key;
        int window = 0;
        if (ring.isArm) {
            FlexioBuffer arm =
                    FlexioBuffer.create(process, "ring", ExternalKind.ARM, ring.lengthBytes);
            packets = arm.address();
            key = FlexioMkey.create(process.domain(), arm, 0, ring.lengthBytes, Access.LOCAL_WRITE);
            window = FlexioWindow.create(process, process.domain()).number();
        } else {
            packets = heap.allocate(ring.lengthBytes);
            key =
                    FlexioMkey.create(
                            process,
                            process.domain(),
                            packets,
                            ring.lengthBytes,
                            Access.LOCAL_WRITE);
        }
        ByteBuffer words =
                ByteBuffer.allocate(LoadTimeKernels.CONTEXT_BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(LoadTimeKernels.PACKET, packet.value())
                        .putLong(LoadTimeKernels.PACKET_KEY, packetKey.number())
                        .putLong(LoadTimeKernels.RING, packets.value())
                        .putLong(LoadTimeKernels.RING_KEY, key.number())
                        .putLong(LoadTimeKernels.SLOTS, ring.slots())
                        .putLong(LoadTimeKernels.WINDOW, window)
                        .putLong(LoadTimeKernels.HISTOGRAM, histogram.value());
        queues(process, ring, entries(ring, packets, key), words);
        return heap.copyFromHost(words.array());
    }

    /// A receive entry for each slot of the ring.
    private static byte[] entries(Ring ring, DpaAddr packets, FlexioMkey key) {
        ByteBuffer entries = ByteBuffer.allocate(ring.slots() * DataSegment.BYTES);
        for (int slot = 0; slot < ring.slots(); slot++) {
            entries.putInt(LoadTimeKernels.SLOT_BYTES)
                    .putInt(key.number())
                    .putLong(packets.plus((long) slot * LoadTimeKernels.SLOT_BYTES).value());
        }
        return entries.array();
    }

    private static void queues(FlexioProcess process, Ring ring, byte[] entries, ByteBuffer words) {
        FlexioHeap heap = process.heap();
        int completionBytes = CompletionEntry.BYTES << LoadTimeKernels.LOG_COMPLETIONS;
        DpaAddr completions = heap.zeros(completionBytes);
        DpaAddr completionRecord = heap.zeros(Long.BYTES);
        FlexioCq received =
                FlexioCq.create(
                        process,
                        FlexioCq.Attributes.of(
                                completions, LoadTimeKernels.LOG_COMPLETIONS, completionRecord));
        FlexioCq failed =
                FlexioCq.create(
                        process,
                        FlexioCq.Attributes.of(
                                heap.zeros(completionBytes),
                                LoadTimeKernels.LOG_COMPLETIONS,
                                heap.zeros(Long.BYTES)));
        DpaAddr sends = heap.zeros(SendEntry.BYTES << LoadTimeKernels.LOG_SENDS);
        DpaAddr receiveRecord =
                heap.copyFromHost(ByteBuffer.allocate(Long.BYTES).putInt(ring.slots()).array());
        FlexioQp pair =
                FlexioQp.create(
                        process,
                        new FlexioQp.Attributes(
                                new FlexioQp.Send(sends, LoadTimeKernels.LOG_SENDS, failed),
                                new FlexioQp.Receive(
                                        heap.copyFromHost(entries),
                                        Integer.numberOfTrailingZeros(ring.slots()),
                                        receiveRecord,
                                        received),
                                0));
        pair.connect(pair);
        FlexioOutbox outbox = FlexioOutbox.create(process, process.uar());
        words.putLong(LoadTimeKernels.OUTBOX, outbox.number())
                .putLong(LoadTimeKernels.QUEUE, pair.number())
                .putLong(LoadTimeKernels.SEND_RING, sends.value())
                .putLong(LoadTimeKernels.RECEIVE_RECORD, receiveRecord.value())
                .putLong(LoadTimeKernels.COMPLETION_RING, completions.value())
                .putLong(LoadTimeKernels.COMPLETION_RECORD, completionRecord.value());
    }
}
