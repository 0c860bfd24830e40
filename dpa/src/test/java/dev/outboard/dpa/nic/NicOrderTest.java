package dev.outboard.dpa.nic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// When the NIC reads and writes.
class NicOrderTest {
    private static final int WORDS = 32;
    private static final int RUNS = 100;

    /// How many runs see the second word of a message before the first.
    private static int early(Access... access) {
        int early = 0;
        for (long seed = 1; seed <= RUNS; seed++) {
            NicFixture fixture = new NicFixture(RunMode.weak(Profile.SEED, seed));
            long from = fixture.allocate(8 * WORDS);
            long to = fixture.allocate(8 * WORDS);
            for (int i = 0; i < WORDS; i++) {
                fixture.process.write64(from + 8L * i, 1);
            }
            MemoryKey source = fixture.nic.register(from, 8 * WORDS);
            MemoryKey target = fixture.nic.register(to, 8 * WORDS, access);
            long[] first = new long[1];
            fixture.run(ends -> {
                DpaThread thread = ends.thread();
                ends.near()
                        .remote(thread, SendEntry.RDMA_WRITE, source, from, 8 * WORDS, to, target);
                while (thread.load64(to + 8) == 0) {
                    // Not yet.
                }
                first[0] = thread.load64(to);
                ends.near().take(thread);
                // Whatever the order, the completion comes after all of it.
                for (int i = 0; i < WORDS; i++) {
                    assertThat(thread.load64(to + 8L * i)).isEqualTo(1);
                }
            });
            early += first[0] == 0 ? 1 : 0;
        }
        return early;
    }

    @Test
    @Requirement({"DPA-MEM-10", "DPA-MEM-11", "DPA-MEM-17a"})
    void onlyARelaxedRegionIsWrittenInAnyOrder() {
        assertThat(early(Access.LOCAL_WRITE, Access.REMOTE_WRITE)).isZero();
        assertThat(early(Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.RELAXED_ORDERING))
                .isPositive();
    }

    /// What is written back, but not rung, may still change.
    @ParameterizedTest
    @MethodSource("dev.outboard.dpa.nic.NicFixture#modes")
    @Requirement("DPA-FXQ-8c")
    void anEntryIsReadAfterItsDoorbell(RunMode mode) {
        NicFixture fixture = new NicFixture(mode);
        long from = fixture.allocate(64);
        long to = fixture.allocate(64);
        MemoryKey source = fixture.nic.register(from, 64);
        MemoryKey target = fixture.nic.register(to, 64, Access.LOCAL_WRITE);
        Endpoint.Taken[] taken = new Endpoint.Taken[1];
        fixture.run(ends -> {
            DpaThread thread = ends.thread();
            ends.far().receive(thread, target, to, 64);
            ends.near().control(thread, SendEntry.SEND, 2);
            for (int length = 8; length <= 16; length += 8) {
                long segment = ends.near().segment(1);
                DataSegment.write(thread, segment, length, source.number(), from);
                thread.memoryWriteback();
                for (int i = 0; i < 300; i++) {
                    thread.load64(from);
                }
            }
            ends.near().ring(thread, 1);
            taken[0] = ends.far().take(thread);
        });
        assertThat(taken[0].byteCount()).isEqualTo(16);
    }
}
