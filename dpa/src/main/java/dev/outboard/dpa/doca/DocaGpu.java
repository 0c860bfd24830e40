package dev.outboard.dpa.doca;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.spi.ArrayHandle;
import dev.outboard.doca.spi.EventCell;
import dev.outboard.doca.spi.ExecutionEnvironment;
import dev.outboard.doca.spi.MemoryHandle;
import dev.outboard.dpa.flexio.FlexioException;
import dev.outboard.dpa.flexio.GpuStream;
import dev.outboard.dpa.flexio.SimulatedGpu;
import dev.outboard.dpacc.DpaAddr;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// DPA-SE-2: a [simulated GPU][SimulatedGpu] beside a DPA: DOCA's `doca_gpu`. Its streams update
/// sync events and wait for them; such an event may be one of the DPA as well.
///
/// ```java
/// DocaGpu gpu = DocaGpu.create(dpa);
/// try (SyncEvent done = new SyncEvent(dev).publisher(gpu).subscriber(dpa).start();
///         GpuStream stream = gpu.stream("blur")) {
///     stream.copy(new DpaAddr(images.addressFor(dpa)), blurred, 4096);
///     gpu.updateSet(stream, done.handle(gpu), 1);
/// }
/// ```
///
/// Streams call memory of an mmap what the DPA calls it. Any thread may use it; it ends with the
/// context of the DPA.
public final class DocaGpu implements ExecutionEnvironment {
    /// How long a stream may take to end an operation whose effect has been seen.
    private static final Duration LAST_OPERATION = Duration.ofMillis(100);

    private final DocaDpa dpa;

    /// By their handles.
    private final Map<Long, Event> events = new ConcurrentHashMap<>();

    private DocaGpu(DocaDpa dpa) {
        this.dpa = dpa;
    }

    /// A GPU beside the DPA of that context.
    public static DocaGpu create(DocaDpa dpa) {
        return new DocaGpu(DocaException.nonNull(dpa, "dpa"));
    }

    /// A stream, which has nothing to do as yet.
    ///
    /// @throws DocaException with BAD_STATE unless the context of the DPA runs
    public GpuStream stream(String name) {
        return DocaErrors.of(() -> SimulatedGpu.of(dpa.process()).stream(name));
    }

    /// `doca_gpu_dev_sync_event_update_set`: the stream sets an event, when it has done what was
    /// added before, which whoever sees the value sees.
    ///
    /// @param event its [handle][dev.outboard.doca.sync.SyncEvent#handle]
    /// @throws DocaException with INVALID_VALUE if it is no event of this GPU, with NOT_PERMITTED
    ///   if the GPU was not declared as a publisher; with BAD_STATE if the stream is closed or has
    ///   too much to do; nothing is added
    public void updateSet(GpuStream stream, long event, long value) {
        DpaAddr word = published(event).use(stream);
        DocaErrors.of(() -> stream.update64(word, value));
    }

    /// `doca_gpu_dev_sync_event_update_add`: the same, and the stream adds to the event.
    ///
    /// DPA-SE-6: in one step towards every other update; the result is modulo 2^64.
    ///
    /// @throws DocaException as [#updateSet]
    public void updateAdd(GpuStream stream, long event, long addend) {
        DpaAddr word = published(event).use(stream);
        DocaErrors.of(() -> stream.add64(word, addend));
    }

    /// `doca_gpu_dev_sync_event_wait_gt`: the stream does what is added after that when the event
    /// is greater than a threshold, both unsigned; it sees what was done before the update.
    ///
    /// @throws DocaException with INVALID_VALUE also if no value is greater, with NOT_PERMITTED if
    ///   the GPU was not declared as a subscriber, else as [#updateSet]
    public void waitGt(GpuStream stream, long event, long threshold) {
        Event known = known(event);
        if (!known.declared.waits()) {
            throw undeclared(event, "subscriber");
        }
        if (threshold == -1) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "no value is greater than %s".formatted(Long.toUnsignedString(threshold)));
        }
        DpaAddr word = known.use(stream);
        DocaErrors.of(() -> stream.await64(word, threshold + 1));
    }

    private Event published(long event) {
        Event known = known(event);
        if (!known.declared.updates()) {
            throw undeclared(event, "publisher");
        }
        return known;
    }

    private Event known(long event) {
        Event known = events.get(event);
        if (known == null) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "0x%x is no handle of a sync event that is started, for %s"
                            .formatted(event, this));
        }
        return known;
    }

    private DocaException undeclared(long event, String what) {
        return new DocaException(
                DocaError.NOT_PERMITTED,
                "the sync event with the handle 0x%x does not have %s as a %s"
                        .formatted(event, this, what));
    }

    @Override
    public Kind kind() {
        return Kind.GPU;
    }

    /// The two know each other's memory.
    @Override
    public boolean sharesEvents(ExecutionEnvironment other) {
        return other.equals(dpa);
    }

    @Override
    public EventCell cell(MemorySegment memory, EventUse declared) {
        Event made = new Event(dpa.eventAt(memory), declared);
        events.put(made.handle(), made);
        return made;
    }

    /// DCORE-DEV-7: its streams name memory as the DPA does.
    @Override
    public MemoryHandle memory(MemorySegment memory, Set<AccessFlag> permissions) {
        throw asDpa();
    }

    @Override
    public MemoryHandle ownMemory(long address, long lengthBytes, Set<AccessFlag> permissions) {
        throw asDpa();
    }

    @Override
    public ArrayHandle array(MemoryHandle memory, long startOffset, long elementBytes, int count) {
        throw asDpa();
    }

    private DocaException asDpa() {
        return new DocaException(
                DocaError.NOT_SUPPORTED,
                "%s has no mmaps of its own: its streams call memory what the DPA beside it calls it"
                        .formatted(this));
    }

    @Override
    public String toString() {
        return "simulated GPU";
    }

    /// An event as the GPU knows it: the handle is where the value is.
    private final class Event implements EventCell {
        private final DpaEvent value;
        private final EventUse declared;

        /// That were told to do something with it.
        private final Set<GpuStream> streams = ConcurrentHashMap.newKeySet();

        private Event(DpaEvent value, EventUse declared) {
            this.value = value;
            this.declared = declared;
            value.shared(this::checkUnused);
        }

        private DpaAddr use(GpuStream stream) {
            streams.add(DocaException.nonNull(stream, "stream"));
            return new DpaAddr(value.address());
        }

        private void checkUnused() {
            for (GpuStream stream : streams) {
                if (isBusy(stream)) {
                    throw new DocaException(
                            DocaError.IN_USE,
                            "%s, which uses the sync event, has not done all that it was told"
                                    .formatted(stream));
                }
            }
        }

        private static boolean isBusy(GpuStream stream) {
            try {
                return !stream.synchronize(LAST_OPERATION);
            } catch (FlexioException closed) {
                return false;
            }
        }

        @Override
        public long get() {
            return value.get();
        }

        @Override
        public void set(long news) {
            value.set(news);
        }

        @Override
        public long add(long addend) {
            return value.add(addend);
        }

        @Override
        public long handle() {
            return value.address();
        }

        @Override
        public boolean goOn() {
            return value.goOn();
        }

        /// If the DPA has been declared, it has closed the event already.
        @Override
        public void close() {
            if (!value.isClosed()) {
                value.close();
            }
            events.remove(handle());
        }
    }
}
