package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.BufArray;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.sync.Spin;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.cc.Clang;
import dev.outboard.dpa.cc.Clang.Form;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Copies that kernels have the NIC make.
class DpaMemcpyTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    static List<RunMode> modes() {
        return CheckedDevices.modes();
    }

    /// In Java and in C.
    static List<Form> forms() {
        return Clang.forms(MovesStub.APP, modes());
    }

    @ParameterizedTest
    @MethodSource("forms")
    @Requirement("DPA-DM-4")
    void bytesAreCopiedBetweenBuffers(Form form) {
        try (MovesSide side = new MovesSide(form.mode(), form.app())) {
            Mmap from = side.words(1, 16);
            Mmap to = side.words(-16, 16);
            long source = side.array(from, 64, 8, 1).dpaHandle();
            long target = side.array(to, 64, 16, 1).dpaHandle();
            side.dpa.rpc(MovesStub.copy(target, 8, source, 16, 40));
            side.dpa.rpc(MovesStub.copy(target, 56, source, 1, 3));
            side.dpa.rpc(MovesStub.copy(target, 64, source, 64, 0));
            long[] expected = new long[16];
            Arrays.setAll(expected, i -> i - 16);
            for (int i = 0; i < 5; i++) {
                expected[3 + i] = 4L + i;
            }
            // Three bytes of zeros, after the lowest byte of word 2 of the source.
            expected[9] = (expected[9] | 0xFFFFFF) ^ 0xFFFFFF;
            assertThat(side.words(to)).containsExactly(expected);
            assertThat(side.findings()).isEmpty();
        }
    }

    /// The NIC moves at most so much at once.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-DM-4")
    void aLongCopyIsWhole(RunMode mode) {
        int words = (mode instanceof RunMode.Fast ? 2100 : 17) << 10;
        try (MovesSide side = new MovesSide(mode)) {
            Mmap from = side.words(7, words);
            Mmap to = side.words(0, words);
            long source = side.array(from, words * 8L, 0, 1).dpaHandle();
            BufArray target = side.array(to, words * 8L, 0, 1);
            side.dpa.rpc(MovesStub.copy(target.dpaHandle(), 0, source, 0, words * 8L));
            target.stop();
            to.stop();
            for (int i = 0; i < words; i++) {
                assertThat(to.segment().getAtIndex(ValueLayout.JAVA_LONG, i)).isEqualTo(7 + i);
            }
        }
    }

    /// Without a fence in the kernel, and with more copies at a time than there is room for.
    @ParameterizedTest
    @MethodSource("forms")
    @Requirement({"DPA-DM-4", "DPA-MEM-16c"})
    void copiesOfAThreadAreMadeInTheirOrder(Form form) throws InterruptedException {
        int threads = 3;
        int each = 20;
        int all = threads * each;
        try (MovesSide side = new MovesSide(form.mode(), form.app())) {
            DpaAddr block = side.zeros(2 * all);
            long heap = side.array(side.heap(block, all * 16L), 16, 0, all).dpaHandle();
            Mmap mmap = side.words(1 << 20, 8 * all);
            long host = side.array(mmap, 64, 0, all).dpaHandle();
            SyncEvent good = side.event();
            SyncEvent done = side.event();
            side.dpa.launchUpdateAdd(
                    null,
                    0,
                    done,
                    1,
                    threads,
                    MovesStub.roundTrips(heap, host, block, each, good.handle(side.dpa)));
            done.waitGt(0, -1, Spin.YIELD, LONG);
            assertThat(good.get()).isEqualTo(all);
            long[] words = side.words(mmap);
            long[] copies = side.words(block, 2 * all);
            for (int i = 0; i < all; i++) {
                assertThat(words[8 * i]).isEqualTo(3L * i);
                assertThat(words[8 * i + 1]).isEqualTo((1 << 20) + 8 * i + 1);
                assertThat(copies[2 * i + 1]).isEqualTo(3L * i);
            }
            assertThat(side.findings()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-MEM-16c")
    void aCopyTakesWhatWasStoredThroughTheWindow(RunMode mode) {
        try (MovesSide side = new MovesSide(mode)) {
            long from = side.array(side.words(0, 8), 64, 0, 1).dpaHandle();
            long to = side.array(side.words(1000, 8), 64, 0, 1).dpaHandle();
            long last = 1000;
            for (int value = 1; value < 20; value++) {
                assertThat(side.dpa.rpc(MovesStub.storeThenCopy(from, to, value)))
                        .isEqualTo(value - last);
                last = value;
            }
            assertThat(side.findings()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-MEM-16c")
    void whatWasCopiedIsLoadedAfterwards(RunMode mode) {
        try (MovesSide side = new MovesSide(mode)) {
            DpaAddr word = side.zeros(1);
            long heap = side.array(side.heap(word, 8), 8, 0, 1).dpaHandle();
            long to = side.array(side.words(1000, 8), 64, 0, 1).dpaHandle();
            long last = 1000;
            for (int value = 1; value < 20; value++) {
                assertThat(side.dpa.rpc(MovesStub.look(heap, word, to, value)))
                        .isEqualTo(value - last);
                last = value;
            }
            assertThat(side.findings()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("forms")
    @Requirement("DPA-DM-4")
    void aMatrixIsTransposed(Form form) {
        try (MovesSide side = new MovesSide(form.mode(), form.app())) {
            Mmap from = side.words(0, 15);
            Mmap to = side.words(0, 16);
            long source = side.array(from, 120, 0, 1).dpaHandle();
            long target = side.array(to, 128, 0, 1).dpaHandle();
            side.dpa.rpc(MovesStub.transpose(target, source, 8, 5, 3));
            long[] words = side.words(to);
            for (int column = 0; column < 5; column++) {
                for (int row = 0; row < 3; row++) {
                    assertThat(words[column * 3 + row]).isEqualTo(row * 5 + column);
                }
            }
            assertThat(words[15]).isEqualTo(15);
            side.faults(
                    () -> side.dpa.rpc(MovesStub.transpose(target, source, 8, 4, 4)),
                    83,
                    "element 0 of 120 bytes, offset 0: 128 bytes");
        }
        try (MovesSide side = new MovesSide(form.mode(), form.app())) {
            long array = side.array(side.words(0, 256), 2048, 0, 1).dpaHandle();
            side.faults(
                    () -> side.dpa.rpc(MovesStub.transpose(array, array, 8, 128, 1)),
                    85,
                    "syndrome 0x2");
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-DM-6")
    void bytesBeyondABufferAreNotCopied(RunMode mode) {
        // Offsets of target and source, the length, and the offset that is told.
        long[][] wrong = {
            {1, 0, 64, 1},
            {0, 1, 64, 1},
            {64, 0, 1, 64},
            {0, -8, 8, -8},
            {0, 0, -1, 0},
            {8, 4, Long.MAX_VALUE, 8},
        };
        for (long[] each : wrong) {
            try (MovesSide side = new MovesSide(mode)) {
                long target = side.array(side.words(0, 16), 64, 0, 1).dpaHandle();
                long source = side.array(side.words(100, 16), 64, 0, 1).dpaHandle();
                side.faults(
                        () ->
                                side.dpa.rpc(
                                        MovesStub.copy(target, each[0], source, each[1], each[2])),
                        83,
                        "element 0 of 64 bytes, offset %d: %d bytes".formatted(each[3], each[2]));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-DM-4")
    void aCopyToMemoryThatMustNotBeWrittenEndsTheContext(RunMode mode) {
        try (MovesSide side = new MovesSide(mode)) {
            long readOnly =
                    side.array(side.mmap(64, AccessFlag.LOCAL_READ_ONLY), 64, 0, 1).dpaHandle();
            long words = side.array(side.words(3, 8), 64, 0, 1).dpaHandle();
            side.dpa.rpc(MovesStub.copy(words, 0, readOnly, 0, 8));
            assertThat(side.dpa.rpc(MovesStub.wordOf(words, 0, 0))).isZero();
            side.faults(
                    () -> side.dpa.rpc(MovesStub.copy(readOnly, 0, words, 0, 8)),
                    85,
                    "syndrome 0x4");
        }
    }
}
