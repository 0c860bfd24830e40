package dev.outboard.console.demo;

import dev.outboard.dpa.checker.CheckReport;
import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioBuffer;
import dev.outboard.dpa.flexio.FlexioCq;
import dev.outboard.dpa.flexio.FlexioHeap;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioOutbox;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioQp;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.ProgramEdits;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// Host code of [EdgeSender]: a picture that is sent through it, each time on a new machine.
///
/// @param gray its pixels, row by row, a byte each
/// @param seed what the machine does follows from it
record EdgeSending(int width, int height, byte[] gray, long seed) {
    private static final Profile PROFILE = Profile.SEED;

    /// The edges as they come to the host, in weak memory.
    ///
    /// @param edits how the device code is changed
    byte[] inWeakMemory(ProgramEdits edits) {
        return run(RunMode.weak(PROFILE, seed).withEdits(edits), Observer.NONE);
    }

    /// What the checker finds.
    CheckReport checked(ProgramEdits edits) {
        Checker checker = new Checker(PROFILE, false);
        run(RunMode.check(checker, seed).withEdits(edits), checker);
        CheckReport report = new CheckReport(EdgeSender.class.getSimpleName(), PROFILE);
        report.add(checker.findings(), seed);
        return report;
    }

    private byte[] run(RunMode mode, Observer observer) {
        DpaDevice device = DpaDevice.of(MachineOptions.DEFAULT.withSeed(seed), mode);
        try (HostProcess host = HostProcess.open();
                FlexioProcess process =
                        FlexioProcess.create(
                                host,
                                device,
                                EdgeSenderStub.APP,
                                FlexioProcess.Attributes.DEFAULT.withObserver(observer))) {
            FlexioHeap heap = process.heap();
            DpaAddr completionRing = heap.zeros(CompletionEntry.BYTES << EdgeSender.LOG_ROWS);
            DpaAddr sendRing = heap.zeros(SendEntry.BYTES << EdgeSender.LOG_ROWS);
            DpaAddr picture = heap.copyFromHost(gray);
            FlexioBuffer edges =
                    FlexioBuffer.create(process, "edges", ExternalKind.HOST, gray.length);
            try (FlexioCq completions = completionQueue(process, completionRing);
                    FlexioQp pair = queuePair(process, sendRing, completions);
                    FlexioOutbox outbox = FlexioOutbox.create(process, process.uar());
                    FlexioMkey key =
                            FlexioMkey.create(process, process.domain(), picture, gray.length);
                    FlexioMkey remote =
                            FlexioMkey.create(
                                    process.domain(),
                                    edges,
                                    0,
                                    gray.length,
                                    Access.LOCAL_WRITE,
                                    Access.REMOTE_WRITE)) {
                ByteBuffer context =
                        ByteBuffer.allocate(EdgeSender.CONTEXT_BYTES)
                                .order(ByteOrder.LITTLE_ENDIAN)
                                .putLong(EdgeSender.OUTBOX, outbox.number())
                                .putLong(EdgeSender.QUEUE, pair.number())
                                .putLong(EdgeSender.SEND_RING, sendRing.value())
                                .putLong(EdgeSender.COMPLETION_RING, completionRing.value())
                                .putLong(EdgeSender.WIDTH, width)
                                .putLong(EdgeSender.HEIGHT, height)
                                .putLong(EdgeSender.PICTURE, picture.value())
                                .putLong(EdgeSender.KEY, key.number())
                                .putLong(EdgeSender.REMOTE, edges.address().value())
                                .putLong(EdgeSender.REMOTE_KEY, remote.number())
                                .putLong(
                                        EdgeSender.SCRATCH,
                                        heap.zeros(EdgeSender.SCRATCH_ROWS * width).value());
                send(process, heap.copyFromHost(context.array()));
                return edges.read(0, gray.length);
            }
        }
    }

    private static FlexioCq completionQueue(FlexioProcess process, DpaAddr ring) {
        DpaAddr record = process.heap().zeros(Long.BYTES);
        return FlexioCq.create(process, FlexioCq.Attributes.of(ring, EdgeSender.LOG_ROWS, record));
    }

    /// One that is connected with itself: its writes end in memory of the host.
    private static FlexioQp queuePair(FlexioProcess process, DpaAddr ring, FlexioCq completions) {
        FlexioHeap heap = process.heap();
        FlexioQp.Receive nothing =
                new FlexioQp.Receive(
                        heap.zeros(DataSegment.BYTES), 0, heap.zeros(Long.BYTES), completions);
        FlexioQp pair =
                FlexioQp.create(
                        process,
                        new FlexioQp.Attributes(
                                new FlexioQp.Send(ring, EdgeSender.LOG_ROWS, completions),
                                nothing,
                                0));
        pair.connect(pair);
        return pair;
    }

    private void send(FlexioProcess process, DpaAddr context) {
        process.call(EdgeSenderStub.post(context));
        for (int y = 0; y < height; y++) {
            long opcode = process.call(EdgeSenderStub.send(context, y));
            if (opcode != CompletionEntry.REQUEST) {
                throw new IllegalStateException(
                        "Row %d was not sent: its completion has opcode %d, not %d"
                                .formatted(y, opcode, CompletionEntry.REQUEST));
            }
        }
    }
}
