package dev.outboard.examples.doca;

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
import dev.outboard.doca.rdma.SyncEventNotifySetTask;
import dev.outboard.doca.rdma.WriteTask;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.Spin;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/// The client writes messages into the memory of the server, one behind the other, and sets a sync
/// event to their number, which is all the server looks at.
public final class NotifiedWrite {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int MESSAGES = 1_000;
    private static final int BYTES = 64;

    private NotifiedWrite() {}

    public static void main(String[] words) throws Exception {
        Exchange.run(
                NotifiedWrite.class,
                words,
                (exchange, _) -> watch(exchange),
                (exchange, _) -> write(exchange));
    }

    private static void watch(Exchange exchange) throws Exception {
        try (DocaDev dev = DocaDev.open(exchange.device());
                Mmap memory =
                        Mmap.builder()
                                .device(dev)
                                .memrange(MESSAGES * BYTES)
                                .permissions(AccessFlag.LOCAL_READ_WRITE, AccessFlag.RDMA_WRITE)
                                .build()
                                .start();
                SyncEvent count =
                        new SyncEvent(dev)
                                .publisher(Location.REMOTE_NET)
                                .subscriber(Location.CPU)
                                .start();
                ProgressEngine engine = ProgressEngine.create();
                Rdma rdma = new Rdma(dev)) {
            rdma.permissions(AccessFlag.RDMA_WRITE).attach(engine).start();
            RdmaConnection peer = rdma.export();
            peer.connect(exchange.swap(peer.details()));
            exchange.send(memory.exportRdma(dev));
            exchange.send(count.exportToRemoteNet());

            int whole = 0;
            for (int i = 0; i < MESSAGES; i++) {
                count.waitGt(i, -1, Spin.PARK, Duration.ofSeconds(30));
                MemorySegment message = memory.segment().asSlice((long) i * BYTES, BYTES);
                boolean begins = message.get(ValueLayout.JAVA_LONG, 0) == i;
                boolean ends = message.get(ValueLayout.JAVA_LONG, BYTES - Long.BYTES) == i;
                whole += begins && ends ? 1 : 0;
            }
            System.out.printf("%d of %d messages were there when told%n", whole, MESSAGES);
            exchange.meet();
        }
    }

    private static void write(Exchange exchange) throws Exception {
        try (DocaDev dev = DocaDev.open(exchange.device());
                Mmap memory =
                        Mmap.builder().device(dev).memrange(BYTES + Long.BYTES).build().start();
                BufInventory inventory = BufInventory.create(3).start();
                ProgressEngine engine = ProgressEngine.create();
                Rdma rdma = new Rdma(dev)) {
            rdma.write(1).syncEventNotifySet(1).attach(engine).start();
            RdmaConnection peer = rdma.export();
            peer.connect(exchange.swap(peer.details()));
            engine.progressUntil(() -> rdma.state() == CtxState.RUNNING, LIMIT);

            try (RemoteMmap there = RemoteMmap.fromExport(dev, exchange.receive())) {
                SyncEventRemoteNet event = SyncEventRemoteNet.fromExport(dev, exchange.receive());
                RemoteBuf messages = inventory.byAddress(there, 0, there.length());
                Buf message = inventory.byData(memory, 0, BYTES);
                Buf count = inventory.byData(memory, BYTES, Long.BYTES);
                WriteTask write = peer.allocWrite(message, messages);
                SyncEventNotifySetTask notify = peer.allocSyncEventNotifySet(event, count);
                for (long i = 0; i < MESSAGES; i++) {
                    memory.segment().set(ValueLayout.JAVA_LONG, 0, i);
                    memory.segment().set(ValueLayout.JAVA_LONG, BYTES - Long.BYTES, i);
                    memory.segment().set(ValueLayout.JAVA_LONG, BYTES, i + 1);
                    write.submitOrThrow();
                    notify.submitOrThrow();
                    notify.awaitSuccess(LIMIT);
                }
                exchange.meet();
                write.free();
                notify.free();
                messages.release();
                message.release();
                count.release();
            }
        }
    }
}
