package dev.outboard.ccip.platform;

/// The pages that buffers for an AFU are pinned in: those of x86.
public enum PageSize {
    /// 4 KiB.
    KIB_4(4L << 10),
    /// 2 MiB.
    MIB_2(2L << 20),
    /// 1 GiB.
    GIB_1(1L << 30);

    private final long bytes;

    PageSize(long bytes) {
        this.bytes = bytes;
    }

    /// Bytes of a page, which is aligned to as many.
    public long bytes() {
        return bytes;
    }

    /// The smallest page that holds so many bytes in one piece; the largest if none does.
    public static PageSize holding(long bytes) {
        if (bytes <= KIB_4.bytes) {
            return KIB_4;
        }
        return bytes <= MIB_2.bytes ? MIB_2 : GIB_1;
    }
}
