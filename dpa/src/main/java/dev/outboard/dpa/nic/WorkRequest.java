package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.EthernetSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpa.nic.layout.Syndrome;
import org.jspecify.annotations.Nullable;

/// The entry of a send queue that is being executed: what it asks for, and the pieces of memory
/// that are its data. Each send queue has one, and uses it again and again.
final class WorkRequest {
    private static final int SEGMENTS_PER_BLOCK = SendEntry.BYTES / SendEntry.SEGMENT_BYTES;
    private static final int INDEX_MASK = 0xFFFF;
    private static final int MAX_SEGMENTS = 0x3F;

    private final QueuePair.Send queue;
    private final Shared shared;
    private final boolean frames;
    private final int maxBytes;
    private final Message message;
    private final LocalWork local;
    private final long ringBytes;

    private int index;
    private int segments;
    private int completionMode;
    private boolean isLocal;

    /// Which segment is the first of the data.
    private int firstData;

    /// Inline data go on at the begin of the ring if they meet its end: one segment more.
    private int pieces;

    private final int[] lengths = new int[MAX_SEGMENTS + 1];

    /// None of a piece that lies in the entry itself.
    private final @Nullable MemoryKey[] keys = new MemoryKey[MAX_SEGMENTS + 1];

    private final long[] addresses = new long[MAX_SEGMENTS + 1];

    /// For messages of a queue pair.
    ///
    /// @param payloadBytes what [#load] has room for
    WorkRequest(QueuePair.Send queue, Shared shared, int payloadBytes) {
        this(queue, shared, false, shared.maxMessageBytes(), payloadBytes);
    }

    /// For messages that go to the wire from where they are, so that a device of the fabric says
    /// how long they may be.
    static WorkRequest ofFabric(QueuePair.Send queue, Shared shared, long maxBytes) {
        int most = (int) Math.min(maxBytes, Integer.MAX_VALUE);
        return new WorkRequest(queue, shared, false, most, 0);
    }

    /// For frames.
    static WorkRequest ofFrames(QueuePair.Send queue, Shared shared) {
        return new WorkRequest(
                queue,
                shared,
                true,
                NicPort.MAX_FRAME_BYTES,
                NicPort.MAX_FRAME_BYTES + LargeSend.MAX_PAYLOAD_BYTES);
    }

    private WorkRequest(
            QueuePair.Send queue, Shared shared, boolean frames, int maxBytes, int payloadBytes) {
        this.queue = queue;
        this.shared = shared;
        this.frames = frames;
        this.maxBytes = maxBytes;
        message = new Message(payloadBytes);
        local = new LocalWork(shared);
        ringBytes = (long) SendEntry.BYTES << queue.logBlocks();
    }

    Message message() {
        return message;
    }

    /// Whether the NIC executes it without a peer: then [#local] has it.
    boolean isLocal() {
        return isLocal;
    }

    LocalWork local() {
        return local;
    }

    boolean isSignalled() {
        return completionMode != SendEntry.COMPLETE_ON_ERROR;
    }

    /// How many blocks it takes.
    int blocks() {
        return Math.max(1, (segments + SEGMENTS_PER_BLOCK - 1) / SEGMENTS_PER_BLOCK);
    }

    /// An entry may begin near the end of the ring and go on at its begin.
    private long at(long offset) {
        return queue.ring() + ((long) index * SendEntry.BYTES + offset & ringBytes - 1);
    }

    private long segment(int number) {
        return at((long) number * SendEntry.SEGMENT_BYTES);
    }

    /// Reads only how long an entry is.
    int skip(Nic nic, int from, int posted) {
        index = from;
        segments = SendEntry.segments(nic, at(0));
        return Math.min(blocks(), posted);
    }

    /// DPA-FXQ-9: reads an entry with all that it names; what is wrong with it is a syndrome.
    ///
    /// @param posted how many blocks there are
    Syndrome parse(Nic nic, int from, int posted, int queueNumber) {
        index = from;
        pieces = 0;
        isLocal = false;
        message.byteCount = 0;
        long control = at(0);
        int opcode = SendEntry.opcode(nic, control);
        segments = SendEntry.segments(nic, control);
        completionMode = SendEntry.completion(nic, control);
        message.opcode = opcode;
        message.immediate = SendEntry.immediate(nic, control);
        int ofLocal = LocalWork.segments(opcode);
        if (ofLocal > 0) {
            firstData = ofLocal == segments ? ofLocal : 0;
        } else {
            firstData = frames ? firstOfFrame(nic, opcode) : firstData(opcode);
        }
        boolean wrong =
                SendEntry.index(nic, control) != (from & INDEX_MASK)
                        || SendEntry.queueNumber(nic, control) != queueNumber
                        || firstData == 0
                        || segments < firstData
                        || blocks() > posted
                        || (long) blocks() * SendEntry.BYTES > ringBytes;
        if (wrong) {
            segments = Math.min(segments, SEGMENTS_PER_BLOCK * posted);
            return Syndrome.LOCAL_QUEUE_PAIR_OPERATION;
        }
        isLocal = ofLocal > 0;
        if (isLocal) {
            Syndrome read = local.parse(nic, opcode, segment(1), segment(2), segment(3));
            message.byteCount = local.lengthBytes();
            return read;
        }
        if (frames && opcode != SendEntry.NOP) {
            return parseFrame(nic);
        }
        if (firstData > 1) {
            message.remoteAddress = SendEntry.remoteAddress(nic, segment(1));
            message.remoteKey = SendEntry.remoteKey(nic, segment(1));
        }
        if (firstData > 2) {
            message.operand = SendEntry.operand(nic, segment(2));
            message.compare = SendEntry.compare(nic, segment(2));
        }
        return opcode == SendEntry.NOP ? Syndrome.SUCCESS : parseData(nic, maxBytes);
    }

    /// How many segments come before the data, or 0 if there is no such opcode.
    private static int firstData(int opcode) {
        return switch (opcode) {
            case SendEntry.NOP, SendEntry.SEND, SendEntry.SEND_IMMEDIATE -> 1;
            case SendEntry.RDMA_WRITE, SendEntry.RDMA_WRITE_IMMEDIATE, SendEntry.RDMA_READ -> 2;
            case SendEntry.ATOMIC_COMPARE_SWAP, SendEntry.ATOMIC_FETCH_ADD -> 3;
            default -> 0;
        };
    }

    /// DPA-FXQ-8b: the same for a frame: the Ethernet segment, with the begin of the frame in it
    /// and in the segments after it, comes before the data. Each word of it is read once: a program
    /// may change it meanwhile.
    private int firstOfFrame(Nic nic, int opcode) {
        if (opcode == SendEntry.NOP) {
            return 1;
        }
        long ethernet = segment(1);
        message.inlineBytes = EthernetSegment.inlineBytes(nic, ethernet);
        message.flags = EthernetSegment.flags(nic, ethernet);
        message.segmentBytes = EthernetSegment.segmentBytes(nic, ethernet);
        boolean known = opcode == SendEntry.SEND || opcode == SendEntry.LSO;
        return known && !asksForMore() ? 1 + EthernetSegment.segments(message.inlineBytes) : 0;
    }

    /// DPA-FXQ-8d: whether an Ethernet segment asks for what the NIC does not do: other flags than
    /// those of the outer checksums; or it does not say how to cut, or does so of an entry that is
    /// not cut.
    private boolean asksForMore() {
        int done = EthernetSegment.L3_CHECKSUM | EthernetSegment.L4_CHECKSUM;
        boolean isCut = message.opcode == SendEntry.LSO;
        return (message.flags & ~done) != 0 || isCut != (message.segmentBytes != 0);
    }

    private Syndrome parseFrame(Nic nic) {
        int inline = message.inlineBytes;
        if (inline + message.segmentBytes > maxBytes) {
            return Syndrome.LOCAL_LENGTH;
        }
        addInline(EthernetSegment.inlineData(SendEntry.SEGMENT_BYTES), inline);
        boolean isCut = message.opcode == SendEntry.LSO;
        int most = isCut ? inline + LargeSend.MAX_PAYLOAD_BYTES : maxBytes;
        Syndrome read = parseData(nic, most);
        boolean hasHeader = message.byteCount >= NicPort.HEADER_BYTES;
        return read == Syndrome.SUCCESS && !hasHeader ? Syndrome.LOCAL_LENGTH : read;
    }

    private boolean isAtomic() {
        return !frames && firstData > 2;
    }

    /// Whether the data are where something is put.
    boolean bringsBack() {
        return isAtomic() || message.opcode == SendEntry.RDMA_READ;
    }

    private Syndrome parseData(Nic nic, int most) {
        int number = firstData;
        while (number < segments) {
            long segment = segment(number);
            int length = DataSegment.byteCount(nic, segment);
            if (length > most - message.byteCount) {
                return Syndrome.LOCAL_LENGTH;
            }
            if (DataSegment.isInline(nic, segment)) {
                int taken = inlineSegments(length);
                if (bringsBack() || taken > segments - number) {
                    return Syndrome.LOCAL_QUEUE_PAIR_OPERATION;
                }
                long data = (long) number * SendEntry.SEGMENT_BYTES;
                addInline(DataSegment.inlineData(data), length);
                number += taken;
            } else {
                Syndrome named = addData(nic, segment, length);
                if (named != Syndrome.SUCCESS) {
                    return named;
                }
                number++;
            }
        }
        boolean fits = !isAtomic() || message.byteCount == Long.BYTES;
        return fits ? Syndrome.SUCCESS : Syndrome.LOCAL_LENGTH;
    }

    private static int inlineSegments(int length) {
        long bytes = DataSegment.inlineData(0) + length;
        return (int) ((bytes + SendEntry.SEGMENT_BYTES - 1) / SendEntry.SEGMENT_BYTES);
    }

    /// @param data where they begin in the entry
    private void addInline(long data, int length) {
        long from = at(data);
        int untilEnd = (int) Math.min(length, queue.ring() + ringBytes - from);
        add(from, untilEnd, null);
        if (untilEnd < length) {
            add(queue.ring(), length - untilEnd, null);
        }
    }

    private Syndrome addData(Nic nic, long segment, int length) {
        long address = DataSegment.address(nic, segment);
        int number = DataSegment.key(nic, segment);
        MemoryKey key = shared.memory().local(number, address, length, bringsBack());
        if (key == null) {
            return Syndrome.LOCAL_PROTECTION;
        }
        add(address, length, key);
        return Syndrome.SUCCESS;
    }

    private void add(long address, int length, @Nullable MemoryKey key) {
        addresses[pieces] = address;
        lengths[pieces] = length;
        keys[pieces] = key;
        pieces++;
        message.byteCount += length;
    }

    int pieces() {
        return pieces;
    }

    long address(int piece) {
        return addresses[piece];
    }

    int length(int piece) {
        return lengths[piece];
    }

    /// The key that names it; null if it lies in the entry itself.
    @Nullable MemoryKey key(int piece) {
        return keys[piece];
    }

    /// Reads the data into the payload of the message, if there are any to read.
    void load(Nic nic) {
        long done = 0;
        for (int i = 0; !bringsBack() && i < pieces; i++) {
            NicMemory.read(nic, addresses[i], lengths[i], message.payload(), done);
            done += lengths[i];
        }
    }

    /// Tells what the NIC holds until the entry is done.
    void tellPosted(int actor, long token) {
        for (int block = 0; block < blocks(); block++) {
            long address = at((long) block * SendEntry.BYTES);
            shared.observer().posted(actor, token, address, SendEntry.BYTES, false, 0);
        }
        if (isLocal) {
            local.tellPosted(actor, token);
        }
        for (int i = 0; i < pieces; i++) {
            if (keys[i] != null) {
                shared.observer().posted(actor, token, addresses[i], lengths[i], bringsBack(), 0);
            }
        }
    }

    /// Writes what a read or an atomic has brought back, but to memory whose key was destroyed
    /// since.
    void deliver(Nic nic) {
        long done = 0;
        for (int i = 0; bringsBack() && i < pieces; i++) {
            MemoryKey key = keys[i];
            if (key != null && shared.memory().isLive(key)) {
                NicMemory.write(nic, key, addresses[i], lengths[i], message.payload(), done);
            }
            done += lengths[i];
        }
    }
}
