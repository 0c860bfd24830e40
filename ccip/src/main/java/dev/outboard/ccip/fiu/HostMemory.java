package dev.outboard.ccip.fiu;

import dev.outboard.ccip.platform.Access;
import dev.outboard.ccip.platform.PageSize;
import dev.outboard.ccip.platform.Translation;
import dev.outboard.ccip.wire.Line;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// The host memory that the AFU can reach, page by page, and at which addresses: nothing is
/// reachable that was not mapped (CCI-P manual 1.2.1, 1.3.2).
///
/// It belongs to a simulation, whose lock guards it; the memory itself belongs to whoever mapped it
/// and outlives the mapping. Addresses come from the seed, and lie low, above 2^32 or just below
/// 2^47, so that an AFU which cuts an address off is found out.
public final class HostMemory {
    /// What is mapped is a multiple of this, also of a larger page only in part.
    public static final long GRANULE = PageSize.KIB_4.bytes();

    /// No buffer is larger: so there is room for it among the addresses that are given out.
    public static final long MOST_BYTES = 1L << 38;

    private static final int LINES_PER_GRANULE = (int) (GRANULE / Line.BYTES);
    private static final int RECENT = 512;
    private static final int ATTEMPTS = 10_000;

    private final Translation translation;
    private final SplittableRandom random;
    private final @Nullable Mapping[] recent = new Mapping[RECENT];

    /// Ordered by address, none overlapping.
    private Mapping[] pages = {};

    /// A memory of which nothing is mapped.
    public HostMemory(long seed, Translation translation) {
        this.translation = translation;
        random = new SplittableRandom(seed);
    }

    /// The page with this line, or null if none is mapped there.
    ///
    /// CCIP-MOD-11, CCIP-PLT-2: the AFU's addresses are translated by one table.
    public @Nullable Mapping find(long lineAddress) {
        int slot = (int) (lineAddress / LINES_PER_GRANULE) & RECENT - 1;
        Mapping page = recent[slot];
        if (page != null && page.covers(lineAddress)) {
            return page;
        }
        int index = firstEndingAfter(lineAddress);
        if (index == pages.length || !pages[index].covers(lineAddress)) {
            return null;
        }
        recent[slot] = pages[index];
        return pages[index];
    }

    /// The pages for a buffer of so many bytes: of physical memory one that holds all of it, else
    /// as large as it fills.
    public PageSize pageSizeFor(long bytes) {
        if (translation == Translation.PHYSICAL) {
            return PageSize.holding(bytes);
        }
        return bytes < PageSize.MIB_2.bytes() ? PageSize.KIB_4 : PageSize.MIB_2;
    }

    /// Maps pieces of memory, contiguous for the AFU in this order, each a whole number of pages
    /// but the last, which is a whole number of granules.
    ///
    /// CCIP-HST-2, CCIP-HST-3: pages of 4 KiB, 2 MiB or 1 GiB, with or without an IOMMU.
    ///
    /// @return the byte address that the AFU uses
    /// @throws IllegalArgumentException if a piece is not made of pages, or needs an IOMMU which
    ///   there is not
    public long map(List<MemorySegment> pieces, PageSize pageSize, Access access) {
        requirePages(pieces, pageSize);
        long bytes = pieces.stream().mapToLong(MemorySegment::byteSize).sum();
        if (translation == Translation.PHYSICAL) {
            requirePhysical(pieces, bytes, pageSize, access);
        }
        long address = freeAddress(bytes, pageSize);
        mapAt(address, pieces, pageSize, access);
        return address;
    }

    /// Ends the mapping of all pages in this range of addresses. Requests in flight to them come
    /// too late.
    public void unmap(long address, long bytes) {
        int from = firstEndingAfter(address / Line.BYTES);
        int to = from;
        while (to < pages.length && pages[to].firstLine() < (address + bytes) / Line.BYTES) {
            pages[to].unmap();
            to++;
        }
        Mapping[] left = Arrays.copyOf(pages, pages.length - (to - from));
        System.arraycopy(pages, to, left, from, pages.length - to);
        pages = left;
        Arrays.fill(recent, null);
    }

    /// Changes what the AFU may do with the pages in this range of addresses.
    ///
    /// CCIP-MEM-12: each page has rights of its own.
    ///
    /// @throws IllegalArgumentException without an IOMMU
    public void protect(long address, long bytes, Access access) {
        if (translation == Translation.PHYSICAL && access != Access.READ_WRITE) {
            throw new IllegalArgumentException(
                    "Access "
                            + access
                            + " needs translation by an IOMMU; physical memory has READ_WRITE");
        }
        long end = (address + bytes + Line.BYTES - 1) / Line.BYTES;
        for (int i = firstEndingAfter(address / Line.BYTES);
                i < pages.length && pages[i].firstLine() < end;
                i++) {
            pages[i].protect(access);
        }
    }

    private static void requirePages(List<MemorySegment> pieces, PageSize pageSize) {
        for (int i = 0; i < pieces.size(); i++) {
            MemorySegment piece = pieces.get(i);
            long unit = i == pieces.size() - 1 ? GRANULE : pageSize.bytes();
            if (!piece.isNative() || piece.byteSize() == 0 || piece.byteSize() % unit != 0) {
                throw new IllegalArgumentException(
                        "Piece "
                                + i
                                + " of a buffer in pages of "
                                + pageSize
                                + " has "
                                + piece.byteSize()
                                + (piece.isNative() ? "" : " heap")
                                + " bytes; valid is native memory in multiples of "
                                + unit);
            }
            if (piece.address() % Line.BYTES != 0) {
                throw new IllegalArgumentException(
                        "Piece "
                                + i
                                + " of a buffer is not aligned to a line of "
                                + Line.BYTES
                                + " bytes");
            }
        }
    }

    private static void requirePhysical(
            List<MemorySegment> pieces, long bytes, PageSize pageSize, Access access) {
        if (pieces.size() > 1 || bytes > pageSize.bytes() || access != Access.READ_WRITE) {
            throw new IllegalArgumentException(
                    "A buffer of "
                            + bytes
                            + " bytes in "
                            + pieces.size()
                            + " pieces with access "
                            + access
                            + " in pages of "
                            + pageSize
                            + "; without an IOMMU valid is one piece within one page, READ_WRITE");
        }
    }

    private void mapAt(long address, List<MemorySegment> pieces, PageSize pageSize, Access access) {
        List<Mapping> added = new ArrayList<>();
        long next = address;
        for (MemorySegment piece : pieces) {
            for (long at = 0; at < piece.byteSize(); at += pageSize.bytes()) {
                long size = Math.min(pageSize.bytes(), piece.byteSize() - at);
                added.add(new Mapping(next / Line.BYTES, piece.asSlice(at, size), access));
                next += size;
            }
        }
        int index = firstEndingAfter(address / Line.BYTES);
        Mapping[] all = Arrays.copyOf(pages, pages.length + added.size());
        System.arraycopy(pages, index, all, index + added.size(), pages.length - index);
        for (int i = 0; i < added.size(); i++) {
            all[index + i] = added.get(i);
        }
        pages = all;
    }

    private long freeAddress(long bytes, PageSize pageSize) {
        for (int i = 0; i < ATTEMPTS; i++) {
            long address = randomAddress() / pageSize.bytes() * pageSize.bytes();
            if (address != 0 && isFree(address, bytes)) {
                return address;
            }
        }
        throw new IllegalArgumentException(
                "No room for "
                        + bytes
                        + " bytes below 2^48 among "
                        + pages.length
                        + " mapped pages");
    }

    /// CCIP-HST-4: addresses use their high bits, too.
    private long randomAddress() {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextLong(1L << 32);
            case 1 -> (1L << 47) - 1 - random.nextLong(1L << 38);
            default -> random.nextLong(1L << 32, 1L << 40);
        };
    }

    private boolean isFree(long address, long bytes) {
        int index = firstEndingAfter(address / Line.BYTES);
        return index == pages.length || pages[index].firstLine() >= (address + bytes) / Line.BYTES;
    }

    /// The index of the first page that ends after this line.
    private int firstEndingAfter(long lineAddress) {
        int low = 0;
        int high = pages.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (pages[middle].endLine() > lineAddress) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }
}
