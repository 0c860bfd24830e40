package dev.outboard.doca.sync;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.spi.EventCell;
import dev.outboard.doca.spi.ExecutionEnvironment;
import dev.outboard.doca.spi.ExecutionEnvironment.EventUse;
import dev.outboard.doca.spi.ExecutionEnvironment.Kind;
import dev.outboard.fabric.MemoryRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A 64-bit counter that threads of this process, and peers, set, add to and wait for: DOCA's
/// `doca_sync_event` (catalog DSE; DPA guide, sync events). Values are unsigned where they are
/// compared.
///
/// ```java
/// SyncEvent arrived = new SyncEvent(dev)
///         .publisher(Location.REMOTE_NET)
///         .subscriber(Location.CPU)
///         .start();
/// byte[] forPeer = arrived.exportToRemoteNet();
/// …
/// arrived.waitGt(0, -1, Spin.PARK);
/// ```
///
/// Configured, then started, which sets it to 0, then used by any number of threads; peers are
/// served while nobody here calls anything. A wait with a limit ends with TIME_OUT when that has
/// passed. [#stop] releases those who wait and revokes the exports. With [#asCtx] it is a context
/// with tasks instead. Belongs to whoever made it.
public final class SyncEvent implements AutoCloseable {
    private static final Set<Location> AVAILABLE = EnumSet.of(Location.CPU, Location.REMOTE_NET);
    private static final AccessFlag[] FOR_PEERS = {
        AccessFlag.LOCAL_READ_WRITE,
        AccessFlag.RDMA_READ,
        AccessFlag.RDMA_WRITE,
        AccessFlag.RDMA_ATOMIC
    };

    private static final long FIRST_SLEEP_NANOS = 1_000;
    static final long LONGEST_SLEEP_NANOS = 1_000_000;

    private final DocaDev dev;
    private final Set<Location> publishers = EnumSet.noneOf(Location.class);
    private final Set<Location> subscribers = EnumSet.noneOf(Location.class);
    private @Nullable MemorySegment userCell;
    private @Nullable Buf userBuf;
    private int userBufGeneration;
    private volatile @Nullable SyncEventCtx ctx;
    private @Nullable Mmap mmap;
    private boolean standAlone;
    private boolean closed;

    /// Where the value is, another object after each start; null unless started.
    private volatile @Nullable EventCell cell;

    /// Whose programs use it beside the CPU and peers: one of a kind at most.
    private final Map<Kind, ExecutionEnvironment> environments = new EnumMap<>(Kind.class);

    /// Where their programs find the value, while it is started.
    private final Map<Kind, EventCell> cells = new EnumMap<>(Kind.class);

    /// An event whose memory is registered with `dev`.
    public SyncEvent(DocaDev dev) {
        this.dev = DocaException.nonNull(dev, "dev");
    }

    /// Whether events of this device can be updated from `location`.
    public static boolean isPublisherSupported(DocaDevInfo info, Location location) {
        DocaException.nonNull(info, "info");
        DocaException.nonNull(location, "location");
        return AVAILABLE.contains(location);
    }

    /// Whether events of this device can be waited for at `location`.
    public static boolean isSubscriberSupported(DocaDevInfo info, Location location) {
        DocaException.nonNull(info, "info");
        DocaException.nonNull(location, "location");
        return location == Location.CPU;
    }

    /// Declares who updates it; whoever waits on the CPU may update it too.
    ///
    /// @throws DocaException with BAD_STATE once it is started, with NOT_SUPPORTED as
    ///   [#isPublisherSupported] says
    public synchronized SyncEvent publisher(Location location) {
        requireConfigurable();
        if (!isPublisherSupported(dev.info(), location)) {
            throw notSupported("updated by", location);
        }
        publishers.add(location);
        return this;
    }

    /// Declares who waits for it.
    ///
    /// @throws DocaException with BAD_STATE once it is started, with INVALID_VALUE for REMOTE_NET,
    ///   with NOT_SUPPORTED as [#isSubscriberSupported] says
    public synchronized SyncEvent subscriber(Location location) {
        requireConfigurable();
        if (location == Location.REMOTE_NET) {
            throw new DocaException(
                    DocaError.INVALID_VALUE, "peers cannot wait for " + this + "; they can get it");
        }
        if (!isSubscriberSupported(dev.info(), location)) {
            throw notSupported("waited for by", location);
        }
        subscribers.add(location);
        return this;
    }

    /// Declares that programs of an environment update it:
    /// `doca_sync_event_add_publisher_location_dpa`, which was
    /// `doca_sync_event_publisher_add_location_dpa` once, and `_gpu`.
    ///
    /// @throws DocaException with BAD_STATE once it is started, with NOT_SUPPORTED if an
    ///   environment uses it that is another one of this kind, or that shares no events with it
    public synchronized SyncEvent publisher(ExecutionEnvironment by) {
        use(by);
        publishers.add(location(by));
        return this;
    }

    /// Declares that programs of an environment wait for it:
    /// `doca_sync_event_add_subscriber_location_dpa`, which was
    /// `doca_sync_event_subscriber_add_location_dpa` once, and `_gpu`.
    ///
    /// @throws DocaException as [#publisher(ExecutionEnvironment)]
    public synchronized SyncEvent subscriber(ExecutionEnvironment by) {
        use(by);
        subscribers.add(location(by));
        return this;
    }

    private void use(ExecutionEnvironment by) {
        DocaException.nonNull(by, "by");
        requireConfigurable();
        for (ExecutionEnvironment other : environments.values()) {
            boolean fits =
                    other.kind() == by.kind()
                            ? other.equals(by)
                            : other.sharesEvents(by) || by.sharesEvents(other);
            if (!fits) {
                throw new DocaException(
                        DocaError.NOT_SUPPORTED,
                        "%s is used by %s, and cannot be by %s as well".formatted(this, other, by));
            }
        }
        environments.put(by.kind(), by);
    }

    /// Keeps the value in memory of the caller, which must be native, shared between threads, and
    /// open until the event is closed.
    ///
    /// @throws DocaException with BAD_STATE once it is started, or if it has a cell; with
    ///   NOT_PERMITTED unless `memory` is 8 bytes and writable; with INVALID_VALUE unless it is
    ///   native and its address a multiple of 8
    public synchronized SyncEvent cell(MemorySegment memory) {
        DocaException.nonNull(memory, "memory");
        requireNoCell();
        userCell = checked(memory);
        return this;
    }

    /// Keeps the value in a buffer, whose mmap must permit reading, writing and atomics to this
    /// side and to peers. The buffer is retained until the event is closed.
    ///
    /// @throws DocaException as [#cell(MemorySegment)], [Buf#retain] and [Mmap#segment]; with
    ///   NOT_PERMITTED if a permission is missing, with INVALID_VALUE for a list
    public synchronized SyncEvent cell(Buf buf) {
        DocaException.nonNull(buf, "buf");
        requireNoCell();
        if (buf.isInList()) {
            throw new DocaException(
                    DocaError.INVALID_VALUE, this + " needs a single buffer, not a list: " + buf);
        }
        Set<AccessFlag> permissions = buf.mmap().permissions();
        if (!permissions.containsAll(Set.of(FOR_PEERS))) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED,
                    "%s permits %s; %s needs %s"
                            .formatted(buf.mmap(), permissions, this, Set.of(FOR_PEERS)));
        }
        userCell = checked(buf.headSegment());
        buf.retain();
        userBuf = buf;
        userBufGeneration = buf.generation();
        return this;
    }

    /// DSE-OBJ-6: 8 bytes of native memory, at a multiple of 8.
    private MemorySegment checked(MemorySegment memory) {
        if (memory.byteSize() != Long.BYTES || memory.isReadOnly()) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED,
                    "%s needs 8 writable bytes, not %d%s"
                            .formatted(
                                    this,
                                    memory.byteSize(),
                                    memory.isReadOnly() ? " that are read-only" : ""));
        }
        if (!memory.isNative() || memory.address() % Long.BYTES != 0) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "%s needs native memory at a multiple of 8, not %s".formatted(this, memory));
        }
        return memory;
    }

    /// DSE-OBJ-6: before the start, and once.
    private void requireNoCell() {
        requireConfigurable();
        if (userCell != null) {
            throw new DocaException(DocaError.BAD_STATE, this + " has a cell already");
        }
    }

    /// The context that it is instead of being used directly, made by the first call.
    ///
    /// @throws DocaException with BAD_STATE if it was started without one, or is closed
    public synchronized SyncEventCtx asCtx() {
        SyncEventCtx context = ctx;
        if (context == null) {
            requireConfigurable();
            if (standAlone) {
                throw new DocaException(
                        DocaError.BAD_STATE, this + " was started already, without a context");
            }
            context = new SyncEventCtx(this, dev);
            ctx = context;
        }
        return context;
    }

    /// Registers the memory and sets the value to 0.
    ///
    /// @throws DocaException with BAD_STATE if it is started or closed, if it is a context, or if
    ///   it lacks a publisher or a subscriber; else as [Mmap#start]
    public synchronized SyncEvent start() {
        if (ctx != null) {
            throw isContext("started");
        }
        open();
        standAlone = true;
        return this;
    }

    /// Revokes the exports, and releases those who wait with SHUTDOWN. Does nothing if it is not
    /// started.
    ///
    /// @throws DocaException with BAD_STATE if it is a context
    public synchronized void stop() {
        if (ctx != null) {
            throw isContext("stopped");
        }
        shut();
    }

    /// Stops it, closing the context that it may be. Closing twice is harmless.
    ///
    /// @throws DocaException as [SyncEventCtx#close], and with IN_USE if programs that have not
    ///   ended wait for it or will update it
    @Override
    public void close() {
        SyncEventCtx context = ctx;
        if (context != null) {
            context.close();
        }
        letGo();
    }

    private synchronized void letGo() {
        shut();
        if (userBuf != null && userBuf.generation() == userBufGeneration) {
            userBuf.release();
        }
        userBuf = null;
        closed = true;
    }

    /// DSE-OBJ-3, DSE-OBJ-5: somebody updates it, somebody waits, and it begins with 0.
    synchronized void open() {
        requireConfigurable();
        if (publishers.isEmpty() || subscribers.isEmpty()) {
            throw new DocaException(
                    DocaError.BAD_STATE,
                    "%s has the publishers %s and the subscribers %s; it needs one of each"
                            .formatted(this, publishers, subscribers));
        }
        MemorySegment memory =
                userCell == null ? Arena.ofAuto().allocate(ValueLayout.JAVA_LONG) : userCell;
        boolean forPeers = publishers.contains(Location.REMOTE_NET);
        Mmap registered =
                Mmap.builder()
                        .device(dev)
                        .memrange(memory)
                        .permissions(
                                forPeers
                                        ? FOR_PEERS
                                        : new AccessFlag[] {AccessFlag.LOCAL_READ_WRITE})
                        .build();
        try {
            new Cell(memory).set(0);
            registered.start();
            cell = cellOf(memory);
        } catch (DocaException e) {
            registered.close();
            throw e;
        }
        mmap = registered;
    }

    private EventCell cellOf(MemorySegment memory) {
        if (environments.isEmpty()) {
            return new Cell(memory);
        }
        try {
            environments.forEach(
                    (kind, user) -> cells.put(kind, user.cell(memory, declared(user))));
        } catch (DocaException e) {
            closeCells();
            throw e;
        }
        return cells.values().iterator().next();
    }

    private EventUse declared(ExecutionEnvironment user) {
        Location its = location(user);
        boolean onlyItUpdates =
                Set.of(its).containsAll(publishers) && !subscribers.contains(Location.CPU);
        return new EventUse(publishers.contains(its), subscribers.contains(its), !onlyItUpdates);
    }

    /// The first one refuses for all of them.
    private void closeCells() {
        cells.values().forEach(EventCell::close);
        cells.clear();
    }

    private static Location location(ExecutionEnvironment environment) {
        return switch (environment.kind()) {
            case DPA -> Location.DPA;
            case GPU -> Location.GPU;
        };
    }

    /// DSE-OBJ-8, DSE-EXP-4, DFLT-59: ends the waits, and the exports.
    synchronized void shut() {
        closeCells();
        cell = null;
        if (mmap != null) {
            mmap.close();
            mmap = null;
        }
    }

    /// The value; what was written before it was set is visible.
    ///
    /// @throws DocaException with BAD_STATE unless started, and if it is a context; with
    ///   NOT_PERMITTED if the CPU was declared nothing
    public long get() {
        return running().get();
    }

    /// Sets the value; what was written before is visible to whoever sees it.
    ///
    /// @throws DocaException as [#get]
    public void updateSet(long value) {
        running().set(value);
    }

    /// Adds modulo 2^64, in one step also for peers that add.
    ///
    /// @return the value before
    /// @throws DocaException as [#get]
    public long updateAdd(long addend) {
        return running().add(addend);
    }

    /// Waits until `value & mask` is greater than `threshold`. A value that passes between two
    /// looks is missed.
    ///
    /// @return the value that ended the wait, not masked
    /// @throws DocaException with INVALID_VALUE if no value can satisfy this, with SHUTDOWN if the
    ///   event is stopped; else as [#get]
    public long waitGt(long threshold, long mask, Spin spin) throws InterruptedException {
        return await(Condition.GT, threshold, mask, spin, Long.MAX_VALUE);
    }

    /// Like [#waitGt(long, long, Spin)], for `limit` at most.
    ///
    /// @throws DocaException also with TIME_OUT
    public long waitGt(long threshold, long mask, Spin spin, Duration limit)
            throws InterruptedException {
        return await(Condition.GT, threshold, mask, spin, nanos(limit));
    }

    /// Like [#waitGt(long, long, Spin)], until `value & mask` equals `threshold`.
    public long waitEq(long threshold, long mask, Spin spin) throws InterruptedException {
        return await(Condition.EQ, threshold, mask, spin, Long.MAX_VALUE);
    }

    /// Like [#waitEq(long, long, Spin)], for `limit` at most.
    ///
    /// @throws DocaException also with TIME_OUT
    public long waitEq(long threshold, long mask, Spin spin, Duration limit)
            throws InterruptedException {
        return await(Condition.EQ, threshold, mask, spin, nanos(limit));
    }

    /// Like [#waitGt(long, long, Spin)], until `value & mask` differs from `threshold`.
    public long waitNeq(long threshold, long mask, Spin spin) throws InterruptedException {
        return await(Condition.NEQ, threshold, mask, spin, Long.MAX_VALUE);
    }

    /// Like [#waitNeq(long, long, Spin)], for `limit` at most.
    ///
    /// @throws DocaException also with TIME_OUT
    public long waitNeq(long threshold, long mask, Spin spin, Duration limit)
            throws InterruptedException {
        return await(Condition.NEQ, threshold, mask, spin, nanos(limit));
    }

    private static long nanos(Duration limit) {
        return DocaException.nonNull(limit, "limit").toNanos();
    }

    /// Peers change the value without telling anybody: the only way to notice is to look.
    ///
    /// DSE-WAIT-6: a wait may have an end.
    private long await(Condition condition, long threshold, long mask, Spin spin, long limitNanos)
            throws InterruptedException {
        DocaException.nonNull(spin, "spin");
        EventCell at = running();
        if (!subscribers.contains(Location.CPU)) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED,
                    "%s has the subscribers %s; to wait for it the CPU has to be one"
                            .formatted(this, subscribers));
        }
        condition.requirePossible(mask, threshold);
        long start = System.nanoTime();
        long sleep = FIRST_SLEEP_NANOS;
        while (true) {
            long value = at.get();
            if (condition.holds(value, mask, threshold)) {
                return value;
            }
            if (!at.equals(cell)) {
                throw new DocaException(
                        DocaError.SHUTDOWN, this + " was stopped while somebody waited for it");
            }
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted while waiting for " + this);
            }
            long left = limitNanos - (System.nanoTime() - start);
            if (left <= 0) {
                throw new DocaException(
                        DocaError.TIME_OUT,
                        "%s masked with 0x%x was not %s 0x%x within %d ns"
                                .formatted(this, mask, condition.words(), threshold, limitNanos));
            }
            if (!at.goOn()) {
                throw new DocaException(
                        DocaError.TIME_OUT,
                        "%s is 0x%x, and nobody goes on who could update it"
                                .formatted(this, value));
            }
            pause(spin, Math.min(sleep, left));
            sleep = Math.min(2 * sleep, LONGEST_SLEEP_NANOS);
        }
    }

    /// DSE-WAIT-3: busy, yielding, or asleep.
    @SuppressWarnings("ThreadPriorityCheck") // to yield is what was asked for
    private void pause(Spin spin, long nanos) {
        switch (spin) {
            case BUSY -> Thread.onSpinWait();
            case YIELD -> Thread.yield();
            case PARK -> LockSupport.parkNanos(this, nanos);
        }
    }

    /// What a peer needs to get, set and add, until the event is stopped;
    /// [SyncEventRemoteNet#fromExport] takes it. It is opaque, versioned and self-checking. Whoever
    /// has it has that access: send it over a secure channel only.
    ///
    /// @throws DocaException with BAD_STATE unless started, with NOT_SUPPORTED unless REMOTE_NET is
    ///   a publisher
    public synchronized byte[] exportToRemoteNet() {
        Mmap registered = mmap;
        if (registered == null) {
            throw new DocaException(DocaError.BAD_STATE, this + " is not started");
        }
        if (!publishers.contains(Location.REMOTE_NET)) {
            throw new DocaException(
                    DocaError.NOT_SUPPORTED,
                    "%s has the publishers %s; an export needs REMOTE_NET"
                            .formatted(this, publishers));
        }
        MemoryRegion region = Objects.requireNonNull(registered.region(dev));
        return SyncEventRemoteNet.encode(region.address(), region.remoteKey(), dev.address());
    }

    /// What the other side of the PCI bus needs.
    ///
    /// @throws DocaException with NOT_SUPPORTED, see [Location#REMOTE_PCI]
    public byte[] exportToRemotePci() {
        throw notSupported("exported to", Location.REMOTE_PCI);
    }

    /// What programs of an environment know it by: `doca_sync_event_get_dpa_handle`, which was
    /// `doca_sync_event_export_to_dpa` once, and `doca_sync_event_get_gpu_handle`.
    ///
    /// DSE-EXP-6: of one that was declared only.
    ///
    /// @throws DocaException with NOT_PERMITTED if it was not declared, with BAD_STATE unless
    ///   started
    public synchronized long handle(ExecutionEnvironment user) {
        DocaException.nonNull(user, "user");
        if (!user.equals(environments.get(user.kind()))) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED,
                    "%s has no handle for %s, which is neither publisher nor subscriber"
                            .formatted(this, user));
        }
        EventCell its = cells.get(user.kind());
        if (its == null) {
            throw new DocaException(DocaError.BAD_STATE, this + " is not started");
        }
        return its.handle();
    }

    EventCell openCell() {
        return Objects.requireNonNull(cell);
    }

    /// DSE-OP-4: a CPU that waits may update, too.
    ///
    /// DPA-SE-2: an event that only others use is none of the CPU's.
    private EventCell running() {
        EventCell at = cell;
        if (at == null) {
            throw new DocaException(DocaError.BAD_STATE, this + " is not started");
        }
        if (ctx != null) {
            throw isContext("used");
        }
        if (!publishers.contains(Location.CPU) && !subscribers.contains(Location.CPU)) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED,
                    "%s has the publishers %s and the subscribers %s, none of them the CPU"
                            .formatted(this, publishers, subscribers));
        }
        return at;
    }

    private void requireConfigurable() {
        if (closed || cell != null) {
            throw new DocaException(
                    DocaError.BAD_STATE, this + (closed ? " is closed" : " is started already"));
        }
    }

    /// DSE-OBJ-7: by itself, or as a context.
    private DocaException isContext(String action) {
        return new DocaException(
                DocaError.BAD_STATE,
                "%s is a context: it is %s as one, see asCtx()".formatted(this, action));
    }

    private DocaException notSupported(String how, Location location) {
        return new DocaException(
                DocaError.NOT_SUPPORTED, this + " cannot be " + how + " " + location);
    }

    @Override
    public String toString() {
        return "sync event on " + dev;
    }
}
