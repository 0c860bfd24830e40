package dev.outboard.peers;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;

/// One end of a pair of UDP sockets on loopback, and the bare calls that a fast stack makes:
/// `sendmsg` with `UDP_SEGMENT`, `recvmsg` with `UDP_GRO`. One thread at a time sends, one
/// receives.
@SuppressWarnings("restricted")
final class UdpEnd {
    static final int BUFFER_BYTES = 1 << 16;

    private static final int LOOPBACK = 0x7F00_0001;
    private static final int SOL_UDP = 17;
    private static final int UDP_SEGMENT = 103;
    private static final int UDP_GRO = 104;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int SPANS = 256;
    private static final int SPAN_BYTES = 16;
    private static final int NAME_BYTES = 16;
    private static final int CONTROL_BYTES = 64;
    private static final int CONTROL_DATA = 16;

    private static final MethodHandle SOCKET =
            handle("socket", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle BIND = handle("bind", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle GETSOCKNAME =
            handle("getsockname", JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle SETSOCKOPT =
            handle("setsockopt", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle SENDMSG =
            handle("sendmsg", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle RECVMSG =
            handle("recvmsg", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT);

    private final int fd;
    private final MemorySegment name = memory(NAME_BYTES);
    private final MemorySegment outgoing = memory(56);
    private final MemorySegment spans = memory(SPANS * SPAN_BYTES);
    private final MemorySegment segmentation = memory(24);
    private final MemorySegment incoming = memory(56);
    private final MemorySegment from = memory(NAME_BYTES);
    private final MemorySegment control = memory(CONTROL_BYTES);
    private final MemorySegment incomingSpan = memory(SPAN_BYTES);
    private final CRC32 crc = new CRC32();
    private int spanCount;
    private long spanEnd;
    private int segmentBytes;

    /// What was received.
    final MemorySegment buffer = memory(BUFFER_BYTES);

    final ByteBuffer bufferView = buffer.asByteBuffer();

    UdpEnd() {
        fd = (int) call(SOCKET, 2, 2, 0);
        name.set(JAVA_SHORT, 0, (short) 2);
        name.set(JAVA_INT, 4, Integer.reverseBytes(LOOPBACK));
        call(BIND, fd, name, NAME_BYTES);
        MemorySegment length = memory(4);
        length.set(JAVA_INT, 0, NAME_BYTES);
        call(GETSOCKNAME, fd, name, length);
        option(0, 10, 3);
        option(1, 8, 4 << 20);
        option(1, 7, 4 << 20);
        option(SOL_UDP, UDP_GRO, 1);
        segmentation.set(JAVA_LONG, 0, 18);
        segmentation.set(JAVA_INT, 8, SOL_UDP);
        segmentation.set(JAVA_INT, 12, UDP_SEGMENT);
        incomingSpan.set(JAVA_LONG, 0, buffer.address());
        incomingSpan.set(JAVA_LONG, 8, BUFFER_BYTES);
        incoming.set(JAVA_LONG, 0, from.address());
        incoming.set(JAVA_LONG, 16, incomingSpan.address());
        incoming.set(JAVA_LONG, 24, 1);
        incoming.set(JAVA_LONG, 32, control.address());
    }

    void connect(UdpEnd peer) {
        outgoing.set(JAVA_LONG, 0, peer.name.address());
        outgoing.set(JAVA_INT, 8, NAME_BYTES);
        outgoing.set(JAVA_LONG, 16, spans.address());
    }

    /// Adds a span to the next [#send], or continues the last one.
    void add(MemorySegment memory, long offset, long length) {
        long address = memory.address() + offset;
        if (spanCount > 0 && address == spanEnd) {
            long last = (spanCount - 1) * (long) SPAN_BYTES + 8;
            spans.set(JAVA_LONG, last, spans.get(JAVA_LONG, last) + length);
        } else {
            spans.set(JAVA_LONG, spanCount * (long) SPAN_BYTES, address);
            spans.set(JAVA_LONG, spanCount * (long) SPAN_BYTES + 8, length);
            spanCount++;
        }
        spanEnd = address + length;
    }

    /// Sends the spans in datagrams of `segment` bytes; 0 for a single one.
    void send(int segment) {
        segmentation.set(JAVA_SHORT, CONTROL_DATA, (short) segment);
        outgoing.set(JAVA_LONG, 24, spanCount);
        outgoing.set(JAVA_LONG, 32, segmentation.address());
        outgoing.set(JAVA_LONG, 40, segment == 0 ? 0 : 24);
        try {
            while ((long) SENDMSG.invokeExact(fd, outgoing, 0) < 0) {
                Thread.onSpinWait();
            }
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
        spanCount = 0;
    }

    /// Receives into [#buffer]: the bytes, or something negative if nothing is there and `blocking`
    /// is not set.
    int receive(boolean blocking) {
        incoming.set(JAVA_INT, 8, NAME_BYTES);
        incoming.set(JAVA_LONG, 40, CONTROL_BYTES);
        try {
            long length = (long) RECVMSG.invokeExact(fd, incoming, blocking ? 0 : MSG_DONTWAIT);
            if (length > 0) {
                segmentBytes =
                        incoming.get(JAVA_LONG, 40) == 0
                                ? (int) length
                                : control.get(JAVA_INT, CONTROL_DATA);
            }
            return (int) length;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /// The size of the datagrams that the latest [#receive] brought.
    int segmentBytes() {
        return segmentBytes;
    }

    /// Stores the CRC-32 of the `length` bytes at `at` behind them.
    void seal(MemorySegment memory, ByteBuffer view, int at, int length) {
        crc.reset();
        crc.update(view.limit(at + length).position(at));
        memory.set(ValueLayout.JAVA_INT_UNALIGNED, at + length, (int) crc.getValue());
    }

    /// The CRC-32 of headers and payload in two places.
    int crcOf(
            ByteBuffer headers,
            int headersAt,
            int headerLength,
            ByteBuffer payload,
            int at,
            int length) {
        crc.reset();
        crc.update(headers.limit(headersAt + headerLength).position(headersAt));
        crc.update(payload.limit(at + length).position(at));
        return (int) crc.getValue();
    }

    /// Whether the CRC-32 at the end of the `length` bytes at `at` of the buffer is right.
    boolean isSound(int at, int length) {
        int covered = length - Integer.BYTES;
        crc.reset();
        crc.update(bufferView.limit(at + covered).position(at));
        return (int) crc.getValue() == buffer.get(ValueLayout.JAVA_INT_UNALIGNED, at + covered);
    }

    /// Memory that is never given back: its liveness is not checked at every access.
    static MemorySegment memory(long bytes) {
        return Arena.global().allocate(bytes, Long.BYTES);
    }

    /// A view of the first 2 GiB in native order.
    static ByteBuffer view(MemorySegment memory) {
        return memory.asByteBuffer().order(ByteOrder.nativeOrder());
    }

    private void option(int level, int option, int value) {
        MemorySegment argument = memory(4);
        argument.set(JAVA_INT, 0, value);
        call(SETSOCKOPT, fd, level, option, argument, 4);
    }

    private static long call(MethodHandle function, Object... arguments) {
        try {
            long result = ((Number) function.invokeWithArguments(arguments)).longValue();
            if (result < 0) {
                throw new IllegalStateException("the kernel refused a socket call");
            }
            return result;
        } catch (RuntimeException e) {
            throw e;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    private static MethodHandle handle(String name, ValueLayout result, ValueLayout... arguments) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow(name), FunctionDescriptor.of(result, arguments));
    }
}
