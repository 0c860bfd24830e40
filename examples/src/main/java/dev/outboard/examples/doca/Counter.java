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
import dev.outboard.doca.rdma.AtomicFetchAddTask;
import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.rdma.RdmaConnection;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// 64 peers add to one number in the memory of a server that does nothing meanwhile. Each is a
/// thread with a context of its own; the server has one context with 64 connections.
public final class Counter {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int PEERS = 64;
    private static final int ADDS = 1_000;

    private Counter() {}

    public static void main(String[] words) throws Exception {
        Exchange.run(
                Counter.class,
                words,
                (exchange, _) -> serve(exchange),
                (exchange, _) -> addFromAllPeers(exchange));
    }

    private static void serve(Exchange exchange) throws Exception {
        try (DocaDev dev = DocaDev.open(exchange.device());
                Mmap counter =
                        Mmap.builder()
                                .device(dev)
                                .memrange(Long.BYTES)
                                .permissions(AccessFlag.LOCAL_READ_WRITE, AccessFlag.RDMA_ATOMIC)
                                .build()
                                .start();
                ProgressEngine engine = ProgressEngine.create();
                Rdma rdma = new Rdma(dev)) {
            rdma.maxNumConnections(PEERS)
                    .permissions(AccessFlag.RDMA_ATOMIC)
                    .attach(engine)
                    .start();
            exchange.send(counter.exportRdma(dev));
            for (int i = 0; i < PEERS; i++) {
                RdmaConnection peer = rdma.export();
                peer.connect(exchange.swap(peer.details()));
            }
            exchange.meet();
            System.out.printf(
                    "the counter is at %d%n", counter.segment().get(ValueLayout.JAVA_LONG, 0));
        }
    }

    private static void addFromAllPeers(Exchange exchange) throws Exception {
        try (DocaDev dev = DocaDev.open(exchange.device());
                RemoteMmap counter = RemoteMmap.fromExport(dev, exchange.receive());
                ExecutorService peers = Executors.newFixedThreadPool(PEERS)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < PEERS; i++) {
                running.add(peers.submit(() -> add(dev, counter, exchange)));
            }
            for (Future<?> peer : running) {
                peer.get();
            }
            System.out.printf("%d peers added 1, %d times each%n", PEERS, ADDS);
        }
        exchange.meet();
    }

    /// One peer.
    private static Void add(DocaDev dev, RemoteMmap counter, Exchange exchange) throws Exception {
        try (Mmap memory =
                        Mmap.builder()
                                .device(dev)
                                .memrange(Long.BYTES)
                                .permissions(AccessFlag.LOCAL_READ_WRITE)
                                .build()
                                .start();
                BufInventory inventory = BufInventory.create(2).start();
                ProgressEngine engine = ProgressEngine.create();
                Rdma rdma = new Rdma(dev)) {
            rdma.atomicFetchAdd(1).attach(engine).start();
            RdmaConnection server = rdma.export();
            synchronized (exchange) {
                server.connect(exchange.swap(server.details()));
            }
            engine.progressUntil(() -> rdma.state() == CtxState.RUNNING, LIMIT);

            RemoteBuf there = inventory.byAddress(counter, 0, Long.BYTES);
            Buf before = inventory.byAddress(memory, 0, Long.BYTES);
            AtomicFetchAddTask add = server.allocAtomicFetchAdd(there, before, 1);
            for (int i = 0; i < ADDS; i++) {
                add.submitOrThrow();
                while (add.isInFlight()) {
                    if (!engine.progress()) {
                        engine.await(Duration.ofSeconds(1));
                    }
                }
                add.awaitSuccess(LIMIT);
            }
            add.free();
            there.release();
            before.release();
            return null;
        }
    }
}
