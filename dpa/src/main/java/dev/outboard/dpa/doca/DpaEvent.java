package dev.outboard.dpa.doca;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.spi.EventCell;
import dev.outboard.doca.spi.ExecutionEnvironment.EventUse;
import dev.outboard.dpa.doca.dev.EventDescriptor;
import dev.outboard.dpa.flexio.FlexioBuffer;
import dev.outboard.dpa.flexio.FlexioException;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioPd;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpacc.DpaAddr;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/// DPA-SE-1: a sync event as the DPA knows it: memory of the host, a key for it, and a descriptor
/// in DPA memory, whose address is the handle. Threads of the DPA load the value through their
/// window, and have the NIC update it; kernels that wait for it are waited for by the NIC.
final class DpaEvent implements EventCell {
    private static final VarHandle VALUE = ValueLayout.JAVA_LONG.varHandle();

    private static final long LAST_UPDATE_NANOS = 10_000_000_000L;
    private static final long LOOK_NANOS = 10_000;

    private final Loaded loaded;
    private final FlexioProcess process;
    private final MemorySegment memory;
    private final EventUse declared;
    private final FlexioBuffer buffer;
    private final FlexioMkey key;

    /// On the function of the base context, by whose gates kernels wait.
    private final FlexioMkey gateKey;

    private final DpaAddr descriptor;

    /// Let the machine go on, where it does not by itself.
    private final Kernels kernels;

    private final Consumer<DpaEvent> closing;

    /// Throws if others than kernels use it.
    private Runnable otherUse = () -> {};

    private volatile boolean isClosed;
    private int users;

    /// Of those, kernels whose threads have all returned.
    private int ending;

    DpaEvent(
            Loaded loaded,
            MemorySegment memory,
            EventUse declared,
            Kernels kernels,
            Consumer<DpaEvent> closing) {
        this.loaded = loaded;
        process = loaded.process();
        this.memory = memory;
        this.declared = declared;
        this.kernels = kernels;
        this.closing = closing;
        buffer = FlexioBuffer.of(process, "sync event", ExternalKind.HOST, memory);
        buffer.flag(0);
        key = key(loaded.domain());
        gateKey = loaded.index() == 0 ? key : key(process.domain());
        descriptor =
                process.heap()
                        .copyFromHost(
                                ByteBuffer.allocate(EventDescriptor.BYTES)
                                        .order(ByteOrder.LITTLE_ENDIAN)
                                        .putLong(EventDescriptor.ADDRESS, address())
                                        .putLong(EventDescriptor.KEY, key.number())
                                        .putLong(EventDescriptor.UPDATES, word(declared.updates()))
                                        .putLong(EventDescriptor.WAITS, word(declared.waits()))
                                        .putLong(EventDescriptor.FUNCTION, loaded.handle())
                                        .array());
    }

    private FlexioMkey key(FlexioPd domain) {
        return FlexioMkey.create(
                domain,
                buffer,
                0,
                Long.BYTES,
                Access.LOCAL_WRITE,
                Access.REMOTE_WRITE,
                Access.REMOTE_ATOMIC);
    }

    private static long word(boolean yes) {
        return yes ? EventDescriptor.YES : 0;
    }

    /// Whether that is where the value is.
    boolean isAt(MemorySegment place) {
        return memory.equals(place);
    }

    /// Others use it, too.
    ///
    /// @param check throws if it must not be closed
    synchronized void shared(Runnable check) {
        otherUse = check;
    }

    /// Where the value is, for queue entries.
    long address() {
        return buffer.address().value();
    }

    /// The key of that.
    int key() {
        return key.number();
    }

    /// The key by which kernels wait for that.
    int gateKey() {
        return gateKey.number();
    }

    /// On which function of the card it is.
    Loaded loaded() {
        return loaded;
    }

    /// Whether device code updates it.
    boolean updates() {
        return declared.updates();
    }

    /// Whether device code waits for it.
    boolean waits() {
        return declared.waits();
    }

    /// Whether others than device code may update it.
    boolean othersUpdate() {
        return declared.othersUpdate();
    }

    /// The value for whoever looks from the side, and is none of the machine.
    long peek() {
        return (long) VALUE.getAcquire(memory, 0L);
    }

    private boolean lives() {
        return process.errorState().isRunning();
    }

    /// A kernel waits for it or will update it.
    synchronized void use() {
        users++;
    }

    /// A kernel waits for it no more.
    synchronized void release() {
        users--;
    }

    /// All threads of a kernel have returned, and it is about to be updated.
    synchronized void update() {
        ending++;
    }

    /// It has been.
    synchronized void updated() {
        ending--;
        users--;
    }

    private synchronized boolean isBeingUpdated() {
        return ending > 0 && ending == users;
    }

    /// The machine has to know of accesses of the CPU, as long as there is one: after a fault there
    /// is the memory only.
    @Override
    public long get() {
        try {
            return buffer.load64(0);
        } catch (FlexioException ended) {
            return (long) VALUE.getAcquire(memory, 0L);
        }
    }

    @Override
    public void set(long value) {
        try {
            buffer.store64(0, value);
            process.lookAgain();
        } catch (FlexioException ended) {
            VALUE.setRelease(memory, 0L, value);
        }
    }

    @Override
    public long add(long addend) {
        try {
            long former = buffer.fetchAdd64(0, addend);
            process.lookAgain();
            return former;
        } catch (FlexioException ended) {
            return (long) VALUE.getAndAdd(memory, 0L, addend);
        }
    }

    @Override
    public long handle() {
        return descriptor.value();
    }

    @Override
    public boolean goOn() {
        long before = get();
        if (kernels.goOn() || get() != before) {
            return true;
        }
        kernels.checkWaiting();
        return false;
    }

    boolean isClosed() {
        return isClosed;
    }

    /// Who has seen its last update may close it, though that has just been made.
    @Override
    public void close() {
        long deadline = System.nanoTime() + LAST_UPDATE_NANOS;
        while (isBeingUpdated() && lives() && System.nanoTime() - deadline < 0) {
            if (kernels.goOn()) {
                LockSupport.parkNanos(this, LOOK_NANOS);
            }
        }
        checkUnused(lives());
        closing.accept(this);
        isClosed = true;
        DocaErrors.giveBack(
                process,
                () -> {
                    key.close();
                    gateKey.close();
                    process.heap().free(descriptor);
                });
    }

    private synchronized void checkUnused(boolean lives) {
        if (users > 0 && lives) {
            throw new DocaException(
                    DocaError.IN_USE,
                    "%d kernels that have not ended wait for the sync event or will update it"
                            .formatted(users));
        }
        otherUse.run();
    }
}
