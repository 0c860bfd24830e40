package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.sim.network.SimulatedNetwork;
import dev.outboard.fabric.verbs.CompletionRing;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/// One of several clients that change the memory of a server together: each takes a lock with
/// COMPARE_AND_SWAP, reads a table, adds 1 to each of its words and writes it back, and gives the
/// lock back right behind; between, it adds to a word without any lock.
///
/// Nothing but the order within a queue pair and the atomicity of the atomics protects the table.
final class ContendingClient implements SimulatedEndpoint.Application {
    static final long LOCK = 0;
    static final long TOTAL = 8;
    static final long TABLE = 16;

    private static final long MAX_PAUSE_NANOS = 100_000;
    private static final long OWN_WORD = 0;
    private static final long OWN_TABLE = 8;

    private enum Step {
        ADD,
        LOCK,
        READ,
        WRITE_AND_UNLOCK,
        DONE
    }

    private final SplittableRandom random;
    private final long name;
    private final int tableBytes;
    private final SendRequest request = new SendRequest();
    private final Completion completion = new Completion();

    /// What the shared total was before each of our additions, and what we added.
    final Map<Long, Long> additions = new HashMap<>();

    private SimulatedEndpoint endpoint;
    private RegisteredRegion own;
    private RegisteredRegion shared;
    private Step step = Step.ADD;
    private boolean isOutstanding;
    private int roundsLeft;
    private long added;
    private long nextNanos;

    ContendingClient(SplittableRandom random, long name, int rounds, int tableBytes) {
        this.random = random;
        this.name = name;
        this.tableBytes = tableBytes;
        roundsLeft = rounds;
    }

    void start(SimulatedEndpoint newEndpoint, RegisteredRegion newShared, Arena arena) {
        endpoint = newEndpoint;
        shared = newShared;
        own =
                endpoint.regions.register(
                        SimulatedEndpoint.DOMAIN,
                        arena.allocate(OWN_TABLE + tableBytes, Long.BYTES),
                        Set.of(Access.LOCAL_WRITE));
    }

    boolean isDone() {
        return step == Step.DONE;
    }

    @Override
    public void completionAdded(CompletionRing ring) {
        nextNanos = 0;
    }

    @Override
    public long deadlineNanos() {
        return isDone() ? SimulatedNetwork.NEVER : nextNanos;
    }

    @Override
    public void turn(long nowNanos) {
        endpoint.sendCompletions.arm(false);
        while (endpoint.sendCompletions.poll(completion)) {
            assertThat(completion.status())
                    .as("%s of client %d", step, name)
                    .isEqualTo(CompletionStatus.SUCCESS);
            isOutstanding = false;
            completed();
            nextNanos = nowNanos + random.nextLong(MAX_PAUSE_NANOS);
        }
        if (isOutstanding) {
            nextNanos = SimulatedNetwork.NEVER;
        } else if (!isDone() && nowNanos >= nextNanos) {
            isOutstanding = true;
            nextNanos = SimulatedNetwork.NEVER;
            post();
        }
    }

    private void post() {
        switch (step) {
            case ADD -> {
                added = random.nextLong(1, 1_000);
                request.fetchAndAdd(shared.address() + TOTAL, shared.remoteKey(), added);
                post(OWN_WORD, Long.BYTES, true);
            }
            case LOCK -> {
                request.compareAndSwap(shared.address() + LOCK, shared.remoteKey(), 0, name);
                post(OWN_WORD, Long.BYTES, true);
            }
            case READ -> {
                request.read(shared.address() + TABLE, shared.remoteKey());
                post(OWN_TABLE, tableBytes, true);
            }
            case WRITE_AND_UNLOCK -> {
                request.write(shared.address() + TABLE, shared.remoteKey());
                post(OWN_TABLE, tableBytes, false);
                request.compareAndSwap(shared.address() + LOCK, shared.remoteKey(), name, 0);
                post(OWN_WORD, Long.BYTES, true);
            }
            case DONE -> throw new IllegalStateException("nothing left to post");
        }
    }

    private void post(long offset, int length, boolean signaled) {
        request.payload(own, offset, length).signaled(signaled);
        assertThat(endpoint.queuePair.post(request)).isTrue();
    }

    private void completed() {
        long original = own.segment().get(ValueLayout.JAVA_LONG, OWN_WORD);
        switch (step) {
            case ADD -> {
                assertThat(additions.put(original, added)).as("seen %d twice", original).isNull();
                step = Step.LOCK;
            }
            case LOCK -> step = original == 0 ? Step.READ : Step.LOCK;
            case READ -> {
                incrementTable();
                step = Step.WRITE_AND_UNLOCK;
            }
            case WRITE_AND_UNLOCK -> {
                assertThat(original).as("holder of the lock").isEqualTo(name);
                step = --roundsLeft == 0 ? Step.DONE : Step.ADD;
            }
            case DONE -> throw new AssertionError("a completion of nothing");
        }
    }

    /// All words are equal whenever nobody holds the lock.
    private void incrementTable() {
        MemorySegment table = own.segment().asSlice(OWN_TABLE, tableBytes);
        long count = table.get(ValueLayout.JAVA_LONG, 0);
        for (long at = 0; at < tableBytes; at += Long.BYTES) {
            assertThat(table.get(ValueLayout.JAVA_LONG, at))
                    .as("word at %d of the table, as client %d reads it", at, name)
                    .isEqualTo(count);
            table.set(ValueLayout.JAVA_LONG, at, count + 1);
        }
    }
}
