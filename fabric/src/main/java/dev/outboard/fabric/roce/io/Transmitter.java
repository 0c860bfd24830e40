package dev.outboard.fabric.roce.io;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.outboard.fabric.linux.Errno;
import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.transport.TransmitListener;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Icrc;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.verbs.Counters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Sends packets through one socket, as few system calls as possible. Headers and ICRC come from a
/// ring of its own; payload goes from registered memory to the kernel without a copy, unless it is
/// so small that a copy is cheaper. Belongs to the engine of the socket, which lets one thread at a
/// time use it; the counters may be read by any. It has nothing to close.
///
/// ```java
/// while (transmitter.hasRoom() && protocol.hasPacket()) {
///     protocol.write(transmitter);              // headers, append, finish
/// }
/// transmitter.flush(nowNanos);
/// ```
///
/// Consecutive packets on the same [Path] object form a *run*, one `sendmsg` with `UDP_SEGMENT`:
/// all of the size of the first, the last one perhaps shorter. The kernel numbers the packets of a
/// run 0, 1, 2, … in the IPv4 identification, which the ICRC covers (roce.md 2.2). So a packet's
/// place in the run is settled when it is finished, and its ICRC computed for that place.
///
/// What the kernel does not take is dropped and counted: loss is normal, the protocol recovers.
public final class Transmitter implements PacketSink {
    /// Payload of so many bytes or fewer is copied behind its headers. Measured at this size, a
    /// packet of a run costs 110 ns with the copy and 160 ns without.
    public static final int COPY_LIMIT = 256;

    /// The most pieces that a packet's payload has.
    public static final int MAX_PIECES = 64;

    /// `UDP_MAX_SEGMENTS` was 64 before it became 128.
    static final int MAX_RUN_PACKETS = 64;

    /// The largest UDP payload on IPv4, and of `sendmsg` with `UDP_SEGMENT` (roce.md 2.2).
    static final int MAX_RUN_BYTES = 65_507;

    /// So many packets per [#flush], that receiving gets its turn.
    static final int PACKETS_PER_FLUSH = 256;

    private static final int MAX_HEADERS = 80;
    private static final int MAX_PAD = 3;
    private static final int SLOT_BYTES = MAX_HEADERS + COPY_LIMIT + MAX_PAD + Icrc.LENGTH;
    private static final int RING_BYTES = 1 << 16;

    private final UdpSocket socket;
    private TransmitListener listener;
    private final OutgoingMessage message;
    private final Icrc icrc = new Icrc();
    private final MemorySegment ring = Arena.ofAuto().allocate(RING_BYTES, Long.BYTES);

    /// Where the packet under construction starts in the ring.
    private long position;

    private final Payload[] pieces = new Payload[MAX_PIECES];
    private final long[] pieceOffsets = new long[MAX_PIECES];
    private final int[] pieceLengths = new int[MAX_PIECES];
    private int pieceCount;
    private int payloadLength;

    private @Nullable Path runPath;
    private int runPackets;
    private int runBytes;

    /// The size of the first packet of the run.
    private int segmentBytes;

    private boolean segmenting;
    private int room = PACKETS_PER_FLUSH;

    private @Nullable FrameSink tap;

    /// Where a packet is put together for the tap.
    private MemorySegment frame = MemorySegment.NULL;

    private long deadlineNanos = Long.MAX_VALUE;

    private final Counters<TransmitCounter> counters = new Counters<>(TransmitCounter.class);
    private volatile int lastErrno;

    private Transmitter(UdpSocket socket, TransmitListener listener) {
        this.socket = socket;
        this.listener = listener;
        this.message = new OutgoingMessage(socket);
        this.segmenting = socket.isSegmenting();
    }

    /// A transmitter for `socket`.
    ///
    /// ROCE-SOCK-3: the socket has proved first that its IP headers are what the ICRC will claim.
    ///
    /// @throws dev.outboard.fabric.FabricException if they are not
    public static Transmitter open(UdpSocket socket, TransmitListener listener) {
        SelfCheck.require(socket);
        return new Transmitter(socket, listener);
    }

    /// Asks and tells `newListener` from now on.
    public void attach(TransmitListener newListener) {
        listener = newListener;
    }

    /// Makes every packet pass through `stages` on its way out, one by one and without
    /// segmentation. They get the stage that sends, and return the one to start with.
    public void tap(UnaryOperator<FrameSink> stages) {
        tap = stages.apply(new Sending());
        frame = Arena.ofAuto().allocate(MAX_RUN_BYTES, Long.BYTES);
    }

    @Override
    public boolean hasRoom() {
        return room > 0;
    }

    @Override
    public MemorySegment headerMemory() {
        return ring;
    }

    @Override
    public long headerOffset() {
        return position;
    }

    @Override
    public void append(Payload payload, long offset, int length) {
        if (pieceCount == MAX_PIECES) {
            throw new IllegalStateException("a packet has at most " + MAX_PIECES + " pieces");
        }
        pieces[pieceCount] = payload;
        pieceOffsets[pieceCount] = offset;
        pieceLengths[pieceCount] = length;
        pieceCount++;
        payloadLength += length;
    }

    @Override
    public void finish(Path path, int headerLength) {
        room--;
        try {
            if (tap == null) {
                queue(path, headerLength);
            } else {
                pass(tap, path, headerLength);
            }
        } finally {
            pieceCount = 0;
            payloadLength = 0;
        }
    }

    /// Sends what is queued.
    public void flush(long nowNanos) {
        sendRun();
        position = 0;
        room = PACKETS_PER_FLUSH;
        if (tap != null) {
            deadlineNanos = tap.advance(nowNanos);
        }
    }

    /// When [#flush] has to be called again although nothing was queued: a stage holds packets
    /// back.
    public long deadlineNanos() {
        return deadlineNanos;
    }

    /// Sends every packet by a call of its own from now on.
    public void disableSegmentation() {
        segmenting = false;
    }

    public boolean isSegmenting() {
        return segmenting;
    }

    public Counters<TransmitCounter> counters() {
        return counters;
    }

    /// The errno by name of the latest refusal, or "none".
    public String lastRefusal() {
        return lastErrno == 0 ? "none" : Errno.name(lastErrno);
    }

    private void queue(Path path, int headerLength) {
        int length = headerLength + trailed(payloadLength);
        boolean joins = joins(path, length);
        boolean copied = payloadLength <= COPY_LIMIT;
        if (!seal(path, joins ? runPackets : 0, headerLength, length, copied)) {
            return;
        }
        if (!joins) {
            sendRun();
            runPath = path;
            segmentBytes = length;
        }
        if (copied) {
            enlistRing(length);
        } else {
            enlistPieces(headerLength);
        }
        runPackets++;
        runBytes += length;
        if (length < segmentBytes) {
            sendRun();
        }
        if (position > RING_BYTES - SLOT_BYTES) {
            sendRun();
            position = 0;
        }
    }

    private boolean joins(Path path, int length) {
        return path == runPath
                && length <= segmentBytes
                && segmenting
                && runPackets < MAX_RUN_PACKETS
                && runBytes + length <= MAX_RUN_BYTES
                && message.hasRoom(pieceCount + 2)
                && listener.maySegment(path);
    }

    /// The payload with pad bytes and ICRC.
    private static int trailed(int payloadLength) {
        return payloadLength + Bth.padCount(payloadLength) + Icrc.LENGTH;
    }

    /// Completes the packet with its ICRC. False if the payload has gone.
    ///
    /// ROCE-ICRC-3: a packet that leaves alone has identification 0.
    ///
    /// ROCE-ICRC-4: in a run that the kernel takes apart, the identification is the index.
    private boolean seal(Path path, int index, int headerLength, int length, boolean copied) {
        try {
            if (copied) {
                sealCopy(path, index, headerLength, length);
            } else {
                sealPieces(path, index, headerLength, length, ring, position + headerLength);
            }
            return true;
        } catch (IllegalStateException | WrongThreadException e) {
            lose(path);
            return false;
        }
    }

    /// The arena of the payload is closed, or was never meant for this thread.
    private void lose(Path path) {
        counters.increment(TransmitCounter.UNREADABLE);
        listener.unreadable(path);
    }

    /// Copies the payload behind the headers. The ICRC is that of the copy, so it is right even if
    /// somebody changes the payload meanwhile.
    private void sealCopy(Path path, int index, int headerLength, int length) {
        long end = copyPayload(ring, position + headerLength);
        int padCount = pad(ring, end);
        icrc.begin(path, index, length, ring, position, length - Icrc.LENGTH);
        Icrc.put(ring, end + padCount, icrc.finish(0));
    }

    /// Leaves the payload where it is, and puts pad bytes and ICRC at `end`.
    private void sealPieces(
            Path path, int index, int headerLength, int length, MemorySegment packet, long end) {
        icrc.begin(path, index, length, ring, position, headerLength);
        for (int i = 0; i < pieceCount; i++) {
            icrc.update(pieces[i], pieceOffsets[i], pieceLengths[i]);
        }
        int padCount = pad(packet, end);
        Icrc.put(packet, end + padCount, icrc.finish(padCount));
    }

    /// Returns where the copy ends.
    private long copyPayload(MemorySegment packet, long at) {
        long end = at;
        for (int i = 0; i < pieceCount; i++) {
            MemorySegment from = pieces[i].segment();
            MemorySegment.copy(from, pieceOffsets[i], packet, end, pieceLengths[i]);
            end += pieceLengths[i];
        }
        return end;
    }

    private int pad(MemorySegment packet, long at) {
        int padCount = Bth.padCount(payloadLength);
        for (int i = 0; i < padCount; i++) {
            packet.set(JAVA_BYTE, at + i, (byte) 0);
        }
        return padCount;
    }

    private void enlistPieces(int headerLength) {
        enlistRing(headerLength);
        for (int i = 0; i < pieceCount; i++) {
            message.add(pieces[i].address() + pieceOffsets[i], pieceLengths[i]);
        }
        enlistRing(trailed(payloadLength) - payloadLength);
    }

    private void enlistRing(int length) {
        message.add(ring.address() + position, length);
        position += length;
    }

    private void pass(FrameSink tap, Path path, int headerLength) {
        int length = headerLength + trailed(payloadLength);
        MemorySegment.copy(ring, position, frame, 0, headerLength);
        try {
            long end = copyPayload(frame, headerLength);
            sealPieces(path, 0, headerLength, length, frame, end);
        } catch (IllegalStateException | WrongThreadException e) {
            lose(path);
            return;
        }
        tap.frame(path, path.trafficClass(), frame, 0, length);
    }

    private void sendRun() {
        Path path = runPath;
        if (path == null) {
            return;
        }
        message.to(path);
        int result = message.send(runPackets == 1 ? 0 : segmentBytes);
        if (runPackets > 1 && (result == -Errno.EINVAL || result == -Errno.EIO)) {
            resend(path, -result);
        } else {
            settle(path, runPackets, result);
        }
        message.clear();
        runPath = null;
        runPackets = 0;
        runBytes = 0;
    }

    /// EINVAL: the socket sends without UDP checksums (SO_NO_CHECK), or an old kernel found the
    /// packets too long. EIO: the interface computes no checksums. Neither goes away by itself.
    ///
    /// ROCE-SOCK-7: what the kernel will not segment leaves one by one, from now on all of it.
    private void resend(Path path, int errno) {
        lastErrno = errno;
        segmenting = false;
        UnsegmentedRun run = new UnsegmentedRun(message, ring, path, segmentBytes);
        OutgoingMessage single = new OutgoingMessage(socket);
        single.to(path);
        for (int i = 0; i < runPackets; i++) {
            run.next(single);
            settle(path, 1, single.send(0));
        }
    }

    /// Takes account of what the kernel answered.
    private void settle(Path path, int packetCount, int result) {
        if (result >= 0) {
            counters.increment(TransmitCounter.CALLS);
            counters.add(TransmitCounter.PACKETS, packetCount);
            counters.add(TransmitCounter.BYTES, result);
            return;
        }
        lastErrno = -result;
        counters.add(TransmitCounter.REFUSED, packetCount);
        switch (-result) {
            // The queue of the socket or of the interface is full: no more in this turn.
            case Errno.EAGAIN, Errno.ENOBUFS, Errno.ENOMEM -> room = 0;
            case Errno.EMSGSIZE -> listener.tooLong(path);
            default -> {}
        }
    }

    /// The last stage behind a tap.
    private final class Sending implements FrameSink {
        @Override
        public void frame(Path path, int trafficClass, MemorySegment bytes, long at, int length) {
            message.to(path);
            settle(path, 1, message.send(bytes.address() + at, length));
            message.clear();
        }

        @Override
        public long advance(long nowNanos) {
            return Long.MAX_VALUE;
        }
    }
}
