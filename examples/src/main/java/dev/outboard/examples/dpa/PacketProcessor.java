package dev.outboard.examples.dpa;

import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioCq;
import dev.outboard.dpa.flexio.FlexioEventHandler;
import dev.outboard.dpa.flexio.FlexioFlow;
import dev.outboard.dpa.flexio.FlexioHeap;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioOutbox;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioQp;
import dev.outboard.dpa.flexio.FlexioRq;
import dev.outboard.dpa.flexio.FlexioSq;
import dev.outboard.dpa.flexio.FrameCapture;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.fabric.FlowMatch;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/// Host code of the packet processor: frames of one capture come to the port of function 0, and the
/// answers of [PacketKernels] go into another capture.
///
/// ```java
/// try (HostProcess host = HostProcess.open();
///         FlexioProcess process = FlexioProcess.create(host, device, PacketKernelsStub.APP)) {
///     int answered = PacketProcessor.answer(process, device, in, out);
/// }
/// ```
public final class PacketProcessor {
    private PacketProcessor() {}

    /// Answers all frames, whatever they are.
    ///
    /// @return how many: what comes while all buffers are in use is dropped, as on a card
    public static int answer(FlexioProcess process, DpaDevice device, Path in, Path out) {
        DpaAddr context = setUp(process);
        try (FrameCapture _ = FrameCapture.create(device, out)) {
            int count = FrameCapture.replay(in, device.port(0));
            process.call(PacketKernelsStub.awaitAnswers(context, count));
            return count;
        }
    }

    private static DpaAddr setUp(FlexioProcess process) {
        FlexioHeap heap = process.heap();
        FlexioEventHandler handler =
                FlexioEventHandler.create(
                        process, PacketKernelsStub.process, FlexioEventHandler.Attributes.DEFAULT);
        DpaAddr completionRing = heap.zeros(CompletionEntry.BYTES << PacketKernels.LOG_COMPLETIONS);
        DpaAddr completionRecord = heap.zeros(Long.BYTES);
        FlexioCq completions =
                FlexioCq.create(
                        process,
                        FlexioCq.Attributes.of(
                                        completionRing,
                                        PacketKernels.LOG_COMPLETIONS,
                                        completionRecord)
                                .activating(handler));

        DpaAddr sendRing = heap.zeros(SendEntry.BYTES << PacketKernels.LOG_BUFFERS);
        FlexioQp.Send send = new FlexioQp.Send(sendRing, PacketKernels.LOG_BUFFERS, completions);
        FlexioSq sender = FlexioSq.create(process, send, 0, process.uar());

        int dataBytes = PacketKernels.BUFFERS * PacketKernels.BUFFER_BYTES;
        DpaAddr data = heap.zeros(dataBytes);
        FlexioMkey key =
                FlexioMkey.create(process, process.domain(), data, dataBytes, Access.LOCAL_WRITE);
        DpaAddr receiveRing =
                heap.copyFromHost(
                        DataSegment.ring(
                                PacketKernels.BUFFERS,
                                PacketKernels.BUFFER_BYTES,
                                key.number(),
                                data.value(),
                                PacketKernels.BUFFER_BYTES));
        DpaAddr receiveRecord = heap.copyFromHost(new byte[] {0, 0, 0, PacketKernels.BUFFERS});
        FlexioQp.Receive receive =
                new FlexioQp.Receive(
                        receiveRing, PacketKernels.LOG_BUFFERS, receiveRecord, completions);
        FlexioRq receiver = FlexioRq.create(process, receive, 0, process.uar());

        DpaAddr context =
                heap.copyFromHost(
                        ByteBuffer.allocate(PacketKernels.CONTEXT_BYTES)
                                .order(ByteOrder.LITTLE_ENDIAN)
                                .putLong(
                                        PacketKernels.OUTBOX,
                                        FlexioOutbox.create(process, process.uar()).number())
                                .putLong(PacketKernels.SEND_QUEUE, sender.number())
                                .putLong(PacketKernels.SEND_RING, sendRing.value())
                                .putLong(PacketKernels.RECEIVE_RECORD, receiveRecord.value())
                                .putLong(PacketKernels.COMPLETIONS, completions.number())
                                .putLong(PacketKernels.COMPLETION_RING, completionRing.value())
                                .putLong(PacketKernels.COMPLETION_RECORD, completionRecord.value())
                                .putLong(PacketKernels.DATA, data.value())
                                .putLong(PacketKernels.KEY, key.number())
                                .putLong(PacketKernels.POSTED, PacketKernels.BUFFERS)
                                .array());
        handler.run(context.value());
        FlexioFlow.create(receiver, FlowMatch.all());
        return context;
    }
}
