package dev.outboard.doca;

import dev.outboard.doca.spi.ArrayHandle;
import dev.outboard.doca.spi.ExecutionEnvironment;
import dev.outboard.doca.spi.ExecutionEnvironment.Kind;
import dev.outboard.doca.spi.MemoryHandle;
import org.jspecify.annotations.Nullable;

/// Elements of equal size, one after the other in an [Mmap], or in a [RemoteMmap]: DOCA's
/// `doca_buf_arr` (catalog DCORE-ARR; DOCA Core guide, memory subsystem). Its target reaches them
/// by index: the CPU through buffers that come from no inventory, programs of an
/// [ExecutionEnvironment] by a handle. Created, given parameters and a target, started, used,
/// closed. Belongs to whoever created it; one thread at a time.
///
/// ```java
/// try (BufArray slots = BufArray.of(mmap, 64, 0, 1024);
///         BufArray forDpa =
///                 BufArray.create(1024).params(mmap, 64, 0).targetDpa(dpa).start()) {
///     Buf third = slots.get(2);
///     long handle = forDpa.dpaHandle();
///     …
/// }
/// ```
public final class BufArray implements AutoCloseable {
    private final int count;
    private @Nullable Mmap mmap;
    private @Nullable RemoteMmap remote;
    private long elementBytes;
    private long startOffset;
    private boolean local;
    private @Nullable ExecutionEnvironment environment;
    private Buf[] elements = {};
    private @Nullable ArrayHandle known;
    private boolean closed;

    private BufArray(int count) {
        this.count = count;
    }

    /// An array of `count` elements, yet without parameters and target.
    ///
    /// DCORE-ARR-1: at least one element.
    ///
    /// @throws DocaException with INVALID_VALUE if `count` is not positive
    public static BufArray create(int count) {
        if (count < 1) {
            throw new DocaException(
                    DocaError.INVALID_VALUE, "an array of " + count + " buffers; valid: from 1");
        }
        return new BufArray(count);
    }

    /// A started array for the CPU.
    ///
    /// DCORE-ARR-5: in one call, as the DPA guide does.
    ///
    /// @throws DocaException as [#create], [#params] and [#start]
    public static BufArray of(Mmap mmap, long elementBytes, long startOffset, int count) {
        return create(count).params(mmap, elementBytes, startOffset).targetLocal().start();
    }

    /// Where the elements lie: in `mmap`, `elementBytes` each, from `startOffset` on.
    ///
    /// @return this
    /// @throws DocaException with INVALID_VALUE if `elementBytes` is not positive or `startOffset`
    ///   negative, with BAD_STATE if the array is started or closed
    public BufArray params(Mmap mmap, long elementBytes, long startOffset) {
        lay(elementBytes, startOffset);
        this.mmap = DocaException.nonNull(mmap, "mmap");
        remote = null;
        return this;
    }

    /// The same in memory of a peer: the elements are for programs that operate on them by RDMA.
    ///
    /// @return this
    /// @throws DocaException as [#params(Mmap, long, long)]
    public BufArray params(RemoteMmap mmap, long elementBytes, long startOffset) {
        lay(elementBytes, startOffset);
        remote = DocaException.nonNull(mmap, "mmap");
        this.mmap = null;
        return this;
    }

    private void lay(long elementBytes, long startOffset) {
        requireConfigurable();
        if (elementBytes < 1 || startOffset < 0) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "elements of %d bytes from offset %d; valid: from 1 byte, from offset 0"
                            .formatted(elementBytes, startOffset));
        }
        this.elementBytes = elementBytes;
        this.startOffset = startOffset;
    }

    /// The elements are for the CPU: [#get].
    ///
    /// @return this
    /// @throws DocaException with BAD_STATE if the array is started or closed
    public BufArray targetLocal() {
        requireConfigurable();
        local = true;
        environment = null;
        return this;
    }

    /// The elements are for the kernels of a data-path accelerator: [#dpaHandle].
    ///
    /// DCORE-ARR-3: an array has one target, the latest that was set.
    ///
    /// @return this
    /// @throws DocaException with INVALID_VALUE if it is something else, with BAD_STATE if the
    ///   array is started or closed
    public BufArray targetDpa(ExecutionEnvironment dpa) {
        return target(DocaException.nonNull(dpa, "dpa"), Kind.DPA);
    }

    /// The elements are for the kernels of a graphics processor: [#gpuHandle].
    ///
    /// @return this
    /// @throws DocaException with INVALID_VALUE if it is something else, with BAD_STATE if the
    ///   array is started or closed
    public BufArray targetGpu(ExecutionEnvironment gpu) {
        return target(DocaException.nonNull(gpu, "gpu"), Kind.GPU);
    }

    private BufArray target(ExecutionEnvironment target, Kind kind) {
        requireConfigurable();
        if (target.kind() != kind) {
            throw new DocaException(DocaError.INVALID_VALUE, "%s is no %s".formatted(target, kind));
        }
        local = false;
        environment = target;
        return this;
    }

    /// Makes the elements, or makes the array known to its target.
    ///
    /// DCORE-ARR-2: needs parameters, a target, and memory that is started and long enough.
    ///
    /// @return this
    /// @throws DocaException with BAD_STATE if the array is started or closed, has no parameters or
    ///   no target, its mmap is not started, or its target does not run; with NO_MEMORY if the mmap
    ///   is too small for it; with INVALID_VALUE if its target cannot take the memory, which the
    ///   CPU cannot if it is that of a peer, or with what else keeps the target from it, such as
    ///   NOT_SUPPORTED
    public BufArray start() {
        requireConfigurable();
        ExecutionEnvironment target = environment;
        if (target == null && !local) {
            throw incomplete();
        }
        if (remote != null) {
            startRemote(remote, target);
            return this;
        }
        if (mmap == null || !mmap.isStarted()) {
            throw incomplete();
        }
        requireRoom(mmap, mmap.length());
        if (target != null) {
            MemoryHandle memory = mmap.memoryHandle(target);
            known = target.array(memory, startOffset, elementBytes, count);
            mmap.bufferMade();
            return this;
        }
        Buf[] made = new Buf[count];
        for (int i = 0; i < count; i++) {
            long head = startOffset + i * elementBytes;
            made[i] = new Buf(null);
            made[i].handOut(mmap, head, elementBytes, head, 0);
        }
        elements = made;
        return this;
    }

    private void startRemote(RemoteMmap memory, @Nullable ExecutionEnvironment target) {
        if (target == null) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "%s is for the CPU, whose buffers in the %s come from an inventory"
                            .formatted(this, memory));
        }
        if (!memory.isOpen()) {
            throw incomplete();
        }
        requireRoom(memory, memory.length());
        known =
                target.remoteArray(
                        target.remoteMemory(memory.address(), memory.remoteKey()),
                        startOffset,
                        elementBytes,
                        count);
        memory.bufferMade();
    }

    private DocaException incomplete() {
        return new DocaException(
                DocaError.BAD_STATE,
                this + " cannot start without parameters, target and a started mmap");
    }

    private void requireRoom(Object memory, long length) {
        if (startOffset > length || elementBytes > (length - startOffset) / count) {
            throw new DocaException(
                    DocaError.NO_MEMORY,
                    "%s, of %d bytes each from offset %d on, does not fit in the %s"
                            .formatted(this, elementBytes, startOffset, memory));
        }
    }

    /// Element `index`, the same buffer each time; at first its data section is empty. It can be
    /// used like any other, but cannot lose its last reference before the array stops.
    ///
    /// DCORE-ARR-4: elements are buffers without an inventory.
    ///
    /// @throws DocaException with BAD_STATE if the array is not started, with NOT_PERMITTED if it
    ///   is not for the CPU, with INVALID_VALUE if `index` is not in 0..[#count]-1
    public Buf get(int index) {
        requireStarted();
        if (known != null) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED, "%s is for %s".formatted(this, environment));
        }
        if (index < 0 || index >= count) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "element %d of an array; valid: 0 to %d".formatted(index, count - 1));
        }
        return elements[index];
    }

    /// How many elements there are.
    public int count() {
        return count;
    }

    /// What kernels of the data-path accelerator know the array by: `doca_buf_arr_get_dpa_handle`.
    ///
    /// @throws DocaException with BAD_STATE if the array is not started, with NOT_PERMITTED if it
    ///   has another target
    public long dpaHandle() {
        return handle(Kind.DPA);
    }

    /// What kernels of the graphics processor know the array by: `doca_buf_arr_get_gpu_handle`.
    ///
    /// @throws DocaException as [#dpaHandle]
    public long gpuHandle() {
        return handle(Kind.GPU);
    }

    private long handle(Kind kind) {
        requireStarted();
        ArrayHandle at = known;
        if (at == null || environment == null || environment.kind() != kind) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED,
                    "%s is for %s: it has no handle for a %s"
                            .formatted(this, at == null ? "the CPU" : environment, kind));
        }
        return at.handle();
    }

    /// Takes the elements back: using one throws BAD_STATE from now on, and is a fault of a kernel.
    /// Does nothing if the array is not started.
    ///
    /// @throws DocaException with IN_USE if an element is in a list or has more than one reference
    public void stop() {
        for (int i = 0; i < elements.length; i++) {
            if (elements[i].isInList() || elements[i].refCount() > 1) {
                throw new DocaException(
                        DocaError.IN_USE,
                        "element %d of %s is in a list or retained; unchain or release it first"
                                .formatted(i, this));
            }
        }
        for (Buf element : elements) {
            Mmap pointedInto = element.mmap();
            element.takeBack();
            pointedInto.bufferReturned();
        }
        elements = new Buf[0];
        ArrayHandle at = known;
        if (at != null) {
            at.close();
            known = null;
            if (mmap != null) {
                mmap.bufferReturned();
            }
            if (remote != null) {
                remote.bufferReturned();
            }
        }
    }

    /// Stops the array and gives it up. Closing twice is harmless.
    ///
    /// @throws DocaException as [#stop]
    @Override
    public void close() {
        stop();
        closed = true;
    }

    @Override
    public String toString() {
        return "array of " + count + " buffers";
    }

    private void requireConfigurable() {
        if (closed || elements.length > 0 || known != null) {
            throw new DocaException(
                    DocaError.BAD_STATE, this + " is " + (closed ? "closed" : "started already"));
        }
    }

    private void requireStarted() {
        if (elements.length == 0 && known == null) {
            throw new DocaException(DocaError.BAD_STATE, this + " is not started");
        }
    }
}
