package dev.outboard.dpa.doca;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.BufInventory;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.rdma.RdmaConnection;
import dev.outboard.doca.rdma.SyncEventNotifyAddTask;
import dev.outboard.doca.rdma.SyncEventNotifySetTask;
import dev.outboard.doca.rdma.WriteTask;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import dev.outboard.fabric.Device;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/// One that works with tasks, and does not know that it talks to a DPA.
final class TaskPeer implements PeerOfEvents {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final EventSide side;
    private final DocaDev dev;
    private final Mmap memory;
    private final BufInventory inventory;
    private final ProgressEngine engine;
    private final Rdma rdma;
    private final RdmaConnection connection;

    TaskPeer(Device card, EventSide side) {
        this.side = side;
        dev = DocaDev.of(card);
        memory =
                Mmap.builder()
                        .device(dev)
                        .memrange(EventSide.MESSAGE + Long.BYTES)
                        .permissions(AccessFlag.LOCAL_READ_WRITE)
                        .build()
                        .start();
        inventory = BufInventory.create(3).start();
        engine = ProgressEngine.create();
        rdma = new Rdma(dev);
        rdma.write(1).syncEventNotifySet(1).syncEventNotifyAdd(1).attach(engine).start();
        connection = rdma.export();
        RdmaConnection other = side.rdma().export();
        other.connect(connection.details());
        connection.connect(other.details());
        engine.progressUntil(() -> rdma.state() == CtxState.RUNNING, LIMIT);
    }

    @Override
    public void tell(SyncEvent event, long seed, long value, boolean isAdd) {
        MemorySegment.copy(
                MemorySegment.ofArray(EventSide.message(seed)),
                0,
                memory.segment(),
                0,
                EventSide.MESSAGE);
        try (RemoteMmap there = RemoteMmap.fromExport(dev, side.host.exportRdma(side.dev))) {
            Buf message = inventory.byData(memory, 0, EventSide.MESSAGE);
            RemoteBuf place = inventory.byAddress(there, 0, EventSide.MESSAGE);
            WriteTask write = connection.allocWrite(message, place);
            write.submitOrThrow();
            update(event, value, isAdd);
            write.awaitSuccess(LIMIT);
            write.free();
            place.release();
            message.release();
        }
    }

    @Override
    public void addOften(SyncEvent event, int times, long addend) {
        for (int i = 0; i < times; i++) {
            update(event, addend, true);
        }
    }

    private void update(SyncEvent event, long value, boolean isAdd) {
        SyncEventRemoteNet told = SyncEventRemoteNet.fromExport(dev, event.exportToRemoteNet());
        Buf word = inventory.byData(memory, EventSide.MESSAGE, Long.BYTES);
        if (isAdd) {
            SyncEventNotifyAddTask add = connection.allocSyncEventNotifyAdd(told, value, word);
            add.submitOrThrow();
            add.awaitSuccess(LIMIT);
            add.free();
        } else {
            memory.segment().set(ValueLayout.JAVA_LONG, EventSide.MESSAGE, value);
            SyncEventNotifySetTask set = connection.allocSyncEventNotifySet(told, word);
            set.submitOrThrow();
            set.awaitSuccess(LIMIT);
            set.free();
        }
        word.release();
    }

    @Override
    public void close() {
        rdma.close();
        engine.close();
        inventory.close();
        memory.close();
        dev.close();
    }
}
