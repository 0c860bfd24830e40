package dev.outboard.doca;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A fixed number of buffer descriptors, for any local and remote mmaps: DOCA's
/// `doca_buf_inventory` (catalog DCORE-INV; DOCA Core guide, memory subsystem). Created, started,
/// used, stopped, closed; getting and returning a buffer allocates nothing once it is started.
///
/// One made by [#create] hands out and takes back on one thread: whichever asked first since the
/// last time that all buffers were back; others get BAD_STATE, for getting a buffer, releasing the
/// last reference, expanding, and closing while buffers are out. Once that thread has ended,
/// another may take over. One made by [#createShared] does all this on any thread, under a lock: it
/// is the one for callbacks that a [ProgressDriver] runs.
public final class BufInventory implements AutoCloseable {
    /// A buffer that came back is handed out again only after this many others.
    public static final int SPARE = 64;

    private static final int MAX_ELEMENTS = 1 << 24;
    private static final Logger LOGGER = System.getLogger(BufInventory.class.getName());

    private final boolean shared;
    private final Leak leak;

    private final Idle<Buf> bufs = new Idle<>();
    private final Idle<RemoteBuf> remoteBufs = new Idle<>();

    /// Whose buffers these are, if they have memory of their own.
    private @Nullable BufPool pool;

    /// All that were made, in and out.
    private final List<BufRange> all = new ArrayList<>();

    private @Nullable Thread owner;
    private int count;
    private int free;
    private volatile boolean started;
    private boolean closed;

    private BufInventory(int count, boolean shared) {
        requireRoom(0, count);
        this.shared = shared;
        add(count);
        this.leak = Leak.watch(this, "inventory of " + count + " elements", () -> {});
    }

    /// An inventory of `count` elements for one thread.
    ///
    /// @throws DocaException with INVALID_VALUE if `count` is not in 1..2^24
    public static BufInventory create(int count) {
        return new BufInventory(count, false);
    }

    /// An inventory of `count` elements for many threads.
    ///
    /// @throws DocaException with INVALID_VALUE if `count` is not in 1..2^24
    public static BufInventory createShared(int count) {
        return new BufInventory(count, true);
    }

    /// Allows to get buffers.
    ///
    /// @return this
    /// @throws DocaException with BAD_STATE if it is started or closed
    public synchronized BufInventory start() {
        if (started || closed) {
            throw new DocaException(
                    DocaError.BAD_STATE, this + " is " + (closed ? "closed" : "started already"));
        }
        started = true;
        return this;
    }

    /// No buffer can be got until it is started again; those that are out stay valid and can be
    /// returned. Does nothing if it is not started.
    public synchronized void stop() {
        started = false;
    }

    /// A buffer of `len` bytes at `head` in `mmap`, with a data section of `dataLen` bytes at
    /// `data`; all offsets count from the start of the mmap.
    ///
    /// @throws DocaException with INVALID_VALUE if the buffer does not lie in the mmap, or the data
    ///   not in the buffer; with NO_MEMORY if all elements are out; with BAD_STATE if the inventory
    ///   or the mmap is not started, or another thread owns the inventory
    public Buf byArgs(Mmap mmap, long head, long len, long data, long dataLen) {
        return orEmpty(tryByArgs(mmap, head, len, data, dataLen));
    }

    /// A buffer without data: `len` bytes of tail at `head`. Otherwise as [#byArgs].
    public Buf byAddress(Mmap mmap, long head, long len) {
        return byArgs(mmap, head, len, head, 0);
    }

    /// A buffer full of data: `len` bytes at `head`. Otherwise as [#byArgs].
    ///
    /// DCORE-INV-2: beside the full arguments, and the address without data.
    public Buf byData(Mmap mmap, long head, long len) {
        return byArgs(mmap, head, len, head, len);
    }

    /// As [#byArgs], but null if all elements are out: nothing is thrown or allocated then.
    public @Nullable Buf tryByArgs(Mmap mmap, long head, long len, long data, long dataLen) {
        DocaException.nonNull(mmap, "mmap");
        requireUsable(mmap.isStarted(), mmap);
        requireInside(mmap, mmap.length(), head, len, data, dataLen);
        Buf buf = take(bufs);
        if (buf != null) {
            buf.handOut(mmap, head, len, data, dataLen);
        }
        return buf;
    }

    /// As [#byArgs], without an exception or an allocation, whatever happens.
    ///
    /// @param into takes the buffer, at 0; left as it is unless the result is SUCCESS
    /// @return SUCCESS, or the error that [#byArgs] throws; INVALID_VALUE too if `into` is empty
    public DocaError tryByArgs(
            Mmap mmap, long head, long len, long data, long dataLen, Buf[] into) {
        if (mmap == null || into == null) {
            return DocaError.INVALID_VALUE;
        }
        DocaError error =
                check(mmap.isStarted(), mmap.length(), head, len, data, dataLen, into.length);
        Buf buf = error == DocaError.SUCCESS ? take(bufs) : null;
        if (buf == null) {
            return error == DocaError.SUCCESS ? DocaError.NO_MEMORY : error;
        }
        buf.handOut(mmap, head, len, data, dataLen);
        into[0] = buf;
        return DocaError.SUCCESS;
    }

    /// As [#byArgs(Mmap, long, long, long, long)], in memory of a peer.
    ///
    /// DCORE-INV-7: one inventory serves several mmaps, local and remote.
    public RemoteBuf byArgs(RemoteMmap mmap, long head, long len, long data, long dataLen) {
        return orEmpty(tryByArgs(mmap, head, len, data, dataLen));
    }

    /// As [#byAddress(Mmap, long, long)], in memory of a peer.
    public RemoteBuf byAddress(RemoteMmap mmap, long head, long len) {
        return byArgs(mmap, head, len, head, 0);
    }

    /// As [#byData(Mmap, long, long)], in memory of a peer.
    public RemoteBuf byData(RemoteMmap mmap, long head, long len) {
        return byArgs(mmap, head, len, head, len);
    }

    /// As [#tryByArgs(Mmap, long, long, long, long)], in memory of a peer.
    public @Nullable RemoteBuf tryByArgs(
            RemoteMmap mmap, long head, long len, long data, long dataLen) {
        DocaException.nonNull(mmap, "mmap");
        requireUsable(mmap.isOpen(), mmap);
        requireInside(mmap, mmap.length(), head, len, data, dataLen);
        RemoteBuf buf = take(remoteBufs);
        if (buf != null) {
            buf.handOut(mmap, head, len, data, dataLen);
        }
        return buf;
    }

    /// As [#tryByArgs(Mmap, long, long, long, long, Buf[])], in memory of a peer.
    public DocaError tryByArgs(
            RemoteMmap mmap, long head, long len, long data, long dataLen, RemoteBuf[] into) {
        if (mmap == null || into == null) {
            return DocaError.INVALID_VALUE;
        }
        DocaError error =
                check(mmap.isOpen(), mmap.length(), head, len, data, dataLen, into.length);
        RemoteBuf buf = error == DocaError.SUCCESS ? take(remoteBufs) : null;
        if (buf == null) {
            return error == DocaError.SUCCESS ? DocaError.NO_MEMORY : error;
        }
        buf.handOut(mmap, head, len, data, dataLen);
        into[0] = buf;
        return DocaError.SUCCESS;
    }

    /// What [#byArgs] would refuse, but for the number of elements.
    private DocaError check(
            boolean mmapUsable,
            long mmapLength,
            long head,
            long len,
            long data,
            long dataLen,
            int room) {
        if (!started || !mmapUsable || isForeign()) {
            return DocaError.BAD_STATE;
        }
        return room > 0 && isInside(mmapLength, head, len, data, dataLen)
                ? DocaError.SUCCESS
                : DocaError.INVALID_VALUE;
    }

    /// Another buffer, in no list, that describes the same memory as `buf` does now.
    ///
    /// DCORE-INV-4: the memory is shared, the descriptor is not.
    ///
    /// @throws DocaException with NOT_PERMITTED if `buf` is behind the head of a list; else as
    ///   [#byArgs]
    public Buf dup(Buf buf) {
        DocaException.nonNull(buf, "buf");
        buf.requireHead("duplicated");
        return byArgs(buf.mmap(), buf.head(), buf.len(), buf.data(), buf.dataLen());
    }

    /// Another buffer that describes the same memory of a peer as `buf` does now.
    ///
    /// @throws DocaException as [#byArgs]
    public RemoteBuf dup(RemoteBuf buf) {
        DocaException.nonNull(buf, "buf");
        return byArgs(buf.mmap(), buf.head(), buf.len(), buf.data(), buf.dataLen());
    }

    /// Adds `more` elements. Allocates.
    ///
    /// DCORE-INV-6: of a started inventory.
    ///
    /// @throws DocaException with BAD_STATE if it is not started, with INVALID_VALUE if it has more
    ///   than 2^24 then, or `more` is not positive
    public synchronized void expand(int more) {
        if (!started) {
            throw new DocaException(DocaError.BAD_STATE, this + " is not started");
        }
        requireRoom(count, more);
        requireThread();
        add(more);
    }

    /// How many elements there are.
    public synchronized int count() {
        return count;
    }

    /// How many elements are not out; a snapshot if other threads use the inventory.
    ///
    /// DCORE-INV-5: exact when no other thread uses it.
    public synchronized int freeCount() {
        return free;
    }

    /// Stops the inventory and gives it up. Buffers that are out are taken back, with a warning in
    /// the log, whatever their references and lists: a `try` block that an exception leaves closes
    /// the memory and the device too. Their holders get BAD_STATE from then on, and tasks that were
    /// to use them INVALID_VALUE. Closing twice is harmless.
    ///
    /// @throws DocaException with BAD_STATE if buffers are out and another thread owns them
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        if (free < count) {
            requireThread();
            LOGGER.log(
                    Level.WARNING,
                    "{0} was closed before {1} of its buffers were released",
                    this,
                    count - free);
            all.forEach(BufRange::takeBackFinally);
        }
        started = false;
        closed = true;
        leak.closed();
    }

    @Override
    public String toString() {
        return "inventory of " + count + " elements";
    }

    /// From now on `newPool` is told which memory comes back.
    void serve(BufPool newPool) {
        pool = newPool;
    }

    boolean isShared() {
        return shared;
    }

    void put(Buf buf) {
        if (pool != null) {
            pool.takeBack(buf.lastHead());
        }
        putBack(bufs, buf);
    }

    void put(RemoteBuf buf) {
        putBack(remoteBufs, buf);
    }

    /// Binds an inventory of which nothing is out to the thread that comes.
    void requireThread() {
        Thread current = Thread.currentThread();
        if (isForeign()) {
            throw new DocaException(
                    DocaError.BAD_STATE,
                    "%s belongs to %s while its buffers are out, and was used by %s; create it shared"
                            .formatted(this, owner, current));
        }
        if (!shared) {
            owner = current;
        }
    }

    /// Whether another thread than the current one owns it. What a thread leaves behind when it
    /// ends is anybody's.
    private boolean isForeign() {
        Thread holder = owner;
        return !shared
                && free < count
                && !Thread.currentThread().equals(holder)
                && holder != null
                && holder.isAlive();
    }

    /// DCORE-THR-6: one that was created shared serves threads at once.
    private <T> @Nullable T take(Idle<T> idle) {
        if (shared) {
            synchronized (this) {
                return takeFirst(idle);
            }
        }
        requireThread();
        return takeFirst(idle);
    }

    private <T> @Nullable T takeFirst(Idle<T> idle) {
        if (free == 0) {
            return null;
        }
        free--;
        return idle.elements.pollFirst();
    }

    private <T> void putBack(Idle<T> idle, T element) {
        if (shared) {
            synchronized (this) {
                putLast(idle, element);
            }
        } else {
            putLast(idle, element);
        }
    }

    private <T> void putLast(Idle<T> idle, T element) {
        idle.elements.addLast(element);
        free++;
    }

    private void add(int more) {
        int made = count == 0 ? more + SPARE : more;
        count += more;
        free += more;
        bufs.add(made, count + SPARE, () -> kept(new Buf(this)));
        remoteBufs.add(made, count + SPARE, () -> kept(new RemoteBuf(this)));
    }

    private <T extends BufRange> T kept(T buf) {
        all.add(buf);
        return buf;
    }

    /// DFLT-50: an empty inventory is NO_MEMORY.
    private <T> T orEmpty(@Nullable T buf) {
        if (buf == null) {
            throw new DocaException(
                    DocaError.NO_MEMORY, "all elements of the " + this + " are out");
        }
        return buf;
    }

    private static void requireRoom(int present, int more) {
        if (more < 1 || more > MAX_ELEMENTS - present) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "an inventory cannot get %d elements; valid: 1 to %d"
                            .formatted(more, MAX_ELEMENTS - present));
        }
    }

    /// DCORE-INV-3: neither the inventory nor the mmap may be stopped.
    private void requireUsable(boolean mmapUsable, Object mmap) {
        if (!started || !mmapUsable) {
            throw new DocaException(
                    DocaError.BAD_STATE, (started ? mmap : this) + " is not started, or closed");
        }
    }

    /// DFLT-49: a range that is not wholly in the mmap is invalid.
    private static void requireInside(
            Object mmap, long mmapLength, long head, long len, long data, long dataLen) {
        if (!isInside(mmapLength, head, len, data, dataLen)) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "a buffer of %d bytes at offset %d with %d bytes of data at offset %d does not lie in the %s"
                            .formatted(len, head, dataLen, data, mmap));
        }
    }

    private static boolean isInside(long mmapLength, long head, long len, long data, long dataLen) {
        return BufRange.contains(0, mmapLength, head, len)
                && BufRange.contains(head, len, data, dataLen);
    }

    /// Elements that are not out: first in, first out, so that a stale handle is noticed as long as
    /// possible.
    private static final class Idle<T> {
        private ArrayDeque<T> elements = new ArrayDeque<>(0);

        /// Adds `more`, and makes room for those that are out too: nothing allocates when they come
        /// back.
        ///
        /// DCORE-INV-8: all is allocated here, nothing afterwards.
        void add(int more, int capacity, Supplier<T> made) {
            ArrayDeque<T> roomy = new ArrayDeque<>(capacity);
            roomy.addAll(elements);
            for (int i = 0; i < more; i++) {
                roomy.addLast(made.get());
            }
            elements = roomy;
        }
    }
}
