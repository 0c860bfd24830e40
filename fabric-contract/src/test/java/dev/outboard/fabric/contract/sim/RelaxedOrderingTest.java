package dev.outboard.fabric.contract.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.contract.VerbsEnd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// What an application sees of writes to memory with relaxed ordering, on a simulated device.
class RelaxedOrderingTest {
    private static final int LINE = 64;
    private static final int LINES = 64;
    private static final int BYTES = LINE * LINES;
    private static final int PATIENCE = 10_000;

    @Test
    void withoutTheFlagLinesAreSeenInOrder() {
        assertThat(order(1)).isEqualTo(IntStream.range(0, LINES).boxed().toList());
    }

    @Test
    void withTheFlagTheSeedDecides() {
        Set<List<Integer>> orders = new HashSet<>();
        for (int seed = 1; seed <= 5; seed++) {
            List<Integer> order = order(seed, Access.RELAXED_ORDERING);
            assertThat(order).isNotEqualTo(IntStream.range(0, LINES).boxed().toList());
            assertThat(order(seed, Access.RELAXED_ORDERING)).isEqualTo(order);
            orders.add(order);
        }
        assertThat(orders).hasSize(5);
    }

    /// The lines of a WRITE in the order in which the owner sees them, who looks at each moment.
    private static List<Integer> order(int seed, Access... further) {
        try (Ends ends = new Ends(seed, further)) {
            ends.peer.post(ends.write());
            List<Integer> seen = new ArrayList<>();
            for (int i = 0; i < PATIENCE && seen.size() < LINES; i++) {
                assertThat(ends.owner.completions().poll(new Completion())).isFalse();
                for (int line = 0; line < LINES; line++) {
                    if (ends.isThere(line) && !seen.contains(line)) {
                        seen.add(line);
                    }
                }
            }
            assertThat(ends.peer.status()).isEqualTo("1 SUCCESS");
            return seen;
        }
    }

    @Test
    void aCompletionTellsThatAllIsThere() {
        for (int seed = 1; seed <= 20; seed++) {
            try (Ends ends = new Ends(seed, Access.RELAXED_ORDERING)) {
                ends.owner.postReceive(2);
                ends.peer.post(
                        ends.write()
                                .writeWithImmediate(
                                        ends.region.address(), ends.region.remoteKey(), 7));
                assertThat(ends.owner.status()).isEqualTo("2 SUCCESS");
                assertThat(IntStream.range(0, LINES)).allMatch(ends::isThere);
            }
        }
    }

    @Test
    void aReadOfThePeerSeesWhatItWrote() {
        try (Ends ends = new Ends(3, Access.RELAXED_ORDERING)) {
            MemoryRegion source = ends.peer.region();
            ends.peer.post(ends.write());
            ends.peer.post(
                    new SendRequest()
                            .id(2)
                            .read(ends.region.address(), ends.region.remoteKey())
                            .payload(source, BYTES, BYTES));
            assertThat(ends.peer.status()).isEqualTo("1 SUCCESS");
            assertThat(ends.peer.status()).isEqualTo("2 SUCCESS");
            assertThat(source.segment().asSlice(BYTES, BYTES).mismatch(ends.source()))
                    .isEqualTo(-1);
        }
    }

    /// An owner of memory and a peer that writes to it, alone on their network.
    private static final class Ends implements AutoCloseable {
        private final Arena arena = Arena.ofShared();
        private final MemorySegment memory = arena.allocate(BYTES, LINE);
        private final VerbsEnd owner;
        private final VerbsEnd peer;
        private final MemoryRegion region;

        Ends(int seed, Access... further) {
            owner = new VerbsEnd(Fabric.open("sim://relaxed/10.9.0.1?seed=" + seed)).create();
            peer = new VerbsEnd(Fabric.open("sim://relaxed/10.9.0.2")).create();
            VerbsEnd.connect(owner, peer);
            Set<Access> access = new HashSet<>(List.of(further));
            access.add(Access.LOCAL_WRITE);
            access.add(Access.REMOTE_WRITE);
            access.add(Access.REMOTE_READ);
            region = owner.domain().register(memory, access.toArray(Access[]::new));
            source().fill((byte) 1);
        }

        MemorySegment source() {
            return peer.region().segment().asSlice(0, BYTES);
        }

        SendRequest write() {
            return new SendRequest()
                    .id(1)
                    .write(region.address(), region.remoteKey())
                    .payload(peer.region(), 0, BYTES);
        }

        boolean isThere(int line) {
            return memory.get(ValueLayout.JAVA_BYTE, (long) line * LINE) != 0;
        }

        @Override
        public void close() {
            region.close();
            owner.close();
            peer.close();
            owner.device().close();
            peer.device().close();
            arena.close();
        }
    }
}
