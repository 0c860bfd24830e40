package dev.outboard.ccip.fiu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.checker.CacheTransition;
import dev.outboard.ccip.platform.Access;
import dev.outboard.ccip.platform.PageSize;
import dev.outboard.ccip.platform.Translation;
import dev.outboard.ccip.wire.C0Response;
import dev.outboard.ccip.wire.C0Rx;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class UmsgsTest {
    private final MemorySegment umas = Arena.ofAuto().allocate(4096, 4096);
    private final List<Message> received = new ArrayList<>();
    private Umsgs umsgs = agent(1, false);
    private long cycle;

    @Test
    @Requirement({"CCIP-UMSG-3", "CCIP-UMSG-4"})
    void aStoreToALineSendsItsBytesAsAUmsg() {
        for (int id = 0; id < Umsgs.COUNT; id++) {
            for (int i = 0; i < Line.LONGS; i++) {
                umas.set(ValueLayout.JAVA_LONG, id * 64L + i * 8L, 100L * id + i + 1);
            }
            run(200);
            assertThat(received).hasSize(id + 1);
            Message message = received.getLast();
            assertThat(message.hint).isFalse();
            assertThat(message.id).isEqualTo(id);
            for (int i = 0; i < Line.LONGS; i++) {
                assertThat(message.data[i]).isEqualTo(100L * id + i + 1);
            }
        }
    }

    @Test
    @Requirement("CCIP-UMSG-6")
    void watchesEightLinesAndNoOther() {
        umas.set(ValueLayout.JAVA_LONG, 8 * 64, 1);
        run(200);
        assertThat(received).isEmpty();
        for (int id = 0; id < Umsgs.COUNT; id++) {
            umas.set(ValueLayout.JAVA_BYTE, id * 64L + 63, (byte) 1);
        }
        run(200);
        assertThat(received.stream().map(message -> message.id))
                .containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
    }

    @Test
    @Requirement({"CCIP-UMSG-5", "CCIP-UMSG-14"})
    void aHintComesAtTheSnoopAndTheDataLater() {
        umsgs.hints(1 << 5);
        Set<Long> toHint = new HashSet<>();
        Set<Long> toData = new HashSet<>();
        Set<Long> garbage = new HashSet<>();
        for (int i = 1; i <= 100; i++) {
            received.clear();
            umas.set(ValueLayout.JAVA_LONG, 5 * 64, i);
            long written = cycle + 1;
            run(100);
            assertThat(received).hasSize(2);
            assertThat(received.get(0).hint).isTrue();
            assertThat(received.get(0).id).isEqualTo(5);
            assertThat(received.get(1).hint).isFalse();
            assertThat(received.get(1).data[0]).isEqualTo(i);
            toHint.add(received.get(0).cycle - written);
            toData.add(received.get(1).cycle - received.get(0).cycle);
            garbage.add(received.get(0).data[0]);
        }
        assertThat(toHint).containsExactlyInAnyOrder(39L, 40L, 41L);
        assertThat(toData).containsExactlyInAnyOrder(41L, 42L, 43L, 44L, 45L);
        assertThat(garbage).hasSize(100);
    }

    @Test
    @Requirement("CCIP-UMSG-8")
    void mayMissValuesButSendsTheLast() {
        umsgs = agent(3, true);
        for (int i = 1; i <= 1000; i++) {
            umas.set(ValueLayout.JAVA_LONG, 2 * 64, i);
            run(1);
        }
        run(300);
        assertThat(received.size()).isBetween(2, 999);
        assertThat(received.getLast().data[0]).isEqualTo(1000);
        for (int i = 1; i < received.size(); i++) {
            assertThat(received.get(i).data[0]).isGreaterThan(received.get(i - 1).data[0]);
        }
    }

    @Test
    @Requirement("CCIP-UMSG-7")
    void umsgsOfDifferentLinesOvertakeEachOther() {
        Set<Integer> firsts = new HashSet<>();
        for (int seed = 0; seed < 50; seed++) {
            umsgs = agent(seed, true);
            received.clear();
            umas.set(ValueLayout.JAVA_LONG, 0, seed + 1000);
            run(1);
            umas.set(ValueLayout.JAVA_LONG, 64, seed + 1000);
            run(200);
            firsts.add(received.getFirst().id);
        }
        assertThat(firsts).containsExactlyInAnyOrder(0, 1);
    }

    @Test
    @Requirement("CCIP-UMSG-9")
    void aHintMayBeFalse() {
        umsgs.falseHint(3);
        run(300);
        assertThat(received).hasSize(1);
        assertThat(received.getFirst().hint).isTrue();
        assertThat(received.getFirst().id).isEqualTo(3);

        umsgs = agent(5, true);
        umsgs.hints(0xFF);
        received.clear();
        for (int i = 1; i < 50; i++) {
            umas.set(ValueLayout.JAVA_LONG, 0, 77L * i);
            run(200);
        }
        assertThat(received).anyMatch(message -> message.hint && message.id != 0);
        assertThat(received).allMatch(message -> message.hint || message.id == 0);
    }

    @Test
    void aStoreOfTheSameValueIsSentWhenTheHostSaysSo() {
        umsgs.written(4);
        run(200);
        assertThat(received).hasSize(1);
        assertThat(received.getFirst().id).isEqualTo(4);
    }

    @Test
    void aResetForgetsWhatWasNotSent() {
        umas.set(ValueLayout.JAVA_LONG, 0, 1);
        run(10);
        umsgs.reset();
        run(300);
        assertThat(received).isEmpty();
        umas.set(ValueLayout.JAVA_LONG, 0, 2);
        run(300);
        assertThat(received).hasSize(1);
    }

    @Test
    @Requirement("CCIP-UMSG-2")
    void theLinesAreInTheCacheAsSharedButBetweenStoreAndUmsg() {
        FpgaCache cache = new FpgaCache();
        HostMemory memory = new HostMemory(1, Translation.IOMMU);
        long line = memory.map(List.of(umas), PageSize.KIB_4, Access.READ_WRITE) / Line.BYTES;
        umsgs = new Umsgs(1, false);
        umsgs.readThrough(cache);
        umsgs.setUp(Objects.requireNonNull(memory.find(line)), line);
        for (int id = 0; id < Umsgs.COUNT; id++) {
            assertThat(cache.state(line + id)).isEqualTo(CacheTransition.State.S);
        }
        umas.set(ValueLayout.JAVA_LONG, 3 * 64, 1);
        run(1);
        assertThat(cache.state(line + 3)).isEqualTo(CacheTransition.State.I);
        run(200);
        assertThat(received).hasSize(1);
        assertThat(cache.state(line + 3)).isEqualTo(CacheTransition.State.S);
    }

    @Test
    @Requirement("CCIP-UMSG-10")
    void theLinesEvictOthersFromTheCache() {
        FpgaCache cache = new FpgaCache();
        HostMemory memory = new HostMemory(1, Translation.IOMMU);
        long line = memory.map(List.of(umas), PageSize.KIB_4, Access.READ_WRITE) / Line.BYTES;
        long other = line + FpgaCache.LINES;
        PendingRequest read = new PendingRequest();
        int type = ReadType.RDLINE_S.code();
        read.begin(PendingRequest.READ, type, VirtualChannel.VL0.code(), 0, 0, 1, 1);
        read.address = other;
        cache.lookup(read, 0);
        assertThat(cache.state(other)).isEqualTo(CacheTransition.State.S);
        umsgs = new Umsgs(1, false);
        umsgs.readThrough(cache);
        umsgs.setUp(Objects.requireNonNull(memory.find(line)), line);
        assertThat(cache.state(other)).isEqualTo(CacheTransition.State.I);
    }

    private Umsgs agent(long seed, boolean shuffles) {
        HostMemory memory = new HostMemory(1, Translation.IOMMU);
        long line = memory.map(List.of(umas), PageSize.KIB_4, Access.READ_WRITE) / Line.BYTES;
        Umsgs agent = new Umsgs(seed, shuffles);
        agent.setUp(Objects.requireNonNull(memory.find(line)), line);
        return agent;
    }

    private void run(int cycles) {
        for (int i = 0; i < cycles; i++) {
            umsgs.clock(++cycle);
            if (umsgs.pending()) {
                C0Rx c0 = new C0Rx();
                umsgs.drive(c0);
                assertThat(c0.rspValid).isTrue();
                assertThat(c0.responseType()).isEqualTo(C0Response.UMSG.code());
                received.add(new Message(cycle, c0.isHint(), c0.umsgId(), c0.data));
            }
        }
    }

    private record Message(long cycle, boolean hint, int id, long[] data) {}
}
