package dev.outboard.fabric.memory;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.zip.CRC32;

/// A span of native memory that packets take their bytes from or bring them to: a registered memory
/// region, a receive buffer, a block of CM datagrams. It exists because [CRC32] reads buffers, not
/// segments, and because a view must not be made per packet.
///
/// Used by one thread at a time: the views carry a position. It closes nothing; the memory belongs
/// to whoever made the segment. If that is a shared arena and somebody closes it, every use throws
/// `IllegalStateException` from then on.
public final class Payload {
    /// A view ends where an `int` does, and a region may not. So views start every GiB and each
    /// reaches this far into the next: a piece of a packet lies in one view.
    private static final int OVERLAP = 1 << 16;

    private static final int STRIDE_SHIFT = 30;
    private static final long STRIDE = 1L << STRIDE_SHIFT;

    private final MemorySegment segment;
    private final ByteBuffer[] views;

    private Payload(MemorySegment segment) {
        this.segment = segment;
        this.views = views(segment);
    }

    /// Throws `IllegalArgumentException` when the segment lies on the heap, where the kernel cannot
    /// fetch it.
    public static Payload of(MemorySegment segment) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException("payload must be native memory, not " + segment);
        }
        return new Payload(segment);
    }

    private static ByteBuffer[] views(MemorySegment segment) {
        long size = segment.byteSize();
        int count = Math.toIntExact((size + STRIDE - 1) >>> STRIDE_SHIFT);
        ByteBuffer[] views = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            long start = i * STRIDE;
            long length = Math.min(size - start, STRIDE + OVERLAP);
            views[i] = segment.asSlice(start, length).asByteBuffer();
        }
        return views;
    }

    public MemorySegment segment() {
        return segment;
    }

    public long address() {
        return segment.address();
    }

    public long byteSize() {
        return segment.byteSize();
    }

    /// Feeds `length` bytes, at most 64 KiB, into a checksum.
    public void updateCrc(CRC32 crc, long offset, int length) {
        Objects.checkFromIndexSize(offset, length, segment.byteSize());
        assert length <= OVERLAP : length;
        if (length == 0) {
            return;
        }
        ByteBuffer view = views[(int) (offset >>> STRIDE_SHIFT)];
        int position = (int) (offset & (STRIDE - 1));
        view.limit(position + length).position(position);
        crc.update(view);
    }
}
