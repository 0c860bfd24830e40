package dev.outboard.dpa.flexio;

import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.nic.CompletionQueue.Option;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;

/// A send and a receive queue of frames, with one completion queue, as a host sets them up for
/// [Frames].
final class FrameSide {
    final FlexioSq sender;
    final FlexioRq receiver;
    final DpaAddr completionRing;
    final Entries entries;
    private final FlexioProcess process;
    private final DpaAddr context;
    private final DpaAddr frame;

    /// Receive entries, and a buffer for each.
    ///
    /// @param ring where they lie
    /// @param record their producer index
    /// @param buffers [Frames#BUFFER_BYTES] for each
    record Entries(DpaAddr ring, DpaAddr record, DpaAddr buffers) {
        /// Posts them all.
        ///
        /// @param bytes how many of each buffer an entry names
        /// @param keyOffset what the key is wrong by
        static Entries post(FlexioProcess process, int bytes, int keyOffset) {
            int length = Frames.ENTRIES * Frames.BUFFER_BYTES;
            DpaAddr buffers = process.heap().zeros(length);
            int key = key(process, buffers, length);
            byte[] ring =
                    DataSegment.ring(
                            Frames.ENTRIES,
                            bytes,
                            key + keyOffset,
                            buffers.value(),
                            Frames.BUFFER_BYTES);
            byte[] record = {0, 0, 0, Frames.ENTRIES, 0, 0, 0, 0};
            return new Entries(
                    process.heap().copyFromHost(ring),
                    process.heap().copyFromHost(record),
                    buffers);
        }

        static Entries post(FlexioProcess process) {
            return post(process, Frames.BUFFER_BYTES, 0);
        }
    }

    /// What a completion says.
    record Taken(int opcode, int syndrome, int counter, int byteCount, int queue) {
        static Taken of(long word) {
            return new Taken(
                    (int) word & 0xFF,
                    (int) (word >>> 8) & 0xFF,
                    (int) (word >>> 16) & 0xFFFF,
                    (int) (word >>> 32) & 0xFFFF,
                    (int) (word >>> 48) & 0xFFFF);
        }
    }

    FrameSide(FlexioProcess process, FlexioUar uar) {
        this(process, uar, Entries.post(process), Optional.empty());
    }

    /// One whose receive queue takes from a pool, if one is given.
    FrameSide(
            FlexioProcess process,
            FlexioUar uar,
            Entries entries,
            Optional<FlexioRmp> pool,
            Option... options) {
        this.process = process;
        this.entries = entries;
        FlexioHeap heap = process.heap();
        completionRing = heap.zeros(CompletionEntry.BYTES << Frames.LOG_COMPLETIONS);
        DpaAddr completionRecord = heap.zeros(8);
        FlexioCq completions =
                FlexioCq.create(
                        process,
                        FlexioCq.Attributes.of(
                                        completionRing, Frames.LOG_COMPLETIONS, completionRecord)
                                .with(options));
        DpaAddr sendRing = heap.zeros(SendEntry.BYTES << Frames.LOG_ENTRIES);
        FlexioQp.Send send = new FlexioQp.Send(sendRing, Frames.LOG_ENTRIES, completions);
        sender = FlexioSq.create(process, send, 0, uar);
        FlexioQp.Receive receive =
                new FlexioQp.Receive(
                        entries.ring(), Frames.LOG_ENTRIES, entries.record(), completions);
        receiver =
                pool.map(shared -> FlexioRq.create(process, shared, completions, 0, uar))
                        .orElseGet(() -> FlexioRq.create(process, receive, 0, uar));
        frame = heap.zeros(Frames.BUFFER_BYTES);
        context =
                heap.copyFromHost(
                        ByteBuffer.allocate(Frames.CONTEXT_BYTES)
                                .order(ByteOrder.LITTLE_ENDIAN)
                                .putLong(Frames.OUTBOX, FlexioOutbox.create(process, uar).number())
                                .putLong(Frames.QUEUE, sender.number())
                                .putLong(Frames.SEND_RING, sendRing.value())
                                .putLong(Frames.COMPLETION_RING, completionRing.value())
                                .putLong(Frames.COMPLETION_RECORD, completionRecord.value())
                                .putLong(Frames.KEY, key(process, frame, Frames.BUFFER_BYTES))
                                .array());
    }

    private static int key(FlexioProcess process, DpaAddr buffer, int length) {
        return FlexioMkey.create(process, process.domain(), buffer, length, Access.LOCAL_WRITE)
                .number();
    }

    /// Sends a frame and waits until it is sent.
    Taken send(byte[] bytes, int inline) {
        process.heap().copyIn(frame, bytes);
        return Taken.of(process.call(FramesStub.send(context, frame, bytes.length, inline)));
    }

    /// Sends a frame and does not wait.
    void post(byte[] bytes) {
        process.heap().copyIn(frame, bytes);
        process.call(FramesStub.post(context, frame, bytes.length));
    }

    /// Has the send queue wait for the end of the frame's buffer to become 1.
    void postWait() {
        process.call(FramesStub.postWait(context, frame.plus(Frames.BUFFER_BYTES - 8)));
    }

    /// Makes it 1.
    void release() {
        process.heap()
                .copyIn(frame.plus(Frames.BUFFER_BYTES - 8), new byte[] {1, 0, 0, 0, 0, 0, 0, 0});
    }

    /// Transposes the begin of the frame's buffer to another place in it.
    ///
    /// @return what is there then
    byte[] transpose(byte[] matrix) {
        process.heap().copyIn(frame, matrix);
        DpaAddr to = frame.plus(8);
        Taken taken = Taken.of(process.call(FramesStub.transpose(context, frame, to)));
        return taken.syndrome() == 0 ? process.heap().copyOut(to, taken.byteCount()) : new byte[0];
    }

    /// Sends what the NIC may refuse.
    Taken sendOther(int opcode, int flags) {
        return Taken.of(process.call(FramesStub.sendOther(context, opcode, flags, frame)));
    }

    /// What is asked of the NIC.
    ///
    /// @param pieces how many data segments have what is not inline
    record Request(int opcode, int flags, int segmentBytes, int inline, int pieces) {}

    /// Sends a frame, or what becomes several, and waits until it is sent.
    Taken send(Request request, byte[] bytes) {
        int length = Frames.REQUEST_BYTES + bytes.length;
        DpaAddr asked = process.heap().zeros(length);
        byte[] words =
                ByteBuffer.allocate(length)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(Frames.OPCODE, request.opcode)
                        .putLong(Frames.FLAGS, request.flags)
                        .putLong(Frames.SEGMENT_SIZE, request.segmentBytes)
                        .putLong(Frames.INLINE, request.inline)
                        .putLong(Frames.LENGTH, bytes.length)
                        .putLong(Frames.PIECES, request.pieces)
                        .putLong(Frames.REQUEST_KEY, key(process, asked, length))
                        .put(Frames.REQUEST_BYTES, bytes)
                        .array();
        process.heap().copyIn(asked, words);
        return Taken.of(process.call(FramesStub.sendAs(context, asked)));
    }

    /// Waits for the next completion.
    Taken take() {
        return Taken.of(process.call(FramesStub.take(context)));
    }

    /// What the completion that was taken last says of checksums.
    int checksumsOk() {
        return (int) process.call(FramesStub.checksumsOk(context));
    }

    /// Waits for a counter in a collapsed queue.
    int awaitCounter(int counter) {
        return (int) process.call(FramesStub.awaitCounter(context, counter));
    }

    /// What a buffer holds.
    byte[] received(int counter, int length) {
        int slot = counter % Frames.ENTRIES;
        byte[] buffers =
                process.heap().copyOut(entries.buffers(), Frames.ENTRIES * Frames.BUFFER_BYTES);
        int from = slot * Frames.BUFFER_BYTES;
        return Arrays.copyOfRange(buffers, from, from + length);
    }
}
