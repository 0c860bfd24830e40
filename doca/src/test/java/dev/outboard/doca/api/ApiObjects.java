package dev.outboard.doca.api;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.BatchSize;
import dev.outboard.doca.Buf;
import dev.outboard.doca.BufArray;
import dev.outboard.doca.BufInventory;
import dev.outboard.doca.BufPool;
import dev.outboard.doca.BufRange;
import dev.outboard.doca.Ctx;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.FailureCause;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.MmapBuilder;
import dev.outboard.doca.Notification;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.doca.Task;
import dev.outboard.doca.TaskBatch;
import dev.outboard.doca.TaskPool;
import dev.outboard.doca.TestDevices;
import dev.outboard.doca.ValidationRule;
import dev.outboard.doca.jobs.AtomicJob;
import dev.outboard.doca.jobs.Job;
import dev.outboard.doca.jobs.JobEvent;
import dev.outboard.doca.jobs.RdmaInstance;
import dev.outboard.doca.jobs.ReadWriteJob;
import dev.outboard.doca.jobs.SendJob;
import dev.outboard.doca.jobs.WorkQueue;
import dev.outboard.doca.rdma.AtomicCmpSwpTask;
import dev.outboard.doca.rdma.AtomicFetchAddTask;
import dev.outboard.doca.rdma.Be32;
import dev.outboard.doca.rdma.ConnectionHandler;
import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.rdma.RdmaAddress;
import dev.outboard.doca.rdma.RdmaCapabilities;
import dev.outboard.doca.rdma.RdmaConnection;
import dev.outboard.doca.rdma.SendImmTask;
import dev.outboard.doca.rdma.SendTask;
import dev.outboard.doca.rdma.SyncEventGetTask;
import dev.outboard.doca.rdma.SyncEventNotifyAddTask;
import dev.outboard.doca.rdma.SyncEventNotifySetTask;
import dev.outboard.doca.rdma.WriteImmTask;
import dev.outboard.doca.sync.GetTask;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.doca.sync.SyncEventCapabilities;
import dev.outboard.doca.sync.SyncEventCtx;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.FabricException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// One object of each type that the API's methods are called on or take, in a state in which most
/// can be done with it.
final class ApiObjects implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final AccessFlag[] ALL = {
        AccessFlag.LOCAL_READ_WRITE,
        AccessFlag.RDMA_READ,
        AccessFlag.RDMA_WRITE,
        AccessFlag.RDMA_ATOMIC
    };

    private final Map<Class<?>, Object> made = new HashMap<>();
    private final Map<Class<?>, Supplier<Object>> makers = new LinkedHashMap<>();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final DocaDev dev = opened(TestDevices.open());
    private final ProgressEngine engine = opened(ProgressEngine.create());

    ApiObjects() {
        makeValues();
        makeMemory();
        makeContexts();
        makeTasks();
    }

    private void makeValues() {
        makers.put(String.class, () -> "");
        makers.put(Object.class, () -> "user data");
        makers.put(Class.class, () -> String.class);
        makers.put(Duration.class, () -> Duration.ofMillis(1));
        makers.put(Set.class, Set::of);
        makers.put(Class.class, () -> SendTask.class);
        makers.put(List.class, List::of);
        makers.put(Throwable.class, RuntimeException::new);
        makers.put(Consumer.class, () -> (Consumer<Object>) any -> {});
        makers.put(Predicate.class, () -> (Predicate<Object>) any -> true);
        makers.put(BooleanSupplier.class, () -> (BooleanSupplier) () -> true);
        makers.put(MemorySegment.class, () -> Arena.global().allocate(8, 8));
        makers.put(InetAddress.class, InetAddress::getLoopbackAddress);
        makers.put(Device.class, () -> dev.protectionDomain().device());
        makers.put(FabricException.class, ApiObjects::failure);
        makers.put(Be32.class, () -> Be32.ofHost(1));
        makers.put(RdmaAddress.class, () -> RdmaAddress.ipv4("127.0.0.1", 1));
        makers.put(
                FailureCause.class,
                () -> new FailureCause.Validation(ValidationRule.OPERAND_MISSING));
        makers.put(ConnectionHandler.class, () -> new ConnectionHandler() {});
        makers.put(Ctx.StateListener.class, () -> (Ctx.StateListener) (ctx, from, to) -> {});
        makers.put(TaskPool.class, () -> new TaskPool<>("any", 1));
        makers.put(JobEvent.class, JobEvent::new);
    }

    private static FabricException failure() {
        try {
            Fabric.open("nowhere://");
            throw new AssertionError("opened nowhere");
        } catch (FabricException e) {
            return e;
        }
    }

    private void makeMemory() {
        makers.put(DocaDev.class, () -> dev);
        makers.put(DocaDevInfo.class, dev::info);
        makers.put(ProgressEngine.class, () -> engine);
        makers.put(
                Notification.class,
                () -> {
                    get(RdmaConnection.class);
                    return engine.notification();
                });
        makers.put(MmapBuilder.class, Mmap::builder);
        makers.put(
                Mmap.class,
                () ->
                        opened(
                                Mmap.builder()
                                        .device(dev)
                                        .memrange(64)
                                        .permissions(ALL)
                                        .build()
                                        .start()));
        makers.put(
                RemoteMmap.class,
                () -> opened(RemoteMmap.fromExport(dev, get(Mmap.class).exportRdma(dev))));
        makers.put(BufInventory.class, () -> opened(BufInventory.create(8).start()));
        makers.put(Buf.class, () -> lent(get(BufInventory.class).byData(get(Mmap.class), 0, 8)));
        makers.put(
                RemoteBuf.class,
                () -> lent(get(BufInventory.class).byData(get(RemoteMmap.class), 0, 8)));
        makers.put(BufPool.class, () -> opened(BufPool.create(1, 8, get(Mmap.class))));
        makers.put(BufArray.class, () -> opened(BufArray.create(1)));
    }

    private void makeContexts() {
        makers.put(Rdma.class, () -> opened(new Rdma(dev)));
        makers.put(RdmaCapabilities.class, () -> RdmaCapabilities.of(dev.info()));
        makers.put(SyncEventCapabilities.class, () -> SyncEventCapabilities.of(dev.info()));
        makers.put(RdmaConnection.class, this::connected);
        makers.put(SyncEvent.class, () -> opened(new SyncEvent(dev)));
        makers.put(SyncEventCtx.class, () -> opened(new SyncEvent(dev)).asCtx());
        makers.put(SyncEventRemoteNet.class, this::remoteEvent);
        makers.put(WorkQueue.class, () -> opened(WorkQueue.create(1)));
        makers.put(RdmaInstance.class, () -> opened(new RdmaInstance().addDevice(dev)));
        makers.put(Job.class, () -> new SendJob(get(RdmaInstance.class), 1, get(Buf.class)));
        makers.put(ReadWriteJob.class, () -> ReadWriteJob.read(get(RdmaInstance.class), 1));
        makers.put(AtomicJob.class, this::fetchAdd);
    }

    private AtomicJob fetchAdd() {
        return AtomicJob.fetchAdd(
                get(RdmaInstance.class), 1, get(RemoteBuf.class), get(Buf.class), 1);
    }

    private SyncEventRemoteNet remoteEvent() {
        SyncEvent event =
                opened(new SyncEvent(dev))
                        .publisher(Location.REMOTE_NET)
                        .subscriber(Location.CPU)
                        .start();
        return SyncEventRemoteNet.fromExport(dev, event.exportToRemoteNet());
    }

    /// A connection of a context to itself, with all its tasks.
    private RdmaConnection connected() {
        Rdma rdma =
                opened(new Rdma(dev))
                        .receive(1)
                        .send(2)
                        .sendImm(1)
                        .read(1)
                        .write(1)
                        .writeImm(1)
                        .atomicCmpSwp(1)
                        .atomicFetchAdd(1)
                        .syncEventGet(1)
                        .syncEventNotifySet(1)
                        .syncEventNotifyAdd(1)
                        .batch(SendTask.class, BatchSize.TASKS_16, 1)
                        .attach(engine);
        rdma.start();
        RdmaConnection itself = rdma.export();
        itself.connect(itself.details());
        engine.progressUntil(() -> rdma.state() == CtxState.RUNNING, LIMIT);
        return itself;
    }

    private void makeTasks() {
        makeTask(SendTask.class, to -> to.allocSend(get(Buf.class)));
        makeTask(SendImmTask.class, to -> to.allocSendImm(get(Buf.class), get(Be32.class)));
        makeTask(
                WriteImmTask.class,
                to -> to.allocWriteImm(get(Buf.class), get(RemoteBuf.class), get(Be32.class)));
        makeTask(
                AtomicCmpSwpTask.class,
                to -> to.allocAtomicCmpSwp(get(RemoteBuf.class), get(Buf.class), 0, 1));
        makeTask(
                AtomicFetchAddTask.class,
                to -> to.allocAtomicFetchAdd(get(RemoteBuf.class), get(Buf.class), 1));
        makeTask(
                SyncEventGetTask.class,
                to -> to.allocSyncEventGet(get(SyncEventRemoteNet.class), get(Buf.class)));
        makeTask(
                SyncEventNotifySetTask.class,
                to -> to.allocSyncEventNotifySet(get(SyncEventRemoteNet.class), get(Buf.class)));
        makeTask(
                SyncEventNotifyAddTask.class,
                to -> to.allocSyncEventNotifyAdd(get(SyncEventRemoteNet.class), 1, get(Buf.class)));
        makers.put(TaskBatch.class, this::batch);
        makers.put(GetTask.class, this::taskOfAnEvent);
    }

    private TaskBatch<?> batch() {
        RdmaConnection itself = get(RdmaConnection.class);
        TaskBatch<?> batch = get(SendTask.class).ctx().allocBatch(List.of(itself.allocSend()));
        open.push(batch::free);
        return batch;
    }

    private GetTask taskOfAnEvent() {
        SyncEventCtx running =
                opened(new SyncEvent(dev)).publisher(Location.CPU).subscriber(Location.CPU).asCtx();
        running.get(1).attach(engine).start();
        GetTask task = running.allocGet();
        open.push(task::free);
        return task;
    }

    private interface Allocation<T> {
        T from(RdmaConnection connection);
    }

    private <T extends Task> void makeTask(Class<T> type, Allocation<T> allocation) {
        makers.put(
                type,
                () -> {
                    T task = allocation.from(get(RdmaConnection.class));
                    open.push(task::free);
                    return task;
                });
    }

    private <T extends AutoCloseable> T opened(T resource) {
        open.push(resource);
        return resource;
    }

    private <B extends BufRange> B lent(B buf) {
        open.push(() -> {
            while (buf.refCount() > 1) {
                buf.release();
            }
            buf.release();
        });
        return buf;
    }

    /// The object of `type`, or of some type that extends it, made when it is first asked for.
    <T> T get(Class<T> type) {
        Class<?> kind =
                makers.containsKey(type)
                        ? type
                        : makers.keySet().stream()
                                .filter(type::isAssignableFrom)
                                .findFirst()
                                .orElseThrow(() -> new AssertionError("no object of " + type));
        Object object = made.get(kind);
        if (object == null) {
            object = makers.get(kind).get();
            made.put(kind, object);
        }
        return type.cast(object);
    }

    /// What a parameter of `type` may be given.
    Object argument(Class<?> type) {
        if (type.isPrimitive()) {
            return type == boolean.class ? true : type == int.class ? (Object) 1 : (Object) 8L;
        }
        if (type.isArray()) {
            return Array.newInstance(type.componentType(), 0);
        }
        return type.isEnum() ? type.getEnumConstants()[0] : get(type);
    }

    @Override
    public void close() {
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }
}
