package dev.outboard.fabric.roce.rc;

import static dev.outboard.fabric.roce.rc.QueuePairBench.flushed;
import static dev.outboard.fabric.roce.rc.QueuePairBench.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Who may touch which memory (roce.md 3.11).
class MemoryKeyTest {
    private static final int REGION_BYTES = 1_000;
    private static final int OTHER_DOMAIN = QueuePairBench.DOMAIN + 1;

    private final QueuePairBench bench = new QueuePairBench().connect();

    /// In the middle of memory that must not change.
    private final MemorySegment around = Arena.ofAuto().allocate(3 * REGION_BYTES);

    private final RegisteredRegion region =
            register(QueuePairBench.DOMAIN, Access.LOCAL_WRITE, Access.REMOTE_WRITE);

    private RegisteredRegion register(int domain, Access... access) {
        return bench.regions.register(
                domain, around.asSlice(REGION_BYTES, REGION_BYTES), Set.of(access));
    }

    static Stream<Arguments> rangesOutside() {
        return Stream.of(
                Arguments.of(-1L, 1L),
                Arguments.of(-1L, REGION_BYTES + 1L),
                Arguments.of(0L, REGION_BYTES + 1L),
                Arguments.of(1L, (long) REGION_BYTES),
                Arguments.of((long) REGION_BYTES, 1L),
                Arguments.of(REGION_BYTES - 1L, 2L),
                Arguments.of(1L << 32, 1L),
                Arguments.of(Long.MAX_VALUE, 1L),
                Arguments.of(Long.MIN_VALUE, 1L),
                Arguments.of(Long.MAX_VALUE - 100, 200L),
                Arguments.of(-100L, 200L));
    }

    @ParameterizedTest
    @MethodSource("rangesOutside")
    @Requirement("ROCE-MR-1")
    void refusesARangeThatIsNotInside(long offset, long length) {
        assertRefused(region.address() + offset, region.remoteKey(), length);
    }

    /// The range wraps round the end of the address space into the region.
    @ParameterizedTest
    @ValueSource(longs = {-1, -2, -256, 0})
    @Requirement("ROCE-MR-1")
    void refusesAddressesAtTheEndOfTheAddressSpace(long address) {
        assertRefused(address, region.remoteKey(), 256);
        assertThat(region.covers(region.offsetOf(address), 256)).isFalse();
    }

    @Test
    @Requirement("ROCE-MR-1")
    void takesEveryRangeThatIsInside() {
        long[][] inside = {{0, REGION_BYTES}, {0, 1}, {REGION_BYTES - 1, 1}, {500, 500}};
        int index = 0;
        for (long[] range : inside) {
            for (TestPacket packet :
                    write(index, region.address() + range[0], region.remoteKey(), range[1])) {
                bench.deliver(packet);
                index++;
            }
            assertThat(bench.transmit()).allMatch(answer -> answer.syndrome == Aeth.ACK);
        }
        assertThat(
                        around.asSlice(0, REGION_BYTES)
                                .mismatch(MemorySegment.ofArray(new byte[REGION_BYTES])))
                .isEqualTo(-1);
        assertThat(
                        around.asSlice(2 * REGION_BYTES)
                                .mismatch(MemorySegment.ofArray(new byte[REGION_BYTES])))
                .isEqualTo(-1);
    }

    @Test
    @Requirement("ROCE-MR-1")
    void refusesAKeyThatNobodyGaveOut() {
        for (int bit = 0; bit < Integer.SIZE; bit++) {
            var fresh = new MemoryKeyTest();
            fresh.assertRefused(fresh.region.address(), fresh.region.remoteKey() ^ (1 << bit), 8);
        }
        assertRefused(region.address(), 0, 8);
    }

    @Test
    @Requirement("ROCE-MR-1")
    void refusesAKeyOfAnotherProtectionDomain() {
        RegisteredRegion foreign = register(OTHER_DOMAIN, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        assertRefused(foreign.address(), foreign.remoteKey(), 8);
    }

    @Test
    @Requirement("ROCE-MR-1")
    void refusesAKeyWithoutTheRight() {
        RegisteredRegion local = register(QueuePairBench.DOMAIN, Access.LOCAL_WRITE);
        assertRefused(local.address(), local.remoteKey(), 8);
    }

    @Test
    @Requirement("ROCE-MR-1")
    void refusesAKeyOnceItIsWithdrawn() {
        region.close();
        region.close();
        assertThat(
                        bench.regions.open(
                                region.remoteKey(),
                                QueuePairBench.DOMAIN,
                                QueuePairBench.QPN,
                                region.address(),
                                1,
                                Access.REMOTE_WRITE))
                .isNull();
        assertRefused(region.address(), region.remoteKey(), 8);
    }

    @Test
    @Requirement("ROCE-MR-1")
    void neverGivesOutKeyZeroOrAnIndexThatIsInUse() {
        var draws = List.of(0, 0x500, 0x500, 0x501, 0xFF, 0x602).iterator();
        RandomGenerator rigged = () -> (long) draws.next() << 32;
        var table = new RegionTable(10, rigged);
        MemorySegment memory = Arena.ofAuto().allocate(8);

        assertThat(table.register(1, memory, Set.of()).remoteKey()).isEqualTo(0x500);
        assertThat(table.register(1, memory, Set.of()).remoteKey()).isEqualTo(0x602);
    }

    @Test
    void refusesMemoryWhoseArenaIsClosed() {
        Arena arena = Arena.ofShared();
        RegisteredRegion early =
                bench.regions.register(
                        QueuePairBench.DOMAIN,
                        arena.allocate(64),
                        Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
        long address = early.address();
        arena.close();
        assertRefused(address, early.remoteKey(), 8);
    }

    @ParameterizedTest
    @EnumSource(
            value = Access.class,
            names = {"REMOTE_WRITE", "REMOTE_ATOMIC"})
    @Requirement("ROCE-MR-2")
    void whatAPeerMayChangeMustBeWritableHere(Access access) {
        assertThatThrownBy(() -> register(QueuePairBench.DOMAIN, access, Access.REMOTE_READ))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining(access + " needs LOCAL_WRITE");
        assertThat(register(QueuePairBench.DOMAIN, access, Access.LOCAL_WRITE).permits(access))
                .isTrue();
    }

    @Test
    void readOnlyMemoryMayBeReadByAPeerButNotWritten() {
        MemorySegment readOnly = around.asReadOnly();
        assertThatThrownBy(() -> bench.regions.register(7, readOnly, Set.of(Access.LOCAL_WRITE)))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("read-only");
        assertThat(
                        bench.regions
                                .register(7, readOnly, Set.of(Access.REMOTE_READ))
                                .permits(Access.REMOTE_READ))
                .isTrue();
    }

    static Stream<Arguments> localMistakes() {
        return Stream.of(
                Arguments.of("withdrawn", 0L, 8L),
                Arguments.of("foreign domain", 0L, 8L),
                Arguments.of("region", -1L, 8L),
                Arguments.of("region", (long) REGION_BYTES, 1L),
                Arguments.of("region", 0L, REGION_BYTES + 1L),
                Arguments.of("region", Long.MAX_VALUE, 8L),
                Arguments.of("region", Long.MIN_VALUE, 8L));
    }

    @ParameterizedTest
    @MethodSource("localMistakes")
    @Requirement("ROCE-MR-4")
    void aLocalMistakeFailsTheRequestAndSendsNothing(String what, long offset, long length) {
        RegisteredRegion source =
                switch (what) {
                    case "withdrawn" -> withdrawn();
                    case "foreign domain" -> register(OTHER_DOMAIN, Access.LOCAL_WRITE);
                    default -> region;
                };
        bench.post(bench.send(1, 0));
        bench.post(new SendRequest().id(2).payload(source, offset, length).signaled(false));
        bench.post(bench.send(3, 0));
        bench.postReceive(11, 0, 10);

        List<TestPacket> sent = bench.transmit();

        assertThat(sent).as("only the request before it").hasSize(1);
        assertThat(bench.sendCompletions()).isEmpty();
        bench.deliver(TestPacket.ack(bench.sendPsn(0)));
        assertThat(bench.transmit()).isEmpty();
        assertThat(bench.sendCompletions())
                .containsExactly(success(1), "2 LOCAL_PROTECTION_ERROR", flushed(3));
        assertThat(bench.receiveCompletions()).containsExactly(flushed(11));
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    }

    /// Inline data needs no right, but it cannot be copied from nowhere.
    @ParameterizedTest
    @MethodSource("localMistakes")
    @Requirement("ROCE-MR-4")
    void aLocalMistakeOfInlineDataFailsTheRequestToo(String what, long offset, long length) {
        if (what.equals("foreign domain")) {
            return;
        }
        RegisteredRegion source = what.equals("withdrawn") ? withdrawn() : region;
        long inlineLength = Math.min(length, 100);
        long outside = offset == 0 && length > REGION_BYTES ? REGION_BYTES - 99 : offset;
        bench.post(bench.send(1, 0));
        bench.post(new SendRequest().id(2).payload(source, outside, inlineLength).inline(true));
        bench.post(bench.send(3, 0));

        assertThat(bench.transmit()).as("only the request before it").hasSize(1);
        bench.deliver(TestPacket.ack(bench.sendPsn(0)));
        assertThat(bench.transmit()).isEmpty();

        assertThat(bench.sendCompletions())
                .containsExactly(success(1), "2 LOCAL_PROTECTION_ERROR", flushed(3));
    }

    @Test
    @Requirement("ROCE-MR-4")
    void aRegionWithdrawnInTheMiddleOfAMessageFailsIt() {
        var sender = new QueuePairBench().window(2).connect();
        sender.post(sender.send(1, 1_000));
        assertThat(sender.transmit()).hasSize(2);
        sender.region.close();

        sender.deliver(TestPacket.ack(sender.sendPsn(1)));

        assertThat(sender.transmit()).isEmpty();
        assertThat(sender.sendCompletions()).containsExactly("1 LOCAL_PROTECTION_ERROR");
    }

    /// Nor is anything of it sent again.
    @Test
    void aRegionWithdrawnBeforeARetransmissionFailsTheRequest() {
        bench.post(new SendRequest().id(1).payload(region, 0, 100));
        bench.transmit();
        region.close();

        while (bench.queuePair.state() == QueuePairState.READY_TO_SEND) {
            assertThat(bench.runTimer()).isEmpty();
        }

        assertThat(bench.sendCompletions()).containsExactly("1 LOCAL_PROTECTION_ERROR");
    }

    @Test
    void refusesARegionOfAnotherDevice() {
        var elsewhere = new RegionTable(1, new SplittableRandom(2));
        RegisteredRegion foreign =
                elsewhere.register(
                        QueuePairBench.DOMAIN,
                        Arena.ofAuto().allocate(8),
                        Set.of(Access.LOCAL_WRITE));

        assertThatThrownBy(() -> bench.queuePair.post(new SendRequest().payload(foreign, 0, 8)))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("another device");
        assertThatThrownBy(() -> bench.queuePair.post(new ReceiveRequest().buffer(foreign, 0, 8)))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("another device");
    }

    private RegisteredRegion withdrawn() {
        RegisteredRegion gone = register(QueuePairBench.DOMAIN, Access.LOCAL_WRITE);
        gone.close();
        return gone;
    }

    private void assertRefused(long address, int key, long length) {
        TestPacket first = write(0, address, key, length).getFirst();

        TestPacket answer = bench.answerTo(first);

        assertThat(answer.syndrome).isEqualTo(Aeth.NAK_REMOTE_ACCESS_ERROR);
        assertThat(answer.psn).isEqualTo(bench.receivePsn(0));
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);
        assertThat(around.mismatch(MemorySegment.ofArray(new byte[3 * REGION_BYTES])))
                .as("nothing is written")
                .isEqualTo(-1);
    }

    /// The packets of a WRITE of ones.
    private List<TestPacket> write(int index, long address, int key, long length) {
        byte[] payload = new byte[(int) Math.min(length, 256)];
        Arrays.fill(payload, (byte) 1);
        if (length <= 256) {
            return List.of(
                    TestPacket.of(Opcode.WRITE_ONLY, bench.receivePsn(index))
                            .ackRequest()
                            .target(address, key, length)
                            .payload(payload));
        }
        var packets = new ArrayList<TestPacket>();
        packets.add(
                TestPacket.of(Opcode.WRITE_FIRST, bench.receivePsn(index))
                        .target(address, key, length)
                        .payload(payload));
        long left = length - 256;
        for (int i = 1; left > 256; i++, left -= 256) {
            packets.add(
                    TestPacket.of(Opcode.WRITE_MIDDLE, bench.receivePsn(index + i))
                            .payload(payload));
        }
        packets.add(
                TestPacket.of(Opcode.WRITE_LAST, bench.receivePsn(index + packets.size()))
                        .ackRequest()
                        .payload(Arrays.copyOf(payload, (int) left)));
        return packets;
    }
}
