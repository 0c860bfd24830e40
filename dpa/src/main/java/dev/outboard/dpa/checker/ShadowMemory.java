package dev.outboard.dpa.checker;

import org.jspecify.annotations.Nullable;

/// For each byte of memory, of the DPA and outside, who stored it last and who has read it since.
/// One granule of 8 bytes has a list of stores with the bytes of each, most often a single one.
/// Records are used again, so that a run allocates nothing once it has touched its memory.
final class ShadowMemory {
    /// Bytes of a granule.
    static final int GRANULE = 8;

    /// All bytes of a granule.
    static final int ALL = 0xFF;

    private static final int PAGE_SHIFT = 12;
    private static final int PAGE_GRANULES = (1 << PAGE_SHIFT) / GRANULE;

    private final Snapshots snapshots;
    private @Nullable Page[] pages = new Page[64];
    private int count;
    private Page latest;
    private @Nullable Write freeWrites;
    private @Nullable Read freeReads;

    /// The latest store to some bytes of a granule.
    static final class Write {
        /// Who stored.
        int writer;

        /// The running number of the store among those of its actor.
        long epoch;

        /// The running number among all events.
        long sequence;

        /// Where it stands.
        int site;

        /// Which bytes of the granule are still its.
        int mask;

        /// Whether it is an atomic, which others see as soon as it is executed.
        boolean atomic;

        /// The latest store that it overwrote, among those that come before it for sure: by whom,
        /// and its number; 0 if there is none.
        int overWriter;

        long over;

        /// What it tells, if it is a completion entry of the NIC that tells of a failure.
        @Nullable Failure failure;

        /// What it carries.
        Snapshot carried;

        /// The next one in the granule.
        @Nullable Write next;

        private Write(Snapshot carried) {
            this.carried = carried;
        }
    }

    /// What one actor has read of a granule since the latest store to it.
    static final class Read {
        /// Who read.
        int reader;

        /// The number that the next store of the reader had at the first and at the last read.
        long first;

        long last;

        /// Where the last read stands.
        int site;

        /// Which bytes were read, and are not stored to since.
        int mask;

        /// Whether an atomic read.
        boolean atomic;

        /// The next one in the granule.
        @Nullable Read next;
    }

    /// A page of 4 KiB.
    static final class Page {
        private final long number;
        private final @Nullable Write[] writes = new Write[PAGE_GRANULES];
        private final @Nullable Read[] reads = new Read[PAGE_GRANULES];

        private @Nullable Role @Nullable [] roles;
        private byte @Nullable [] initialized;

        private Page(long number) {
            this.number = number;
        }

        /// The bytes of the granule of that address that had a value before the run.
        int initialized(long address) {
            return initialized == null ? 0 : initialized[granule(address)] & ALL;
        }

        /// What the granule of that address is for.
        @Nullable Role role(long address) {
            return roles == null ? null : roles[granule(address)];
        }

        /// The stores of the granule of that address.
        @Nullable Write writes(long address) {
            return writes[granule(address)];
        }

        /// The reads of the granule of that address.
        @Nullable Read reads(long address) {
            return reads[granule(address)];
        }
    }

    ShadowMemory(Snapshots snapshots) {
        this.snapshots = snapshots;
        latest = find(0);
    }

    private static int granule(long address) {
        return (int) (address >>> 3) & (PAGE_GRANULES - 1);
    }

    /// Which bytes of its granule an access touches that does not leave it.
    static int mask(long address, int lengthBytes) {
        return ((1 << lengthBytes) - 1) << ((int) address & (GRANULE - 1));
    }

    /// The page of that address; made if there is none.
    Page page(long address) {
        long number = address >>> PAGE_SHIFT;
        if (latest.number != number) {
            latest = find(number);
        }
        return latest;
    }

    private Page find(long number) {
        int mask = pages.length - 1;
        int at = slot(number, mask);
        for (Page page = pages[at]; page != null; page = pages[at]) {
            if (page.number == number) {
                return page;
            }
            at = (at + 1) & mask;
        }
        Page page = new Page(number);
        pages[at] = page;
        if (++count > pages.length / 2) {
            grow();
        }
        return page;
    }

    private void grow() {
        @Nullable Page[] old = pages;
        pages = new Page[old.length * 2];
        int mask = pages.length - 1;
        for (Page page : old) {
            if (page != null) {
                int at = slot(page.number, mask);
                while (pages[at] != null) {
                    at = (at + 1) & mask;
                }
                pages[at] = page;
            }
        }
    }

    private static int slot(long number, int mask) {
        return (int) ((number * 0x9E37_79B9_7F4A_7C15L) >>> 40) & mask;
    }

    /// Bytes have got a value before the run.
    void initialize(long address, long lengthBytes) {
        setInitialized(address, lengthBytes, true);
    }

    /// Bytes are those of a new block: they have no value, and are for nothing any more.
    void forget(long address, long lengthBytes) {
        setInitialized(address, lengthBytes, false);
        for (long at = address; at < address + lengthBytes; at += GRANULE) {
            Page page = page(at);
            if (page.roles != null) {
                page.roles[granule(at)] = null;
            }
        }
    }

    private void setInitialized(long address, long lengthBytes, boolean set) {
        for (long at = address; at < address + lengthBytes; at++) {
            Page page = page(at);
            if (page.initialized == null) {
                page.initialized = new byte[PAGE_GRANULES];
            }
            int bit = mask(at, 1);
            int before = page.initialized[granule(at)];
            page.initialized[granule(at)] = (byte) (set ? before | bit : before & ~bit);
        }
    }

    /// Says what bytes are for.
    void role(Role role) {
        for (long at = role.address & -GRANULE;
                at < role.address + role.lengthBytes;
                at += GRANULE) {
            Page page = page(at);
            if (page.roles == null) {
                page.roles = new Role[PAGE_GRANULES];
            }
            page.roles[granule(at)] = new Role(role, page.roles[granule(at)]);
        }
    }

    /// Makes a store the latest one to some bytes, and forgets the reads of them.
    Write store(Page page, long address, int mask, Snapshot carried) {
        int at = granule(address);
        Write mine = null;
        Write before = null;
        for (Write write = page.writes[at]; write != null; ) {
            Write next = write.next;
            write.mask &= ~mask;
            if (write.mask != 0) {
                before = write;
            } else {
                unlink(page, at, before, write);
                if (mine == null) {
                    mine = write;
                } else {
                    recycle(write);
                }
            }
            write = next;
        }
        if (mine == null) {
            mine = newWrite(carried);
        } else if (mine.carried != carried) {
            carried.hold();
            snapshots.release(mine.carried);
            mine.carried = carried;
        }
        mine.mask = mask;
        mine.next = page.writes[at];
        page.writes[at] = mine;
        forgetReads(page, at, mask);
        return mine;
    }

    private static void unlink(Page page, int at, @Nullable Write before, Write write) {
        if (before == null) {
            page.writes[at] = write.next;
        } else {
            before.next = write.next;
        }
    }

    private Write newWrite(Snapshot carried) {
        carried.hold();
        Write write = freeWrites;
        if (write == null) {
            return new Write(carried);
        }
        freeWrites = write.next;
        write.carried = carried;
        return write;
    }

    private void recycle(Write write) {
        snapshots.release(write.carried);
        write.next = freeWrites;
        freeWrites = write;
    }

    private void forgetReads(Page page, int at, int mask) {
        Read before = null;
        for (Read read = page.reads[at]; read != null; ) {
            Read next = read.next;
            read.mask &= ~mask;
            if (read.mask != 0) {
                before = read;
            } else {
                if (before == null) {
                    page.reads[at] = next;
                } else {
                    before.next = next;
                }
                read.next = freeReads;
                freeReads = read;
            }
            read = next;
        }
    }

    /// Notes that an actor has read some bytes.
    ///
    /// @param epoch the number that its next store will have
    Read read(Page page, long address, int mask, int reader, long epoch, int site) {
        int at = granule(address);
        for (Read read = page.reads[at]; read != null; read = read.next) {
            if (read.reader == reader && read.mask == mask) {
                read.last = epoch;
                read.site = site;
                read.atomic = false;
                return read;
            }
        }
        Read read = freeReads;
        if (read == null) {
            read = new Read();
        } else {
            freeReads = read.next;
        }
        read.reader = reader;
        read.first = epoch;
        read.last = epoch;
        read.site = site;
        read.mask = mask;
        read.atomic = false;
        read.next = page.reads[at];
        page.reads[at] = read;
        return read;
    }
}
