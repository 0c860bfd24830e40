package dev.outboard.doca.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.Buf;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Many atomics of several peers at the same time on the same memory, each peer on a thread of its
/// own; the owner of the memory calls nothing. On every provider.
abstract class AtomicCampaignContract {
    private static final int PEERS = 2;
    private static final int ADDS = 100_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int HAND_OVERS = 200;

    /// In the owner's memory: what is added to, the lock, and what the lock protects.
    private static final long CELL = 512;

    private static final long LOCK = 520;
    private static final long PROTECTED = 528;

    /// A peer that holds the lock puts its number and this into it.
    private static final long HELD = 100;

    private final List<RdmaEnd> peers = new ArrayList<>();
    private RdmaEnd owner;

    /// A device that reaches, and is reached by, the others.
    abstract DocaDevInfo device();

    @BeforeEach
    void connect() {
        owner = new RdmaEnd(device());
        owner.rdma.maxNumConnections(PEERS).start();
        for (int i = 0; i < PEERS; i++) {
            RdmaEnd peer = new RdmaEnd(device());
            peers.add(peer);
            peer.rdma.maxNumConnections(2).start();
            peer.peer = peer.rdma.export();
            RdmaConnection toPeer = owner.rdma.export();
            toPeer.connect(peer.peer.details());
            peer.peer.connect(toPeer.details());
            peer.remote = RemoteMmap.fromExport(peer.dev, owner.mmap.exportRdma(owner.dev));
        }
    }

    @AfterEach
    void close() {
        peers.forEach(RdmaEnd::close);
        owner.close();
    }

    private void cell(long offset, long value) {
        owner.mmap.segment().set(ValueLayout.JAVA_LONG, offset, value);
    }

    private long cell(long offset) {
        return owner.mmap.segment().get(ValueLayout.JAVA_LONG, offset);
    }

    /// Does `work` for each peer at the same time, on a thread that takes it over.
    private <T> List<T> atOnce(Work<T> work) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(PEERS)) {
            List<Future<T>> ends = new ArrayList<>();
            for (int i = 0; i < PEERS; i++) {
                int number = i;
                Callable<T> task = () -> work.of(peers.get(number), number);
                ends.add(threads.submit(task));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> end : ends) {
                results.add(end.get());
            }
            peers.forEach(peer -> peer.engine.rebind());
            return results;
        }
    }

    private interface Work<T> {
        T of(RdmaEnd peer, int number) throws InterruptedException;
    }

    @Test
    @Requirement({"DTEST-6a", "DTEST-6b", "DTEST-6c", "DRDMA-FADD-2", "DRDMA-FADD-3"})
    void eachAddOfSeveralPeersFetchesAnotherValueAcrossTheEndOfTheRange() throws Exception {
        long start = -(PEERS * (long) ADDS) / 2; // 2^64 lies in the middle
        cell(CELL, start);

        List<long[]> fetched = atOnce((peer, _) -> addMany(peer));

        assertThat(cell(CELL)).isEqualTo(start + PEERS * (long) ADDS);
        long[] all = fetched.stream().flatMapToLong(Arrays::stream).sorted().toArray();
        assertThat(all).hasSize(PEERS * ADDS);
        for (int i = 0; i < all.length; i++) {
            if (all[i] != start + i) {
                assertThat(all[i]).as("old value " + i + " in order").isEqualTo(start + i);
            }
        }
        for (long[] ofOne : fetched) {
            assertThat(ofOne).as("one peer's old values, signed, grow").isSorted();
        }
    }

    /// Adds 1 as often as agreed, with all its tasks in flight.
    ///
    /// @return what it fetched, in order
    private static long[] addMany(RdmaEnd peer) throws InterruptedException {
        peer.engine.rebind();
        long[] fetched = new long[ADDS];
        RemoteBuf dst = peer.inventory.byAddress(peer.remote, CELL, 8);
        List<AtomicFetchAddTask> tasks = new ArrayList<>();
        for (int i = 0; i < RdmaEnd.TASKS; i++) {
            AtomicFetchAddTask task =
                    peer.peer.allocAtomicFetchAdd(
                            dst, peer.inventory.byAddress(peer.mmap, 8L * i, 8), 1);
            tasks.add(task);
            task.submitOrThrow();
        }
        for (int done = 0; done < ADDS; done++) {
            AtomicFetchAddTask task = (AtomicFetchAddTask) next(peer);
            assertThat(task.status()).isEqualTo(DocaError.SUCCESS);
            fetched[done] = peer.mmap.segment().get(ValueLayout.JAVA_LONG, task.result().head());
            if (done + tasks.size() < ADDS) {
                task.submitOrThrow();
            }
        }
        for (AtomicFetchAddTask task : tasks) {
            task.result().release();
            task.free();
        }
        dst.release();
        return fetched;
    }

    /// The next task called back. Sleeps until there is one: threads that spin leave no processor
    /// to the owner's device.
    private static RdmaTask next(RdmaEnd peer) throws InterruptedException {
        while (peer.done.isEmpty()) {
            if (!peer.engine.progress()) {
                assertThat(peer.engine.await(PATIENCE)).as("a completion").isTrue();
            }
        }
        return peer.done.removeFirst();
    }

    private static void run(RdmaEnd peer, RdmaTask task) throws InterruptedException {
        task.submitOrThrow();
        assertThat(next(peer)).isSameAs(task);
        assertThat(task.status()).as("%s: %s", task, task.failure()).isEqualTo(DocaError.SUCCESS);
    }

    @Test
    @Requirement({"DTEST-6d", "DRDMA-CAS-3", "DRDMA-CAS-6", "DRDMA-COM-20"})
    void aLockOfCompareAndSwapsIsHandedOverAndProtects() throws Exception {
        cell(LOCK, 0);
        cell(PROTECTED, 0);

        List<Boolean> over = atOnce(AtomicCampaignContract::takeTurns);

        assertThat(over).containsOnly(true);
        assertThat(cell(PROTECTED))
                .as("sum of increments that are not atomic by themselves")
                .isEqualTo(PEERS * (long) HAND_OVERS);
        assertThat(cell(LOCK)).as("whose turn it is").isZero();
    }

    /// Takes the lock in its turn, increments with a read and a write, and hands the lock over.
    private static boolean takeTurns(RdmaEnd peer, int number) throws InterruptedException {
        peer.engine.rebind();
        RemoteBuf lock = peer.inventory.byAddress(peer.remote, LOCK, 8);
        RemoteBuf source = peer.inventory.byData(peer.remote, PROTECTED, 8);
        RemoteBuf destination = peer.inventory.byAddress(peer.remote, PROTECTED, 8);
        Buf old = peer.inventory.byAddress(peer.mmap, 0, 8);
        Buf value = peer.inventory.byAddress(peer.mmap, 8, 8);
        AtomicCmpSwpTask swap = peer.peer.allocAtomicCmpSwp(lock, old, 0, 0);
        ReadTask read = peer.peer.allocRead(source, value);
        WriteTask write = peer.peer.allocWrite(value, destination);
        for (int turn = 0; turn < HAND_OVERS; turn++) {
            while (swap(peer, swap, number, number + HELD) != number) {
                Thread.onSpinWait(); // not its turn
            }
            value.resetDataLen();
            destination.resetDataLen();
            run(peer, read);
            long incremented = peer.mmap.segment().get(ValueLayout.JAVA_LONG, 8) + 1;
            peer.mmap.segment().set(ValueLayout.JAVA_LONG, 8, incremented);
            run(peer, write);
            int next = (number + 1) % PEERS;
            assertThat(swap(peer, swap, number + HELD, next)).isEqualTo(number + HELD);
        }
        List.of(lock, source, destination).forEach(RemoteBuf::release);
        old.release();
        value.release();
        List.of(swap, read, write).forEach(RdmaTask::free);
        return true;
    }

    private static long swap(RdmaEnd peer, AtomicCmpSwpTask swap, long compare, long to)
            throws InterruptedException {
        swap.compare(compare);
        swap.swap(to);
        run(peer, swap);
        return peer.mmap.segment().get(ValueLayout.JAVA_LONG, 0);
    }
}
