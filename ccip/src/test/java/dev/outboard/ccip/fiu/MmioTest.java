package dev.outboard.ccip.fiu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.checker.Checker;
import dev.outboard.ccip.checker.ErrorPolicy;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.C0Rx;
import dev.outboard.ccip.wire.C2Tx;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.MmioLength;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MmioTest {
    private final Checker checker = new Checker(Profile.PAC_A10, ErrorPolicy.LOG);
    private Mmio mmio = new Mmio(Profile.PAC_A10, 1, true, checker);
    private long cycle;

    /// What the AFU was given, one per cycle.
    private final List<C0Rx> received = new ArrayList<>();

    @Test
    @Requirement({"CCIP-MMIO-20", "CCIP-MMIO-24"})
    void uncacheableAccessesArriveInTheOrderOfTheCalls() {
        List<String> called = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            int address = 64 * ((i * 37) % 60);
            called.add((i % 3 == 0 ? "read " : "write ") + address);
            if (i % 3 == 0) {
                mmio.read(address, MmioLength.BYTES_8);
            } else {
                mmio.write(address, MmioLength.values()[i % 3], new long[Line.LONGS]);
            }
        }
        run(60);
        assertThat(received.stream().map(MmioTest::kindAndAddress))
                .containsExactlyElementsOf(called);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement("CCIP-MMIO-29")
    void requestsKeepTheirDistanceUnlessOrderIsLeftToChance(boolean shuffles) {
        mmio = new Mmio(Profile.PAC_A10, 1, shuffles, checker);
        run(1);
        for (int i = 0; i < 6; i++) {
            mmio.write(8 * i, MmioLength.BYTES_8, i);
            mmio.read(8 * i, MmioLength.BYTES_8);
        }
        List<Long> cycles = new ArrayList<>();
        while (cycles.size() < 12) {
            long next = mmio.nextCycle();
            run(1);
            if (received.size() > cycles.size()) {
                assertThat(next).isEqualTo(cycle);
                cycles.add(cycle);
            } else {
                assertThat(next).isGreaterThan(cycle);
            }
        }
        for (int i = 1; i < 12; i++) {
            assertThat(cycles.get(i) - cycles.get(i - 1) - 1).isEqualTo(shuffles ? 0 : 15);
        }
    }

    @Test
    @Requirement({"CCIP-MMIO-5", "CCIP-MMIO-6", "CCIP-MMIO-4"})
    void writeDataIsInTheLowLanesAndGarbageInTheOthers() {
        Set<Long> others = new HashSet<>();
        Set<Integer> tids = new HashSet<>();
        for (int i = 0; i < 50; i++) {
            mmio.write(4, MmioLength.BYTES_4, 0x1_2345_6789L);
            mmio.write(8, MmioLength.BYTES_8, 0xABCD_EF01_2345_6789L);
            mmio.write(64, MmioLength.BYTES_64, 1, 2, 3, 4, 5, 6, 7, 8);
            run(3);
            C0Rx four = received.get(i * 3);
            C0Rx eight = received.get(i * 3 + 1);
            assertThat(four.mmioLength()).isEqualTo(MmioLength.BYTES_4.code());
            assertThat(four.data[0] & 0xFFFF_FFFFL).isEqualTo(0x2345_6789L);
            assertThat(eight.mmioLength()).isEqualTo(MmioLength.BYTES_8.code());
            assertThat(eight.data[0]).isEqualTo(0xABCD_EF01_2345_6789L);
            assertThat(received.get(i * 3 + 2).data).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
            others.addAll(List.of(four.data[0] >>> 32, four.data[7], eight.data[1], eight.data[7]));
            tids.add(four.tid());
        }
        assertThat(others).hasSizeGreaterThan(190);
        assertThat(tids).hasSizeGreaterThan(30);
    }

    @Test
    @Requirement("CCIP-MMIO-11")
    void holdsThe65thReadBackAndAllBehindIt() {
        for (int i = 0; i < 65; i++) {
            mmio.read(8 * i, MmioLength.BYTES_8);
        }
        mmio.write(0, MmioLength.BYTES_8, 0);
        run(100);
        assertThat(received).hasSize(Profile.MMIO_READS);
        respond(received.get(17).tid(), 1);
        run(100);
        assertThat(received).hasSize(66);
        assertThat(received.get(64).mmioRdValid).isTrue();
        assertThat(received.get(65).mmioWrValid).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement("CCIP-MMIO-12")
    void tidsCoverNineBitsAndAreNotReusedWhileOutstanding(boolean shuffles) {
        mmio = new Mmio(Profile.PAC_A10, 3, shuffles, checker);
        Set<Integer> used = new HashSet<>();
        List<Integer> open = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            mmio.read(0, MmioLength.BYTES_8);
            run(shuffles ? 1 : 1 + Mmio.CLOCKS_BETWEEN);
            int tid = received.getLast().tid();
            assertThat(open).doesNotContain(tid);
            used.add(tid);
            open.add(tid);
            if (open.size() == Profile.MMIO_READS) {
                respond(open.removeFirst(), 0);
            }
        }
        assertThat(used).hasSize(512);
    }

    @Test
    @Requirement({"CCIP-MMIO-21", "CCIP-MMIO-9"})
    void matchesResponsesByTidInAnyOrder() {
        List<MmioRequest> reads = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            reads.add(mmio.read(8 * i, i % 2 == 0 ? MmioLength.BYTES_8 : MmioLength.BYTES_4));
        }
        run(20);
        for (int i = 19; i >= 0; i--) {
            assertThat(reads.get(i).isDone()).isFalse();
            respond(received.get(i).tid(), 0xFFFF_0000_0000L + i);
            assertThat(reads.get(i).state()).isEqualTo(MmioRequest.State.DONE);
            assertThat(reads.get(i).value()).isEqualTo(i % 2 == 0 ? 0xFFFF_0000_0000L + i : i);
        }
        assertThat(mmio.isIdle()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {Profile.MMIO_TIMEOUT, Profile.STRICT_MMIO_TIMEOUT})
    @Requirement({"CCIP-MMIO-14", "CCIP-MMIO-15"})
    void aReadThatIsNotAnsweredInTimeReturnsAllOnes(int timeout) {
        mmio = new Mmio(Profile.PAC_A10.withMmioTimeout(timeout), 1, true, checker);
        MmioRequest late = mmio.read(0x18, MmioLength.BYTES_8);
        run(1);
        MmioRequest four = mmio.read(0x18, MmioLength.BYTES_4);
        run(timeout);
        assertThat(late.isDone()).isFalse();
        run(2);
        assertThat(late.state()).isEqualTo(MmioRequest.State.TIMED_OUT);
        assertThat(late.value()).isEqualTo(-1);
        run(10);
        assertThat(four.value()).isEqualTo(0xFFFF_FFFFL);
        respond(received.get(0).tid(), 5);
        assertThat(late.value()).isEqualTo(-1);
        assertThat(mmio.outstanding()).isZero();
    }

    @Test
    @Requirement({"CCIP-MMIO-25", "CCIP-MMIO-27"})
    void combinedWritesAreDelayedReorderedAndJoinedUntilAFence() {
        int reordered = 0;
        int joined = 0;
        int delayed = 0;
        for (int seed = 0; seed < 50; seed++) {
            mmio = new Mmio(Profile.PAC_A10, seed, true, checker);
            received.clear();
            mmio.writeCombining(0x100, MmioLength.BYTES_4, 1);
            mmio.writeCombining(0x200, MmioLength.BYTES_8, 2);
            mmio.writeCombining(0x104, MmioLength.BYTES_4, 3);
            run(5);
            delayed += received.isEmpty() ? 1 : 0;
            mmio.storeFence();
            run(5);
            mmio.write(0x300, MmioLength.BYTES_8, 4);
            run(5);
            assertThat(kindAndAddress(received.getLast())).isEqualTo("write 768");
            assertThat(contents(0x400)).containsEntry(0x100, 1).containsEntry(0x104, 3);
            reordered += received.getFirst().mmioAddress() == 0x200 / 4 ? 1 : 0;
            joined += received.size() == 3 ? 1 : 0;
        }
        assertThat(reordered).isPositive();
        assertThat(joined).isPositive();
        assertThat(delayed).isPositive();
    }

    @Test
    @Requirement("CCIP-MMIO-27")
    void anUncacheableAccessDrainsCombinedWritesFirst() {
        for (int seed = 0; seed < 20; seed++) {
            mmio = new Mmio(Profile.PAC_A10, seed, true, checker);
            received.clear();
            mmio.writeCombining(0x100, MmioLength.BYTES_8, 1);
            mmio.writeCombining(0x200, MmioLength.BYTES_8, 2);
            mmio.read(0x300, MmioLength.BYTES_8);
            run(5);
            assertThat(received).hasSize(3);
            assertThat(received.get(2).mmioRdValid).isTrue();
        }
    }

    @Test
    @Requirement({"CCIP-MMIO-25", "CCIP-MMIO-27"})
    void combinedWritesLeaveByThemselvesAfterAWhile() {
        mmio.writeCombining(0x100, MmioLength.BYTES_4, 7);
        run(250);
        assertThat(received).hasSize(1);
        assertThat(mmio.isIdle()).isTrue();
    }

    @Test
    @Requirement("CCIP-MMIO-25")
    void aCombinedReadSeesTheWriteBeforeItAndPassesOthers() {
        mmio.writeCombining(0x100, MmioLength.BYTES_8, 1);
        mmio.writeCombining(0x200, MmioLength.BYTES_8, 2);
        mmio.readCombining(0x200, MmioLength.BYTES_8);
        run(2);
        assertThat(received.stream().map(MmioTest::kindAndAddress))
                .startsWith("write 512", "read 512");
        mmio.storeFence();
        run(5);
        assertThat(kindAndAddress(received.get(2))).isEqualTo("write 256");
    }

    @Test
    @Requirement({"CCIP-MMIO-23", "CCIP-MMIO-28"})
    void aFullLineOfCombinedWritesBecomesOneWriteOf64Bytes() {
        for (int i = 0; i < 16; i++) {
            mmio.writeCombining(0x140 + 4 * ((i * 7) % 16), MmioLength.BYTES_4, (i * 7) % 16);
        }
        mmio.writeCombining(0x180, MmioLength.BYTES_64, 1, 2, 3, 4, 5, 6, 7, 8);
        mmio.storeFence();
        run(20);
        assertThat(received).hasSize(2).allMatch(c0 -> c0.mmioLength() == 2);
        for (C0Rx c0 : received) {
            for (int i = 0; i < Line.LONGS; i++) {
                boolean first = c0.mmioAddress() == 0x140 / 4;
                assertThat(c0.data[i]).isEqualTo(first ? ((2L * i + 1) << 32) + 2L * i : i + 1);
            }
        }
    }

    @Test
    @Requirement("CCIP-MMIO-23")
    void readsMoreThanAskedForInSpuriousMode() {
        mmio.spuriousReads(true);
        List<MmioRequest> asked = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            asked.add(mmio.read(0x1000, MmioLength.BYTES_8));
        }
        run(100);
        assertThat(received.size()).isBetween(25, 60);
        assertThat(received).allMatch(c0 -> c0.mmioAddress() >> 4 == 0x1000 / 64);
        for (C0Rx c0 : received) {
            respond(c0.tid(), c0.mmioAddress());
        }
        assertThat(asked).allMatch(read -> read.value() == 0x1000 / 4);
        assertThat(mmio.isIdle()).isTrue();
    }

    @Test
    @Requirement("CCIP-RST-8")
    void readsCaughtByAResetReturnAllOnesAndLaterOnesWaitForItsEnd() {
        MmioRequest sent = mmio.read(0x8, MmioLength.BYTES_8);
        run(1);
        MmioRequest queued = mmio.read(0x10, MmioLength.BYTES_8);
        mmio.write(0x20, MmioLength.BYTES_8, 1);
        mmio.writeCombining(0x80, MmioLength.BYTES_8, 1);
        mmio.reset();
        assertThat(sent.state()).isEqualTo(MmioRequest.State.RESET);
        assertThat(queued.state()).isEqualTo(MmioRequest.State.RESET);
        assertThat(List.of(sent.value(), queued.value())).containsOnly(-1L);
        assertThat(checker.count(Violation.HOST_MMIO_DURING_RESET)).isEqualTo(2);
        assertThat(mmio.pending()).isFalse();
        MmioRequest after = mmio.read(0x8, MmioLength.BYTES_8);
        mmio.clock(++cycle, true);
        assertThat(mmio.pending()).isFalse();
        mmio.clock(++cycle, false);
        assertThat(mmio.pending()).isTrue();
        assertThat(after.isDone()).isFalse();
    }

    @Test
    void theNextCycleIsTheOneInWhichSomethingHappens() {
        run(1);
        assertThat(mmio.nextCycle()).isEqualTo(Long.MAX_VALUE);
        MmioRequest read = mmio.read(0, MmioLength.BYTES_8);
        assertThat(mmio.nextCycle()).isEqualTo(cycle + 1);
        run(1);
        long next = mmio.nextCycle();
        mmio.clock(next - 1, false);
        assertThat(read.isDone()).isFalse();
        mmio.clock(next, false);
        assertThat(read.isDone()).isTrue();
    }

    /// So many cycles, in which the AFU is given whatever is pending.
    private void run(int cycles) {
        for (int i = 0; i < cycles; i++) {
            mmio.clock(++cycle, false);
            if (mmio.pending()) {
                C0Rx c0 = new C0Rx();
                mmio.drive(c0);
                received.add(c0);
            }
        }
    }

    private void respond(int tid, long data) {
        C2Tx c2 = new C2Tx();
        c2.respond(tid, data);
        mmio.response(c2);
    }

    /// What the registers below `end` hold, as an AFU with 4-byte registers stores it.
    private Map<Integer, Integer> contents(int end) {
        Map<Integer, Integer> registers = new HashMap<>();
        for (C0Rx c0 : received) {
            for (int i = 0; i < MmioLength.of(c0.mmioLength()).bytes() / 4; i++) {
                int address = c0.mmioAddress() * 4 + i * 4;
                if (c0.mmioWrValid && address < end) {
                    registers.put(address, (int) (c0.data[i / 2] >>> (i % 2 * 32)));
                }
            }
        }
        return registers;
    }

    private static String kindAndAddress(C0Rx c0) {
        return (c0.mmioRdValid ? "read " : "write ") + c0.mmioAddress() * 4;
    }
}
