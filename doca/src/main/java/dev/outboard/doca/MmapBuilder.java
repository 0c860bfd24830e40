package dev.outboard.doca;

import dev.outboard.doca.spi.ExecutionEnvironment;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Configures an [Mmap] (`doca_mmap_set_*`, `doca_mmap_add_dev`). Not thread-safe; useless after
/// [#build]: then each setter throws BAD_STATE, or NOT_PERMITTED where said.
public final class MmapBuilder {
    private static final long PAGE_BYTES = 4096;
    private static final int DEFAULT_MAX_DEVICES = 64;

    final List<DocaDev> devices = new ArrayList<>();
    private @Nullable MemorySegment memory;
    private long ownedBytes;

    /// Whose memory it is, from an address on; null for memory of this process.
    private @Nullable ExecutionEnvironment owner;

    private long ownerAddress;
    Set<AccessFlag> permissions = Set.of(AccessFlag.LOCAL_READ_ONLY);
    int maxDevices = DEFAULT_MAX_DEVICES;
    boolean threadSafe;
    @Nullable Consumer<MemorySegment> freeCallback;
    @Nullable Object userData;
    private boolean built;

    MmapBuilder() {}

    /// Adds a device that may use the memory.
    ///
    /// @throws DocaException with ALREADY_EXIST if it is added already, with NO_MEMORY if there are
    ///   as many as may be
    public MmapBuilder device(DocaDev dev) {
        DocaException.nonNull(dev, "dev");
        requireNotBuilt(DocaError.NOT_PERMITTED, "device");
        if (devices.stream().anyMatch(dev::isSameDevice)) {
            throw Mmap.alreadyAdded(dev);
        }
        if (devices.size() == maxDevices) {
            throw Mmap.tooManyDevices(maxDevices);
        }
        devices.add(dev);
        return this;
    }

    /// The caller's memory. It must be native and shared between threads, and its arena must stay
    /// open until the mmap is closed; the mmap keeps it reachable.
    ///
    /// DJAVA-MEM-1: native memory only.
    ///
    /// @throws DocaException with NOT_PERMITTED if a range was set; with INVALID_VALUE if it is
    ///   empty, on the Java heap, or reaches beyond the last address
    public MmapBuilder memrange(MemorySegment memory) {
        DocaException.nonNull(memory, "memory");
        requireNoRange();
        if (!memory.isNative()) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "the memory is on the Java heap, where the garbage collector moves it;"
                            + " allocate it from a shared Arena, or let the mmap do so");
        }
        requireRange(memory.address(), memory.byteSize());
        this.memory = memory;
        return this;
    }

    /// Memory of the mmap's own: recommended, because it lives exactly as long as it must, until
    /// the mmap is closed. It starts at a page, and is zero.
    ///
    /// DJAVA-MEM-2: lives until the mmap is closed.
    ///
    /// @throws DocaException with NOT_PERMITTED if a range was set, with INVALID_VALUE if `bytes`
    ///   is not positive
    public MmapBuilder memrange(long bytes) {
        requireNoRange();
        requireRange(0, bytes);
        this.ownedBytes = bytes;
        return this;
    }

    /// Memory of an execution environment: `doca_mmap_set_dpa_memrange`. The CPU does not reach it
    /// through the mmap; peers do, through any of the devices, by the address that the environment
    /// has for it.
    ///
    /// @param address what programs of the environment call the first byte
    /// @throws DocaException with NOT_PERMITTED if a range was set, with INVALID_VALUE if it is
    ///   empty or reaches beyond the last address
    public MmapBuilder memrange(ExecutionEnvironment owner, long address, long bytes) {
        DocaException.nonNull(owner, "owner");
        requireNoRange();
        requireRange(address, bytes);
        this.owner = owner;
        this.ownerAddress = address;
        this.ownedBytes = bytes;
        return this;
    }

    /// Who may do what; [AccessFlag#LOCAL_READ_ONLY] if never called.
    ///
    /// @throws DocaException with INVALID_VALUE if flags exclude each other
    public MmapBuilder permissions(AccessFlag... flags) {
        DocaException.nonNull(flags, "flags");
        requireNotBuilt(DocaError.BAD_STATE, "permissions");
        EnumSet<AccessFlag> set = EnumSet.noneOf(AccessFlag.class);
        set.addAll(Arrays.asList(flags));
        this.permissions = AccessFlag.checked(set);
        return this;
    }

    /// Called once with the memory when the mmap is closed, if it was ever started.
    public MmapBuilder freeCallback(Consumer<MemorySegment> callback) {
        requireNotBuilt(DocaError.BAD_STATE, "free callback");
        this.freeCallback = DocaException.nonNull(callback, "callback");
        return this;
    }

    /// How many devices may be added; 64 if never called.
    ///
    /// DCORE-MMAP-9: fixed from the first start on.
    ///
    /// @throws DocaException with INVALID_VALUE if there are more already, with NOT_PERMITTED after
    ///   [#build]
    public MmapBuilder maxDevices(int max) {
        requireNotBuilt(DocaError.NOT_PERMITTED, "maximum of devices");
        if (max < Math.max(1, devices.size())) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "at most %d devices; valid: from %d"
                            .formatted(max, Math.max(1, devices.size())));
        }
        this.maxDevices = max;
        return this;
    }

    /// Does not count buffers, which several threads make at a time: then the mmap can be stopped
    /// and closed while buffers are out.
    ///
    /// @throws DocaException with NOT_PERMITTED after [#build]
    public MmapBuilder threadSafe() {
        requireNotBuilt(DocaError.NOT_PERMITTED, "thread safety");
        this.threadSafe = true;
        return this;
    }

    /// For the application, see [Mmap#userData()].
    public MmapBuilder userData(Object data) {
        requireNotBuilt(DocaError.BAD_STATE, "user data");
        this.userData = DocaException.nonNull(data, "data");
        return this;
    }

    /// The mmap, not started.
    ///
    /// DJAVA-API-4: what is built can be read before it is started.
    ///
    /// @throws DocaException with BAD_STATE if it was built before or has no memory range, with
    ///   NO_MEMORY if its memory cannot be allocated
    public Mmap build() {
        requireNotBuilt(DocaError.BAD_STATE, "mmap");
        if (memory == null && ownedBytes == 0) {
            throw new DocaException(DocaError.BAD_STATE, "the mmap has no memory range");
        }
        built = true;
        if (memory != null) {
            return new Mmap(this, memory, memory.byteSize(), null, null);
        }
        if (owner != null) {
            return new Mmap(this, MemorySegment.ofAddress(ownerAddress), ownedBytes, owner, null);
        }
        Arena arena = Arena.ofShared();
        try {
            MemorySegment made = arena.allocate(ownedBytes, PAGE_BYTES);
            return new Mmap(this, made, ownedBytes, null, arena);
        } catch (OutOfMemoryError e) {
            arena.close();
            throw new DocaException(
                    DocaError.NO_MEMORY,
                    "cannot allocate %d bytes for an mmap".formatted(ownedBytes),
                    e);
        }
    }

    /// DCORE-MMAP-2: set once, and before the start.
    private void requireNoRange() {
        requireNotBuilt(DocaError.BAD_STATE, "memory range");
        if (memory != null || ownedBytes > 0) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED, "the memory range of the mmap is set already");
        }
    }

    private void requireNotBuilt(DocaError error, String what) {
        if (built) {
            throw new DocaException(error, "the mmap is built: its " + what + " is fixed");
        }
    }

    /// Refuses memory that is empty or reaches beyond the last address.
    static void requireRange(long address, long length) {
        if (length <= 0 || Long.compareUnsigned(address + length - 1, address) < 0) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "%d bytes from 0x%x on are no memory range; valid: from 1 byte, up to the last address"
                            .formatted(length, address));
        }
    }
}
