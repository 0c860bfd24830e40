package dev.outboard.doca;

import org.jspecify.annotations.Nullable;

/// Buffers that each have memory of their own, all of one size, side by side in one [Mmap]: DOCA's
/// `doca_buf_pool` (DOCA Core guide, memory subsystem). What is allocated is empty, points to
/// memory that nobody else has, and goes back with [Buf#release]. Created, given properties,
/// started, used, stopped, closed; nothing allocates Java memory once it is started.
///
/// ```java
/// try (BufPool pool = BufPool.create(64, 4096, mmap).elementAlignment(64).start()) {
///     Buf page = pool.alloc();
///     …
///     page.release();
/// }
/// ```
///
/// One made by [#create] serves one thread: whichever asked first since the last time that all
/// buffers were back; others get BAD_STATE. One made by [#createShared] serves any thread, under a
/// lock.
public final class BufPool implements AutoCloseable {
    private final long elementBytes;
    private final Mmap mmap;

    /// What hands the descriptors out, and says which thread may.
    private final BufInventory bufs;

    /// The first bytes of the memory that is not out; the last `free` are valid, and the next to go
    /// is the last.
    private final long[] offsets;

    private int free;
    private long elementAlignment = 1;
    private @Nullable Object userData;
    private boolean started;
    private boolean closed;

    private BufPool(BufInventory bufs, long elementBytes, Mmap mmap) {
        this.bufs = bufs;
        this.elementBytes = elementBytes;
        this.mmap = mmap;
        this.offsets = new long[bufs.count()];
        bufs.serve(this);
    }

    /// A pool of `count` buffers of `elementBytes` each, from the start of `mmap` on, for one
    /// thread.
    ///
    /// @throws DocaException with INVALID_VALUE if `count` is not in 1..2^24, or `elementBytes` is
    ///   not positive
    public static BufPool create(int count, long elementBytes, Mmap mmap) {
        requireMemory(elementBytes, mmap);
        return new BufPool(BufInventory.create(count), elementBytes, mmap);
    }

    /// As [#create], for many threads.
    public static BufPool createShared(int count, long elementBytes, Mmap mmap) {
        requireMemory(elementBytes, mmap);
        return new BufPool(BufInventory.createShared(count), elementBytes, mmap);
    }

    private static void requireMemory(long elementBytes, Mmap mmap) {
        DocaException.nonNull(mmap, "mmap");
        if (elementBytes < 1) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "buffers of %d bytes each; valid: from 1".formatted(elementBytes));
        }
    }

    /// What the address of each buffer is a multiple of; 1 by default.
    ///
    /// @throws DocaException with INVALID_VALUE unless it is a power of two, with BAD_STATE if the
    ///   pool is started
    public synchronized BufPool elementAlignment(long bytes) {
        requireStopped();
        if (Long.bitCount(bytes) != 1 || bytes < 0) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "element alignment is %d; valid: a power of two".formatted(bytes));
        }
        elementAlignment = bytes;
        return this;
    }

    public synchronized long elementAlignment() {
        return elementAlignment;
    }

    /// Attaches anything.
    ///
    /// @throws DocaException with BAD_STATE if the pool is started
    public synchronized BufPool userData(@Nullable Object newUserData) {
        requireStopped();
        userData = newUserData;
        return this;
    }

    /// What the user attached; null by default.
    public synchronized @Nullable Object userData() {
        return userData;
    }

    private void requireStopped() {
        if (started) {
            throw new DocaException(
                    DocaError.BAD_STATE, this + " is started; its properties are set before");
        }
    }

    /// Allows to allocate.
    ///
    /// @return this
    /// @throws DocaException with BAD_STATE if it is started or closed, or its mmap is not started;
    ///   with INITIALIZATION if the mmap is too small for all buffers with their alignment
    public synchronized BufPool start() {
        requireStopped();
        if (closed || !mmap.isStarted()) {
            throw new DocaException(
                    DocaError.BAD_STATE,
                    closed ? this + " is closed" : this + " needs its memory started: " + mmap);
        }
        layOut();
        bufs.start();
        started = true;
        return this;
    }

    /// Gives each buffer its memory, the first one the lowest.
    private void layOut() {
        int count = offsets.length;
        long first = -mmap.address() & (elementAlignment - 1);
        long room = mmap.length() - first;
        long stride = (elementBytes + elementAlignment - 1) & -elementAlignment;
        // Without overflow, whatever the sizes are.
        boolean fits =
                elementBytes <= room
                        && (count == 1
                                || (stride > 0 && (room - elementBytes) / stride >= count - 1));
        if (!fits) {
            throw new DocaException(
                    DocaError.INITIALIZATION,
                    "%s with an alignment of %d does not fit in the %s"
                            .formatted(this, elementAlignment, mmap));
        }
        free = count;
        for (int i = 0; i < count; i++) {
            offsets[count - 1 - i] = first + (i * stride);
        }
    }

    /// No buffer can be allocated, and properties can be set, until it is started again. Does
    /// nothing if it is not started.
    ///
    /// @throws DocaException with IN_USE if buffers are out
    public synchronized void stop() {
        int out = count() - freeCount();
        if (out > 0) {
            throw new DocaException(
                    DocaError.IN_USE,
                    "%s cannot be stopped: %d are out; release them first".formatted(this, out));
        }
        bufs.stop();
        started = false;
    }

    /// An empty buffer: all of it is tail.
    ///
    /// @throws DocaException with EMPTY if all are out; with BAD_STATE if the pool or its mmap is
    ///   not started, or another thread uses the pool
    public Buf alloc() {
        Buf buf = bufs.isShared() ? takeLocked() : take();
        if (buf == null) {
            throw new DocaException(DocaError.EMPTY, "all buffers of the " + this + " are out");
        }
        return buf;
    }

    private synchronized @Nullable Buf takeLocked() {
        return take();
    }

    private @Nullable Buf take() {
        long offset = nextOffset();
        Buf buf = bufs.tryByArgs(mmap, offset, elementBytes, offset, 0);
        free -= buf == null ? 0 : 1;
        return buf;
    }

    /// As [#alloc], without an exception or an allocation, whatever happens.
    ///
    /// @param into takes the buffer, at 0; left as it is unless the result is SUCCESS
    /// @return SUCCESS, or the error that [#alloc] throws; INVALID_VALUE if `into` is empty
    public DocaError tryAlloc(Buf[] into) {
        return bufs.isShared() ? takeLocked(into) : take(into);
    }

    private synchronized DocaError takeLocked(Buf[] into) {
        return take(into);
    }

    private DocaError take(Buf[] into) {
        long offset = nextOffset();
        DocaError error = bufs.tryByArgs(mmap, offset, elementBytes, offset, 0, into);
        free -= error == DocaError.SUCCESS ? 1 : 0;
        return error == DocaError.NO_MEMORY ? DocaError.EMPTY : error;
    }

    /// Where the next buffer goes; anywhere if all are out, since the inventory has no descriptor
    /// then: memory comes back before its descriptor does.
    private long nextOffset() {
        return free == 0 ? 0 : offsets[free - 1];
    }

    /// The memory from `offset` on is not out any more; asked by the inventory, which has checked
    /// the thread.
    void takeBack(long offset) {
        if (bufs.isShared()) {
            synchronized (this) {
                offsets[free++] = offset;
            }
        } else {
            offsets[free++] = offset;
        }
    }

    /// How many buffers there are.
    public int count() {
        return offsets.length;
    }

    /// How many buffers are not out; a snapshot if other threads use the pool.
    public int freeCount() {
        return bufs.freeCount();
    }

    /// Stops the pool and gives it up. Buffers that are out are taken back, as [BufInventory#close]
    /// does. Closing twice is harmless.
    ///
    /// @throws DocaException with BAD_STATE if buffers are out and another thread owns them
    @Override
    public synchronized void close() {
        bufs.close();
        started = false;
        closed = true;
    }

    @Override
    public String toString() {
        return "pool of %d buffers of %d bytes".formatted(offsets.length, elementBytes);
    }
}
