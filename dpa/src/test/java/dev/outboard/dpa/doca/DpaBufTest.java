package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.BufArray;
import dev.outboard.doca.BufInventory;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Memory of the host that kernels reach by arrays of buffers, and by external pointers.
class DpaBufTest {
    static List<RunMode> modes() {
        return CheckedDevices.modes();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-DM-3", "DPA-HW-15b", "DCORE-ARR-3"})
    void kernelsFindTheElementsOfAnArray(RunMode mode) {
        try (MovesSide side = new MovesSide(mode)) {
            Mmap mmap = side.words(10, 64);
            BufArray array = side.array(mmap, 24, 64, 7);
            DpaAddr told = side.zeros(2);
            long start = mmap.addressFor(side.dpa) + 64;
            for (int i = 0; i < 7; i++) {
                side.dpa.rpc(MovesStub.describe(array.dpaHandle(), i, told));
                assertThat(side.words(told, 2)).containsExactly(start + 24L * i, 24);
            }
            // Words 8 to 28, of which those of elements 2 to 4 are counted and grow.
            long sum = side.dpa.rpc(MovesStub.grow(array.dpaHandle(), 2, 5, 3));
            assertThat(sum).isEqualTo(LongStream.range(10 + 14, 10 + 23).sum());
            long[] after = side.words(mmap);
            for (int i = 0; i < after.length; i++) {
                assertThat(after[i]).isEqualTo(10 + i + (i >= 14 && i < 23 ? 1 : 0));
            }
            assertThat(side.dpa.rpc(MovesStub.wordOf(array.dpaHandle(), 1, 16))).isEqualTo(10 + 13);
            assertThat(side.findings()).isEmpty();
        }
    }

    /// What the DPA has stored is in the memory of the process when the mmap has stopped.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-HW-15b")
    void theProcessHasItsMemoryAgainWhenTheMmapStops(RunMode mode) {
        try (MovesSide side = new MovesSide(mode);
                Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(4096, 64);
            try (Mmap mmap =
                    Mmap.builder()
                            .memrange(memory)
                            .permissions(AccessFlag.LOCAL_READ_WRITE)
                            .build()
                            .start()) {
                int key = mmap.handle(side.dpa);
                long address = mmap.addressFor(side.dpa);
                assertThat(side.dpa.rpc(MovesStub.swap(key, address + 8, 7))).isZero();
                mmap.stop();
                assertThat(memory.getAtIndex(ValueLayout.JAVA_LONG, 1)).isEqualTo(7);
                memory.setAtIndex(ValueLayout.JAVA_LONG, 1, 9);
                mmap.start();
                int next = mmap.handle(side.dpa);
                assertThat(next).isNotEqualTo(key);
                long again = mmap.addressFor(side.dpa);
                assertThat(side.dpa.rpc(MovesStub.swap(next, again + 8, 11))).isEqualTo(9);
            }
            memory.setAtIndex(ValueLayout.JAVA_LONG, 1, 13);
            assertThat(side.dpa.rpc(MovesStub.nothing(3))).isEqualTo(3);
            side.dpa.stop();
            assertThat(memory.getAtIndex(ValueLayout.JAVA_LONG, 1)).isEqualTo(13);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-DM-5", "DPA-MEM-16c"})
    void anExternalPointerGoesThroughTheWindow(RunMode mode) {
        try (MovesSide side = new MovesSide(mode)) {
            Mmap one = side.words(100, 8);
            Mmap other = side.words(1000, 8);
            long sum =
                    side.dpa.rpc(
                            MovesStub.alternate(
                                    one.handle(side.dpa),
                                    one.addressFor(side.dpa),
                                    other.handle(side.dpa),
                                    other.addressFor(side.dpa)));
            assertThat(sum).isEqualTo(3300);
            // A look at an event goes through the window, too; the pointer holds after that.
            SyncEvent event = side.event();
            event.updateSet(17);
            long seen =
                    side.dpa.rpc(
                            MovesStub.around(
                                    one.handle(side.dpa),
                                    one.addressFor(side.dpa) + 8,
                                    event.handle(side.dpa)));
            assertThat(seen).isEqualTo(101 + 17);
            assertThat(side.words(one)[1]).isEqualTo(101 + 17);
            assertThat(side.findings()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-DM-5")
    void aPointerDiesWithItsKey(RunMode mode) throws InterruptedException {
        try (MovesSide side = new MovesSide(mode)) {
            Mmap mmap = side.words(0, 8);
            SyncEvent event = side.event();
            side.dpa.launchUpdateAdd(
                    null,
                    0,
                    null,
                    0,
                    1,
                    MovesStub.pollThenStore(
                            mmap.handle(side.dpa),
                            mmap.addressFor(side.dpa),
                            event.handle(side.dpa)));
            assertThat(side.dpa.rpc(MovesStub.nothing(1))).isEqualTo(1);
            mmap.stop();
            event.updateSet(1);
            side.awaitFault(event);
            side.faults(() -> side.dpa.rpc(MovesStub.nothing(1)), 7);
            assertThat(mmap.segment().getAtIndex(ValueLayout.JAVA_LONG, 0)).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-DM-5")
    void aPointerReachesWhatTheKeyPermits(RunMode mode) {
        try (MovesSide side = new MovesSide(mode)) {
            Mmap readOnly = side.mmap(64, AccessFlag.LOCAL_READ_ONLY);
            BufArray array = side.array(readOnly, 8, 0, 8);
            assertThat(side.dpa.rpc(MovesStub.wordOf(array.dpaHandle(), 3, 0))).isZero();
            side.faults(() -> side.dpa.rpc(MovesStub.grow(array.dpaHandle(), 0, 1, 1)), 7);
        }
        try (MovesSide side = new MovesSide(mode)) {
            side.faults(() -> side.dpa.rpc(MovesStub.swap(0x7700, 0x10000, 1)), 7, "key 0x7700");
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-DM-6")
    void anElementThatIsNotThereEndsTheContext(RunMode mode) {
        for (long index : new long[] {8, -1, 1L << 32}) {
            try (MovesSide side = new MovesSide(mode)) {
                BufArray array = side.array(side.words(0, 8), 8, 0, 8);
                long handle = array.dpaHandle();
                assertThat(side.dpa.rpc(MovesStub.wordOf(handle, 7, 0))).isEqualTo(7);
                side.faults(
                        () -> side.dpa.rpc(MovesStub.wordOf(handle, index, 0)),
                        82,
                        "array 0x%x of 8 elements, index %d".formatted(handle, index));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-DM-6")
    void bytesBeyondABufferEndTheContext(RunMode mode) {
        for (long offset : new long[] {16, -8, Long.MAX_VALUE}) {
            try (MovesSide side = new MovesSide(mode)) {
                BufArray array = side.array(side.words(0, 8), 16, 0, 4);
                long handle = array.dpaHandle();
                assertThat(side.dpa.rpc(MovesStub.wordOf(handle, 1, 8))).isEqualTo(3);
                side.faults(
                        () -> side.dpa.rpc(MovesStub.wordOf(handle, 1, offset)),
                        83,
                        "array 0x%x, element 1 of 16 bytes, offset %d".formatted(handle, offset));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-DM-3")
    void pointersAreToMemoryThatBeginsAtALine(RunMode mode) {
        try (MovesSide side = new MovesSide(mode);
                Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(256, 64).asSlice(8);
            memory.setAtIndex(ValueLayout.JAVA_LONG, 0, 4);
            try (Mmap mmap =
                            Mmap.builder()
                                    .memrange(memory)
                                    .permissions(AccessFlag.LOCAL_READ_WRITE)
                                    .build()
                                    .start();
                    BufArray array =
                            BufArray.create(1).params(mmap, 64, 0).targetDpa(side.dpa).start()) {
                BufArray target = side.array(side.words(0, 8), 64, 0, 1);
                // The NIC copies it all the same.
                side.dpa.rpc(MovesStub.copy(target.dpaHandle(), 8, array.dpaHandle(), 0, 8));
                assertThat(side.dpa.rpc(MovesStub.wordOf(target.dpaHandle(), 0, 8))).isEqualTo(4);
                side.faults(() -> side.dpa.rpc(MovesStub.wordOf(array.dpaHandle(), 0, 0)), 84);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-DM-1")
    void buffersAreCopiedToAndFromTheHeap(RunMode mode) {
        try (MovesSide side = new MovesSide(mode);
                BufInventory inventory = BufInventory.create(4).start()) {
            Mmap mmap = side.words(50, 16);
            DpaAddr block = side.zeros(4);
            Buf from = inventory.byData(mmap, 24, 17);
            side.dpa.copyToDpa(block, from);
            long low = 53 + 2;
            assertThat(side.words(block, 4)).containsExactly(53, 54, low & 0xFF, 0);
            Buf to = inventory.byArgs(mmap, 0, 64, 3, 2);
            side.dpa.copyFromDpa(to, block, 9);
            assertThat(to.dataLen()).isEqualTo(11);
            long[] words = side.words(mmap);
            assertThat(words[0]).isEqualTo(50 | (53L << 40));
            assertThat(words[1]).isEqualTo(54L << 40);
            assertThat(words[2]).isEqualTo(52);
            MovesSide.refused(
                    DocaError.INVALID_VALUE,
                    () -> side.dpa.copyFromDpa(inventory.byArgs(mmap, 0, 8, 0, 1), block, 8),
                    "which has 7");
            MovesSide.refused(
                    DocaError.INVALID_VALUE,
                    () -> side.dpa.copyToDpa(block.plus(24), from),
                    "do not lie in one live block");
            to.chain(from);
            MovesSide.refused(
                    DocaError.INVALID_VALUE, () -> side.dpa.copyToDpa(block, to), "in a list");
            Mmap readOnly = side.mmap(64, AccessFlag.LOCAL_READ_ONLY);
            MovesSide.refused(
                    DocaError.NOT_PERMITTED,
                    () -> side.dpa.copyFromDpa(inventory.byAddress(readOnly, 0, 8), block, 8),
                    "LOCAL_READ_WRITE");
        }
    }

    /// A context that was stopped and started again is another one.
    @ParameterizedTest
    @MethodSource("modes")
    void whatIsLeftGoesWithTheContext(RunMode mode) {
        try (MovesSide side = new MovesSide(mode)) {
            Mmap mmap = side.words(5, 8);
            int key = mmap.handle(side.dpa);
            BufArray array = side.array(mmap, 8, 0, 8);
            side.dpa.stop();
            MovesSide.refused(DocaError.BAD_STATE, () -> mmap.handle(side.dpa), "not started");
            side.dpa.start();
            assertThat(mmap.handle(side.dpa)).isNotEqualTo(key);
            array.stop();
            array.start();
            assertThat(side.dpa.rpc(MovesStub.wordOf(array.dpaHandle(), 2, 0))).isEqualTo(7);
        }
    }
}
