package dev.outboard.doca;

import dev.outboard.doca.spi.ExecutionEnvironment;
import dev.outboard.doca.spi.MemoryHandle;
import dev.outboard.fabric.MemoryRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Local memory that devices, and as far as permitted peers, may use: DOCA's `doca_mmap` (catalog
/// DCORE-MMAP; DOCA Core guide, memory subsystem). Built, started (which registers the memory with
/// each added device), used to make buffers and exports, stopped (which revokes both), perhaps
/// started again, closed.
///
/// Belongs to whoever built it, and must stay open and reachable as long as its memory is used: a
/// segment or a peer's key does not keep it. Control calls may come from any thread; buffers may be
/// made of it by any inventory on any thread.
///
/// ```java
/// Mmap mmap = Mmap.builder()
///         .device(dev)
///         .memrange(1 << 20)
///         .permissions(AccessFlag.LOCAL_READ_WRITE, AccessFlag.RDMA_READ)
///         .build()
///         .start();
/// byte[] forPeer = mmap.exportRdma(dev);
/// ```
public final class Mmap implements AutoCloseable {
    private final MemorySegment segment;
    private final long address;
    private final long length;
    private final Set<AccessFlag> permissions;
    private final int maxDevices;
    private final boolean threadSafe;
    private final @Nullable Consumer<MemorySegment> freeCallback;
    private final @Nullable Object userData;
    private final Registrations registrations = new Registrations();
    private final BufferCount buffers = new BufferCount();
    private final @Nullable Arena arena;

    /// Whose memory it is; null for memory of this process.
    private final @Nullable ExecutionEnvironment owner;

    private final Leak leak;
    private volatile boolean started;
    private volatile boolean exported;
    private boolean startedOnce;
    private volatile boolean closed;

    /// @param length of memory that `owner` has; `segment` has none then
    Mmap(
            MmapBuilder builder,
            MemorySegment segment,
            long length,
            @Nullable ExecutionEnvironment owner,
            @Nullable Arena arena) {
        this.segment = segment;
        this.address = segment.address();
        this.length = length;
        this.owner = owner;
        this.arena = arena;
        this.permissions = builder.permissions;
        this.maxDevices = builder.maxDevices;
        this.threadSafe = builder.threadSafe;
        this.freeCallback = builder.freeCallback;
        this.userData = builder.userData;
        Registrations held = registrations;
        try {
            builder.devices.forEach(held::add);
        } catch (DocaException e) {
            free(held, arena);
            throw e;
        }
        this.leak = Leak.watch(this, toString(), () -> free(held, arena));
    }

    /// Configures an mmap.
    public static MmapBuilder builder() {
        return new MmapBuilder();
    }

    /// Whether mmaps can be exported for the other side of the PCI bus of this device; no device of
    /// today's fabric can.
    public static boolean isExportPciSupported(DocaDevInfo info) {
        DocaException.nonNull(info, "info");
        return false;
    }

    /// Registers the memory with every added device; memory of an environment, with that.
    ///
    /// DCORE-MMAP-7: peers that change memory need it writable here.
    ///
    /// @return this
    /// @throws DocaException with BAD_STATE if it is started or closed, or the environment whose
    ///   memory it is does not run; with INVALID_VALUE if the memory is closed or confined to a
    ///   thread or not the environment's, if it is read-only but LOCAL_READ_WRITE is permitted, or
    ///   if RDMA_WRITE or RDMA_ATOMIC is permitted without it; with NO_MEMORY or DRIVER if a device
    ///   refuses. It is not started then.
    public synchronized Mmap start() {
        requireOpen();
        if (started) {
            throw new DocaException(DocaError.BAD_STATE, this + " is started already");
        }
        if (!segment.scope().isAlive()) {
            throw new DocaException(
                    DocaError.INVALID_VALUE, this + ": the arena of its memory is closed");
        }
        boolean peersChange =
                permissions.contains(AccessFlag.RDMA_WRITE)
                        || permissions.contains(AccessFlag.RDMA_ATOMIC);
        if (peersChange && !permissions.contains(AccessFlag.LOCAL_READ_WRITE)) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "%s permits %s; RDMA_WRITE and RDMA_ATOMIC need LOCAL_READ_WRITE"
                            .formatted(this, permissions));
        }
        ExecutionEnvironment of = owner;
        if (of == null) {
            registrations.register(segment, AccessFlag.rights(permissions));
        } else {
            known(of);
        }
        started = true;
        startedOnce = true;
        return this;
    }

    /// Revokes the access of devices and of peers that hold exports; no buffer can be made until it
    /// is started again. Does nothing if it is not started.
    ///
    /// DCORE-MMAP-17, DCORE-MMAP-23: the keys of before are dead then; a new start makes new ones.
    ///
    /// @throws DocaException with NOT_PERMITTED if buffers of it are out, see [#bufferCount]
    public synchronized void stop() {
        if (!started) {
            return;
        }
        buffers.requireNone(this, "stopped");
        revoke();
    }

    private void revoke() {
        registrations.deregister();
        started = false;
        exported = false;
    }

    /// Adds a device that may use the memory.
    ///
    /// DCORE-MMAP-8: each device once, before the start.
    ///
    /// @throws DocaException with NOT_PERMITTED while it is started, with ALREADY_EXIST if the
    ///   device is added already, with NO_MEMORY if there are as many as may be, with BAD_STATE if
    ///   the mmap or the device is closed
    public synchronized void addDevice(DocaDev dev) {
        DocaException.nonNull(dev, "dev");
        requireOpen();
        requireStopped("add " + dev);
        if (registrations.has(dev)) {
            throw alreadyAdded(dev);
        }
        if (registrations.count() == maxDevices) {
            throw tooManyDevices(maxDevices);
        }
        registrations.add(dev);
    }

    /// Takes a device away.
    ///
    /// @throws DocaException with NOT_PERMITTED while it is started, with NOT_FOUND if the device
    ///   was not added, with BAD_STATE if the mmap is closed
    public synchronized void removeDevice(DocaDev dev) {
        DocaException.nonNull(dev, "dev");
        requireOpen();
        requireStopped("remove " + dev);
        requireAdded(dev);
        registrations.remove(dev);
    }

    /// What a peer needs to use the memory through `dev` as the RDMA permissions say, until the
    /// mmap is stopped; [RemoteMmap#fromExport] takes it. It is opaque, versioned and
    /// self-checking. Whoever has it has that access: send it over a secure channel only.
    ///
    /// DCORE-MMAP-12, DFLT-53: a started mmap, one of its devices, and an RDMA permission.
    ///
    /// @throws DocaException with NOT_FOUND if `dev` was not added, with NOT_PERMITTED if the mmap
    ///   is not started or no RDMA permission is given
    public synchronized byte[] exportRdma(DocaDev dev) {
        DocaException.nonNull(dev, "dev");
        requireExportable();
        requireAdded(dev);
        if (!RemoteMmap.permitsPeers(permissions)) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED,
                    "%s permits %s; an export needs RDMA_READ, RDMA_WRITE or RDMA_ATOMIC"
                            .formatted(this, permissions));
        }
        ExecutionEnvironment of = owner;
        byte[] export;
        if (of != null) {
            MemoryHandle known = known(of);
            export = export(known.address(), known.key(), dev);
        } else {
            MemoryRegion region = Objects.requireNonNull(region(dev));
            export = export(region.address(), region.remoteKey(), dev);
        }
        exported = true;
        return export;
    }

    private byte[] export(long at, int remoteKey, DocaDev dev) {
        return RemoteMmap.encode(at, length, remoteKey, permissions, dev.address());
    }

    /// What the other side of the PCI bus needs to use the memory.
    ///
    /// @throws DocaException with NOT_FOUND if `dev` was not added, with NOT_PERMITTED if the mmap
    ///   is not started or no PCI permission is given, else with NOT_SUPPORTED, see
    ///   [#isExportPciSupported]
    public synchronized byte[] exportPci(DocaDev dev) {
        DocaException.nonNull(dev, "dev");
        requireExportable();
        requireAdded(dev);
        if (!permissions.contains(AccessFlag.PCI_READ_ONLY)
                && !permissions.contains(AccessFlag.PCI_READ_WRITE)) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED,
                    "%s permits %s; an export over PCI needs PCI_READ_ONLY or PCI_READ_WRITE"
                            .formatted(this, permissions));
        }
        throw new DocaException(DocaError.NOT_SUPPORTED, dev + " cannot export memory over PCI");
    }

    // For execution environments

    /// What programs and queue entries of an environment know the memory by:
    /// `doca_mmap_dev_get_dpa_handle`. It holds until the mmap or the environment stops.
    ///
    /// @throws DocaException with BAD_STATE unless the mmap is started and the environment runs,
    ///   with INVALID_VALUE if the environment cannot take the memory
    public int handle(ExecutionEnvironment environment) {
        return memoryHandle(environment).key();
    }

    /// What programs and queue entries of an environment call the first byte; an environment need
    /// not call it as this process does.
    ///
    /// @throws DocaException as [#handle]
    public long addressFor(ExecutionEnvironment environment) {
        return memoryHandle(environment).address();
    }

    /// The same as one.
    synchronized MemoryHandle memoryHandle(ExecutionEnvironment environment) {
        DocaException.nonNull(environment, "environment");
        if (!started) {
            throw new DocaException(DocaError.BAD_STATE, this + " is not started");
        }
        return known(environment);
    }

    private MemoryHandle known(ExecutionEnvironment environment) {
        if (owner == null) {
            return registrations.handle(
                    environment, () -> environment.memory(segment, permissions));
        }
        if (!owner.equals(environment)) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "%s is of %s: %s does not reach it".formatted(this, owner, environment));
        }
        return registrations.handle(
                environment, () -> environment.ownMemory(address, length, permissions));
    }

    /// The registration with `dev`; null if the device was not added, the mmap is not started, or
    /// the memory is that of an environment. Any thread; neither locks nor allocates.
    public @Nullable MemoryRegion region(DocaDev dev) {
        return registrations.with(DocaException.nonNull(dev, "dev"));
    }

    /// The memory.
    ///
    /// @throws DocaException with BAD_STATE after [#close], with NOT_SUPPORTED for memory of an
    ///   environment
    public MemorySegment segment() {
        requireOpen();
        if (owner != null) {
            throw new DocaException(DocaError.NOT_SUPPORTED, "%s is of %s".formatted(this, owner));
        }
        return segment;
    }

    /// The address of the first byte.
    public long address() {
        return address;
    }

    /// The bytes of the memory.
    public long length() {
        return length;
    }

    /// Where `address` lies, in bytes from the start of the memory.
    ///
    /// DJAVA-MEM-7: from an address that a peer sent.
    ///
    /// @throws DocaException with INVALID_VALUE if it lies outside
    public long offsetOf(long address) {
        return RemoteMmap.offset(this, this.address, length, address);
    }

    /// Who may do what.
    public Set<AccessFlag> permissions() {
        return permissions;
    }

    /// How many buffers point into the memory now.
    ///
    /// DCORE-MMAP-20: the count, as the flags and the user data, can be asked for.
    ///
    /// @throws DocaException with NOT_PERMITTED if the mmap is thread-safe: then nobody counts
    public long bufferCount() {
        if (threadSafe) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED, this + " is thread-safe: its buffers are not counted");
        }
        return buffers.get();
    }

    /// Whether there are exports of it that hold.
    public boolean isExported() {
        return exported;
    }

    /// Whether devices may use it, and buffers may be made of it.
    public boolean isStarted() {
        return started;
    }

    /// What the builder was given; null if nothing.
    public @Nullable Object userData() {
        return userData;
    }

    /// What the builder was given, which is a `type`; null if nothing.
    ///
    /// @throws ClassCastException if it is something else
    public <T> @Nullable T userDataAs(Class<T> type) {
        DocaException.nonNull(type, "type");
        return type.cast(userData);
    }

    /// Stops the mmap and lets go of its devices and its memory; if it was ever started the free
    /// callback runs. Closing twice is harmless. Not thread-safe, ever.
    ///
    /// DCORE-MMAP-21: the free callback runs once.
    ///
    /// @throws DocaException with NOT_PERMITTED if buffers of it are out and it is not thread-safe;
    ///   it closes with the last of them then, on the thread that gives that back
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        buffers.closing();
        buffers.requireNone(this, "closed");
        end();
    }

    private synchronized void endIfUnused() {
        if (!closed && buffers.get() == 0) {
            end();
        }
    }

    private void end() {
        revoke();
        closed = true;
        registrations.close();
        try {
            if (startedOnce && freeCallback != null) {
                freeCallback.accept(segment);
            }
        } finally {
            free(registrations, arena);
            leak.closed();
        }
    }

    @Override
    public String toString() {
        return "mmap of %d bytes at 0x%x".formatted(length, address);
    }

    /// DCORE-MMAP-22: thread safety turns the count off.
    void bufferMade() {
        if (!threadSafe) {
            buffers.made();
        }
    }

    void bufferReturned() {
        if (!threadSafe && buffers.returned()) {
            endIfUnused();
        }
    }

    /// The keys go before the memory does: no device uses freed memory.
    private static void free(Registrations registrations, @Nullable Arena arena) {
        registrations.close();
        if (arena != null) {
            arena.close();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new DocaException(DocaError.BAD_STATE, this + " is closed");
        }
    }

    private void requireExportable() {
        if (!started) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED, this + " cannot be exported: it is not started");
        }
    }

    private void requireStopped(String what) {
        if (started) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED, this + " is started; stop it to " + what);
        }
    }

    private void requireAdded(DocaDev dev) {
        if (!registrations.has(dev)) {
            throw notAdded(dev);
        }
    }

    private DocaException notAdded(DocaDev dev) {
        return new DocaException(DocaError.NOT_FOUND, dev + " was not added to " + this);
    }

    static DocaException alreadyAdded(DocaDev dev) {
        return new DocaException(DocaError.ALREADY_EXIST, dev + " is added to the mmap already");
    }

    static DocaException tooManyDevices(int max) {
        return new DocaException(
                DocaError.NO_MEMORY, "the mmap has all " + max + " devices it may have");
    }
}
