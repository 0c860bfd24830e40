package dev.outboard.examples.dpa;

import dev.outboard.dpa.flexio.FlexioBuffer;
import dev.outboard.dpa.flexio.FlexioCq;
import dev.outboard.dpa.flexio.FlexioHeap;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioObject;
import dev.outboard.dpa.flexio.FlexioOutbox;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioQp;
import dev.outboard.dpa.flexio.FlexioWindow;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;

/// What [LoadTimeKernels] need, as a host sets it up: a ring of packets, a queue pair that sends
/// packets to itself, a histogram, and the context by which the kernels find them.
final class LoadTimeQueues implements AutoCloseable {
    private static final int HISTOGRAM_BYTES = LoadTimeKernels.COUNTS * Long.BYTES;

    final DpaAddr context;
    private final FlexioProcess process;
    private final FlexioHeap heap;
    private final LoadTimes.Ring ring;
    private final DpaAddr histogram;

    /// The latest first.
    private final Deque<FlexioObject> objects = new ArrayDeque<>();

    private final ByteBuffer words =
            ByteBuffer.allocate(LoadTimeKernels.CONTEXT_BYTES).order(ByteOrder.LITTLE_ENDIAN);

    LoadTimeQueues(FlexioProcess process, LoadTimes.Ring ring) {
        this.process = process;
        this.ring = ring;
        heap = process.heap();
        histogram = heap.zeros(HISTOGRAM_BYTES);
        words.putLong(LoadTimeKernels.HISTOGRAM, histogram.value());
        packet();
        queues(ring.isArm ? ringOfArm() : ringOfDpa());
        context = heap.copyFromHost(words.array());
    }

    private <T extends FlexioObject> T keep(T object) {
        objects.push(object);
        return object;
    }

    /// How often a load took how many cycles.
    long[] counts() {
        long[] counts = new long[LoadTimeKernels.COUNTS];
        byte[] bytes = heap.copyOut(histogram, HISTOGRAM_BYTES);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(counts);
        return counts;
    }

    /// What is sent.
    private void packet() {
        DpaAddr packet = heap.zeros(LoadTimeKernels.PACKET_BYTES);
        FlexioMkey key =
                keep(
                        FlexioMkey.create(
                                process,
                                process.domain(),
                                packet,
                                LoadTimeKernels.PACKET_BYTES,
                                Access.LOCAL_WRITE));
        words.putLong(LoadTimeKernels.PACKET, packet.value())
                .putLong(LoadTimeKernels.PACKET_KEY, key.number());
    }

    /// @return a receive entry for each slot
    private byte[] ringOfDpa() {
        DpaAddr packets = heap.allocate(ring.lengthBytes);
        FlexioMkey key =
                FlexioMkey.create(
                        process, process.domain(), packets, ring.lengthBytes, Access.LOCAL_WRITE);
        return entries(packets, keep(key));
    }

    /// @return a receive entry for each slot
    private byte[] ringOfArm() {
        FlexioBuffer packets =
                FlexioBuffer.create(process, "ring", ExternalKind.ARM, ring.lengthBytes);
        FlexioMkey key =
                FlexioMkey.create(
                        process.domain(), packets, 0, ring.lengthBytes, Access.LOCAL_WRITE);
        FlexioWindow window = keep(FlexioWindow.create(process, process.domain()));
        words.putLong(LoadTimeKernels.WINDOW, window.number());
        return entries(packets.address(), keep(key));
    }

    private byte[] entries(DpaAddr packets, FlexioMkey key) {
        words.putLong(LoadTimeKernels.RING, packets.value())
                .putLong(LoadTimeKernels.RING_KEY, key.number())
                .putLong(LoadTimeKernels.SLOTS, ring.slots());
        return DataSegment.ring(
                ring.slots(),
                LoadTimeKernels.SLOT_BYTES,
                key.number(),
                packets.value(),
                LoadTimeKernels.SLOT_BYTES);
    }

    private void queues(byte[] entries) {
        DpaAddr completionRing =
                heap.zeros(CompletionEntry.BYTES << LoadTimeKernels.LOG_COMPLETIONS);
        DpaAddr completionRecord = heap.zeros(Long.BYTES);
        FlexioCq completions =
                keep(
                        FlexioCq.create(
                                process,
                                FlexioCq.Attributes.of(
                                        completionRing,
                                        LoadTimeKernels.LOG_COMPLETIONS,
                                        completionRecord)));
        DpaAddr sends = heap.zeros(SendEntry.BYTES << LoadTimeKernels.LOG_SENDS);
        DpaAddr receiveRecord =
                heap.copyFromHost(ByteBuffer.allocate(Long.BYTES).putInt(ring.slots()).array());
        FlexioQp.Send send = new FlexioQp.Send(sends, LoadTimeKernels.LOG_SENDS, completions);
        FlexioQp.Receive receive =
                new FlexioQp.Receive(
                        heap.copyFromHost(entries),
                        Integer.numberOfTrailingZeros(ring.slots()),
                        receiveRecord,
                        completions);
        FlexioQp pair = keep(FlexioQp.create(process, new FlexioQp.Attributes(send, receive, 0)));
        pair.connect(pair);
        FlexioOutbox outbox = keep(FlexioOutbox.create(process, process.uar()));
        words.putLong(LoadTimeKernels.OUTBOX, outbox.number())
                .putLong(LoadTimeKernels.QUEUE, pair.number())
                .putLong(LoadTimeKernels.SEND_RING, sends.value())
                .putLong(LoadTimeKernels.RECEIVE_RECORD, receiveRecord.value())
                .putLong(LoadTimeKernels.COMPLETION_RING, completionRing.value())
                .putLong(LoadTimeKernels.COMPLETION_RECORD, completionRecord.value());
    }

    @Override
    public void close() {
        while (!objects.isEmpty()) {
            objects.pop().close();
        }
    }
}
