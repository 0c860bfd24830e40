package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.doca.dev.DocaDpaDevCompletion;
import dev.outboard.dpa.doca.dev.DocaDpaDevRdma;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Copies of contexts of asynchronous operations, and how many operations such a context takes.
class DpaAsyncOpsTest {
    private static final int DEPTH = 4;
    private static final int PIECE = 64 << 10;

    static List<RunMode> modes() {
        return CheckedDevices.modes();
    }

    /// A context of asynchronous operations whose completions are polled.
    private static final class Polled implements AutoCloseable {
        private final MovesSide side;
        private final DocaDpaCompletion completion;
        private final DocaDpaAsyncOps asyncOps;

        Polled(RunMode mode) {
            side = new MovesSide(mode, ReactionsStub.APP);
            completion = DocaDpaCompletion.create(side.dpa, 16).start();
            asyncOps = DocaDpaAsyncOps.create(side.dpa, DEPTH, 5).attach(completion).start();
        }

        private void copy(Mmap to, Mmap from, long length, int flags) {
            DpaAddr words = side.zeros(2);
            store(words, to.handle(side.dpa));
            store(words.plus(Long.BYTES), from.handle(side.dpa));
            side.dpa.rpc(
                    ReactionsStub.copies(
                            asyncOps.handle(),
                            words.value(),
                            to.addressFor(side.dpa),
                            from.addressFor(side.dpa),
                            length,
                            flags));
        }

        private void store(DpaAddr to, int key) {
            side.dpa.rpc(ReactionsStub.put(to, key));
        }

        private long poll() {
            return side.dpa.rpc(ReactionsStub.poll(completion.handle()));
        }

        private void expect(long type) {
            Eventually.until(() -> {
                long found = poll();
                assertThat(found).isIn(-1L, type);
                return found == type;
            });
        }

        @Override
        public void close() {
            asyncOps.close();
            completion.close();
            side.close();
        }
    }

    private static long[] counted(long from, int count) {
        return LongStream.range(from, from + count).toArray();
    }

    /// From the host to the DPA and back.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-DM-4", "DPA-SE-10"})
    void aCopyIsACompletion(RunMode mode) {
        try (Polled on = new Polled(mode)) {
            DpaAddr block = on.side.zeros(16);
            Mmap heap = on.side.heap(block, 128);
            Mmap from = on.side.words(100, 16);
            Mmap to = on.side.words(0, 16);
            on.copy(heap, from, 128, DocaDpaDevRdma.FLUSH);
            on.expect(DocaDpaDevCompletion.SEND);
            assertThat(on.side.words(block, 16)).containsExactly(counted(100, 16));
            on.copy(to, heap, 64, 0);
            assertThat(on.poll()).isEqualTo(-1);
            on.copy(to, heap, 0, DocaDpaDevRdma.FLUSH);
            on.expect(DocaDpaDevCompletion.SEND);
            on.expect(DocaDpaDevCompletion.SEND);
            assertThat(on.poll()).isEqualTo(-1);
            long[] copied = on.side.words(to);
            assertThat(copied).startsWith(counted(100, 8)).endsWith(counted(8, 8));
            long source = on.side.array(heap, 128, 0, 1).dpaHandle();
            long target = on.side.array(to, 128, 0, 1).dpaHandle();
            on.side.dpa.rpc(ReactionsStub.copiesBuffers(on.asyncOps.handle(), target, source));
            on.expect(DocaDpaDevCompletion.SEND);
            assertThat(on.side.words(to)).containsExactly(counted(100, 16));
            assertThat(on.side.findings()).isEmpty();
        }
    }

    /// Each piece is an operation, and the last one a completion, also when the ring goes round.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-DM-4")
    void aLongCopyIsOneCompletion(RunMode mode) {
        try (Polled on = new Polled(mode)) {
            int words = 2 * PIECE / Long.BYTES + 1;
            Mmap to = on.side.words(0, words);
            for (int round = 1; round < 4; round++) {
                Mmap from = on.side.words(round, words);
                on.copy(to, from, words * 8L, DocaDpaDevRdma.FLUSH);
                on.expect(DocaDpaDevCompletion.SEND);
                assertThat(on.poll()).isEqualTo(-1);
                assertThat(on.side.words(to)).containsExactly(counted(round, words));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    void reportsAreReducedWhenAsked(RunMode mode) {
        try (Polled on = new Polled(mode)) {
            Mmap from = on.side.words(100, 16);
            Mmap to = on.side.words(0, 16);
            int flags = DocaDpaDevRdma.FLUSH | DocaDpaDevRdma.OPTIMIZE_REPORTS;
            for (int i = 0; i < 3 * DEPTH; i++) {
                on.copy(to, from, 8, flags);
                if (i % 2 != 0) {
                    on.expect(DocaDpaDevCompletion.SEND);
                }
            }
            assertThat(on.poll()).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-DM-4")
    void aCopyThatFailsIsToldByItsCompletion(RunMode mode) {
        try (Polled on = new Polled(mode)) {
            Mmap readOnly = on.side.mmap(64, AccessFlag.LOCAL_READ_ONLY);
            on.copy(readOnly, on.side.words(1, 8), 64, DocaDpaDevRdma.FLUSH);
            on.expect(DocaDpaDevCompletion.SEND_ERR);
        }
    }

    /// Operations whose completions have been taken make room.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-SE-10")
    void moreOperationsThanTheQueueHoldsAreAFault(RunMode mode) {
        try (Polled on = new Polled(mode)) {
            SyncEvent event = on.side.event();
            long handle = event.handle(on.side.dpa);
            for (int i = 0; i < DEPTH; i++) {
                on.side.dpa.rpc(ReactionsStub.postsNe(on.asyncOps.handle(), handle, 1));
            }
            on.expect(DocaDpaDevCompletion.SEND);
            on.side.dpa.rpc(ReactionsStub.postsNe(on.asyncOps.handle(), handle, 1));
            for (int i = 0; i < DEPTH; i++) {
                on.expect(DocaDpaDevCompletion.SEND);
            }
            // The event does not become greater: they stay.
            for (int i = 0; i < DEPTH; i++) {
                on.side.dpa.rpc(ReactionsStub.postsGt(on.asyncOps.handle(), handle, 9));
            }
            on.side.faults(
                    () -> on.side.dpa.rpc(ReactionsStub.postsGt(on.asyncOps.handle(), handle, 9)),
                    79,
                    "has 4 of 4 operations outstanding, and 1 more are posted");
        }
    }

    /// A copy has to have room as a whole.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-SE-10")
    void aCopyThatIsLongerThanTheQueueIsAFault(RunMode mode) {
        try (Polled on = new Polled(mode)) {
            Mmap words = on.side.words(0, 8);
            on.side.faults(
                    () -> on.copy(words, words, DEPTH * PIECE + 1, DocaDpaDevRdma.FLUSH),
                    79,
                    "has 0 of 4 operations outstanding, and 5 more are posted");
        }
    }
}
