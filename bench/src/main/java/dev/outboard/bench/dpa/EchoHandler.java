package dev.outboard.bench.dpa;

import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioCq;
import dev.outboard.dpa.flexio.FlexioEventHandler;
import dev.outboard.dpa.flexio.FlexioHeap;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioOutbox;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioQp;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.fabric.Device;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// A handler on a DPA that sends back what its queue pair gets, and that queue pair.
final class EchoHandler implements EchoEnd {
    private final HostProcess host = HostProcess.open();
    private final FlexioQp pair;

    /// @param app that of [EchoKernels], or one with the same functions
    EchoHandler(Device device, DpaApp<DpaThread> app) {
        DpaDevice dpa = DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast(), device);
        FlexioProcess process = FlexioProcess.create(host, dpa, app);
        FlexioEventHandler handler =
                FlexioEventHandler.create(
                        process, EchoKernelsStub.echo, FlexioEventHandler.Attributes.DEFAULT);
        FlexioHeap heap = process.heap();
        int bufferBytes = EchoKernels.DEPTH * EchoKernels.LINE;
        DpaAddr buffers = heap.zeros(bufferBytes);
        FlexioMkey key =
                FlexioMkey.create(
                        process, process.domain(), buffers, bufferBytes, Access.LOCAL_WRITE);
        DpaAddr completionRing = heap.zeros(CompletionEntry.BYTES << EchoKernels.LOG_COMPLETIONS);
        DpaAddr completionRecord = heap.zeros(Long.BYTES);
        DpaAddr sendRing = heap.zeros(SendEntry.BYTES << EchoKernels.LOG_DEPTH);
        DpaAddr receiveRing =
                heap.copyFromHost(
                        DataSegment.ring(
                                EchoKernels.DEPTH,
                                EchoKernels.LINE,
                                key.number(),
                                buffers.value(),
                                EchoKernels.LINE));
        DpaAddr receiveRecord = heap.copyFromHost(new byte[] {0, 0, 0, EchoKernels.DEPTH});
        FlexioCq completions =
                FlexioCq.create(
                        process,
                        FlexioCq.Attributes.of(
                                        completionRing,
                                        EchoKernels.LOG_COMPLETIONS,
                                        completionRecord)
                                .activating(handler));
        pair =
                FlexioQp.create(
                        process,
                        new FlexioQp.Attributes(
                                new FlexioQp.Send(sendRing, EchoKernels.LOG_DEPTH, completions),
                                new FlexioQp.Receive(
                                        receiveRing,
                                        EchoKernels.LOG_DEPTH,
                                        receiveRecord,
                                        completions),
                                0));
        FlexioOutbox outbox = FlexioOutbox.create(process, process.uar());
        DpaAddr context =
                heap.copyFromHost(
                        ByteBuffer.allocate(EchoKernels.CONTEXT_BYTES)
                                .order(ByteOrder.LITTLE_ENDIAN)
                                .putLong(EchoKernels.OUTBOX, outbox.number())
                                .putLong(EchoKernels.QUEUE, pair.number())
                                .putLong(EchoKernels.SEND_RING, sendRing.value())
                                .putLong(EchoKernels.RECEIVE_RECORD, receiveRecord.value())
                                .putLong(EchoKernels.COMPLETIONS, completions.number())
                                .putLong(EchoKernels.COMPLETION_RING, completionRing.value())
                                .putLong(EchoKernels.COMPLETION_RECORD, completionRecord.value())
                                .putLong(EchoKernels.BUFFERS, buffers.value())
                                .putLong(EchoKernels.KEY, key.number())
                                .array());
        handler.run(context.value());
    }

    @Override
    public int number() {
        return pair.number();
    }

    @Override
    public void connect(EchoPeer peer) {
        peer.changes().forEach(pair::modify);
    }

    @Override
    public void close() {
        host.close();
    }
}
