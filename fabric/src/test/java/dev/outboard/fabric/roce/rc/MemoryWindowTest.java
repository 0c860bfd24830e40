package dev.outboard.fabric.roce.rc;

import static dev.outboard.fabric.roce.rc.QueuePairBench.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.MemoryWindow;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Memory windows (roce.md 3.11), packet by packet.
class MemoryWindowTest {
    private static final int OFFSET = 1_000;
    private static final int LENGTH = 500;
    private static final String BIND_ERROR = " MEMORY_WINDOW_BIND_ERROR";

    private final QueuePairBench bench = new QueuePairBench().connect();
    private int arrived;

    private MemoryWindow window(MemoryWindow.Type type) {
        return bench.regions.allocateWindow(QueuePairBench.DOMAIN, type);
    }

    private SendRequest bind(long id, MemoryWindow window, Access... access) {
        return new SendRequest().id(id).bind(window, bench.region, OFFSET, LENGTH, access);
    }

    /// A window bound to a part of the memory, with the right to write.
    private MemoryWindow bound(MemoryWindow.Type type) {
        MemoryWindow window = window(type);
        execute(bind(100, window, Access.REMOTE_WRITE));
        return window;
    }

    /// Carries out a request that sends nothing.
    private void execute(SendRequest request) {
        bench.post(request);
        assertThat(bench.transmit()).isEmpty();
        assertThat(bench.sendCompletions()).containsExactly(success(request.id()));
    }

    /// What the peer is told when it writes with `key`, `offset` bytes from where the window
    /// starts.
    private int syndromeOfWrite(QueuePairBench to, int index, int key, long offset, int length) {
        TestPacket write =
                TestPacket.of(Opcode.WRITE_ONLY, to.receivePsn(index))
                        .target(bench.region.address() + OFFSET + offset, key, length)
                        .payload(new byte[length])
                        .ackRequest();
        return to.answerTo(write).syndrome;
    }

    private void assertOpen(MemoryWindow window) {
        assertThat(syndromeOfWrite(bench, arrived++, window.remoteKey(), 0, 8)).isEqualTo(Aeth.ACK);
    }

    private void assertShut(int key) {
        assertThat(syndromeOfWrite(bench, arrived, key, 0, 8))
                .isEqualTo(Aeth.NAK_REMOTE_ACCESS_ERROR);
    }

    private void assertRefused(SendRequest request) {
        bench.post(request);
        bench.post(bench.send(99, 0));
        assertThat(bench.transmit()).isEmpty();
        assertThat(bench.sendCompletions())
                .containsExactly(request.id() + BIND_ERROR, QueuePairBench.flushed(99));
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    }

    @ParameterizedTest
    @EnumSource
    @Requirement("ROCE-MR-3")
    void opensItsPartOfTheRegion(MemoryWindow.Type type) {
        MemoryWindow window = bound(type);
        long[][] inside = {{0, 1}, {0, 256}, {LENGTH - 1, 1}, {LENGTH - 256, 256}};
        for (long[] range : inside) {
            assertThat(
                            syndromeOfWrite(
                                    bench, arrived++, window.remoteKey(), range[0], (int) range[1]))
                    .isEqualTo(Aeth.ACK);
        }
        assertThat(bench.bytes(OFFSET, 256)).containsOnly(0);
        assertThat(bench.bytes(0, OFFSET)).isEqualTo(QueuePairBench.pattern(0, 0, OFFSET));
    }

    static Stream<Arguments> outside() {
        return Stream.of(MemoryWindow.Type.values())
                .flatMap(type ->
                        Stream.of(
                                Arguments.of(type, -1L, 1),
                                Arguments.of(type, -1L, 2),
                                Arguments.of(type, (long) LENGTH, 1),
                                Arguments.of(type, LENGTH - 1L, 2),
                                Arguments.of(type, (long) -OFFSET, 8),
                                Arguments.of(type, Long.MIN_VALUE, 1)));
    }

    @ParameterizedTest
    @MethodSource("outside")
    @Requirement("ROCE-MR-3")
    void opensNothingOutsideOfIt(MemoryWindow.Type type, long offset, int length) {
        int key = bound(type).remoteKey();
        assertThat(syndromeOfWrite(bench, 0, key, offset, length))
                .isEqualTo(Aeth.NAK_REMOTE_ACCESS_ERROR);
    }

    @ParameterizedTest
    @EnumSource
    @Requirement("ROCE-MR-3")
    void grantsItsOwnRightsNotThoseOfTheRegion(MemoryWindow.Type type) {
        MemoryWindow window = window(type);
        execute(bind(1, window, Access.REMOTE_READ));
        assertShut(window.remoteKey());
    }

    @ParameterizedTest
    @EnumSource
    @Requirement("ROCE-MR-3")
    void aWindowThatIsNotBoundOpensNothing(MemoryWindow.Type type) {
        assertShut(window(type).remoteKey());
    }

    @Test
    @Requirement("ROCE-MR-3")
    void theConsumerChoosesTheKeyPart() {
        MemoryWindow window = window(MemoryWindow.Type.TYPE_2B);
        int before = window.remoteKey();
        int part = (before + 77) & 0xFF;
        execute(bind(1, window, Access.REMOTE_WRITE).keyPart(part));
        assertThat(window.remoteKey()).isEqualTo((before & ~0xFF) | part);
        assertOpen(window);
        assertShut(before);
    }

    @Test
    @Requirement("ROCE-MR-3")
    void otherwiseTheKeyPartCountsUpAndWrapsRound() {
        MemoryWindow window = window(MemoryWindow.Type.TYPE_1);
        int first = window.remoteKey();
        for (int i = 1; i <= 256; i++) {
            execute(bind(i, window, Access.REMOTE_WRITE));
            assertThat(window.remoteKey()).isEqualTo((first & ~0xFF) | ((first + i) & 0xFF));
        }
    }

    @Test
    @Requirement("ROCE-MR-3")
    void bindingWaitsForEarlierRequestsAndLaterOnesForIt() {
        MemoryWindow window = window(MemoryWindow.Type.TYPE_2B);
        bench.post(bench.send(1, 10));
        bench.post(bind(2, window, Access.REMOTE_WRITE));
        bench.post(bench.send(3, 10));

        assertThat(bench.transmit()).hasSize(1);
        assertThat(bench.transmit()).isEmpty();
        bench.deliver(TestPacket.ack(bench.sendPsn(0)));

        assertThat(bench.transmitOne().psn).as("no number is used up").isEqualTo(bench.sendPsn(1));
        Completion completion = new Completion();
        assertThat(bench.sendCompletions.poll(completion)).isTrue();
        assertThat(bench.sendCompletions.poll(completion)).isTrue();
        assertThat(completion.opcode()).isEqualTo(CompletionOpcode.BIND_MEMORY_WINDOW);
        assertOpen(window);
        bench.deliver(TestPacket.ack(bench.sendPsn(1)));
        assertThat(bench.sendCompletions()).containsExactly(success(3));
    }

    @Test
    @Requirement("ROCE-MR-3")
    void aWindowOfType2MustBeFreeToBeBound() {
        MemoryWindow window = bound(MemoryWindow.Type.TYPE_2B);
        assertRefused(bind(1, window, Access.REMOTE_WRITE));
    }

    @Test
    @Requirement("ROCE-MR-3")
    void aWindowOfType2NeedsAnotherKeyAndSomethingToBindTo() {
        MemoryWindow window = window(MemoryWindow.Type.TYPE_2B);
        int part = window.remoteKey() & 0xFF;
        assertRefused(bind(1, window, Access.REMOTE_WRITE).keyPart(part));

        var fresh = new MemoryWindowTest();
        fresh.assertRefused(
                new SendRequest()
                        .id(1)
                        .bind(fresh.window(MemoryWindow.Type.TYPE_2B), fresh.bench.region, 0, 0));
    }

    @Test
    @Requirement("ROCE-MR-3")
    void bindingAWindowOfType1AgainEndsTheOldBinding() {
        MemoryWindow window = bound(MemoryWindow.Type.TYPE_1);
        int old = window.remoteKey();
        execute(bind(1, window, Access.REMOTE_WRITE));
        assertOpen(window);
        assertShut(old);
    }

    @Test
    @Requirement("ROCE-MR-3")
    void bindingAWindowOfType1ToNothingUnbindsIt() {
        MemoryWindow window = bound(MemoryWindow.Type.TYPE_1);
        int old = window.remoteKey();
        execute(new SendRequest().id(1).bind(window, bench.region, 0, 0));
        bench.region.close();
        assertShut(old);
        var fresh = new MemoryWindowTest();
        MemoryWindow unbound = fresh.bound(MemoryWindow.Type.TYPE_1);
        fresh.execute(new SendRequest().id(1).bind(unbound, fresh.bench.region, 0, 0));
        fresh.assertShut(unbound.remoteKey());
    }

    @Test
    @Requirement("ROCE-MR-3")
    void theRegionMustAllowWindowsAndWhatTheyGrant() {
        RegisteredRegion closed = bench.region(64, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        assertRefused(
                new SendRequest().id(1).bind(window(MemoryWindow.Type.TYPE_1), closed, 0, 64));

        for (Access right : List.of(Access.REMOTE_WRITE, Access.REMOTE_ATOMIC)) {
            var fresh = new MemoryWindowTest();
            RegisteredRegion readOnly = fresh.bench.region(64, Access.MEMORY_WINDOW_BIND);
            MemoryWindow window = fresh.window(MemoryWindow.Type.TYPE_2B);
            fresh.execute(new SendRequest().id(1).bind(window, readOnly, 0, 64));
            MemoryWindow other = fresh.window(MemoryWindow.Type.TYPE_2B);
            fresh.assertRefused(new SendRequest().id(2).bind(other, readOnly, 0, 64, right));
        }
    }

    @Test
    @Requirement("ROCE-MR-3")
    void theWindowMustLieInsideItsRegion() {
        long size = QueuePairBench.MEMORY_BYTES;
        long[][] outside = {{0, size + 1}, {1, size}, {-1, 1}, {size, 1}, {Long.MAX_VALUE, 2}};
        for (long[] range : outside) {
            var fresh = new MemoryWindowTest();
            fresh.assertRefused(
                    new SendRequest()
                            .id(1)
                            .bind(
                                    fresh.window(MemoryWindow.Type.TYPE_1),
                                    fresh.bench.region,
                                    range[0],
                                    range[1]));
        }
    }

    @Test
    @Requirement("ROCE-MR-3")
    void queuePairWindowAndRegionShareOneDomain() {
        MemoryWindow foreign =
                bench.regions.allocateWindow(QueuePairBench.DOMAIN + 1, MemoryWindow.Type.TYPE_1);
        assertRefused(bind(1, foreign, Access.REMOTE_WRITE));

        var fresh = new MemoryWindowTest();
        RegisteredRegion elsewhere =
                fresh.bench.regions.register(
                        QueuePairBench.DOMAIN + 1,
                        Arena.ofAuto().allocate(64),
                        Set.of(Access.MEMORY_WINDOW_BIND));
        fresh.assertRefused(
                new SendRequest()
                        .id(1)
                        .bind(fresh.window(MemoryWindow.Type.TYPE_1), elsewhere, 0, 64));
    }

    @Test
    @Requirement("ROCE-MR-3")
    void aWindowOfType2ServesTheQueuePairThatBoundItOnly() {
        var other = new QueuePairBench().regionsOf(bench).number(0x12).connect();
        int shared = bound(MemoryWindow.Type.TYPE_1).remoteKey();
        int own = bound(MemoryWindow.Type.TYPE_2B).remoteKey();

        assertThat(syndromeOfWrite(other, 0, shared, 0, 8)).isEqualTo(Aeth.ACK);
        assertThat(syndromeOfWrite(bench, 0, own, 0, 8)).isEqualTo(Aeth.ACK);
        assertThat(syndromeOfWrite(other, 1, own, 0, 8)).isEqualTo(Aeth.NAK_REMOTE_ACCESS_ERROR);
    }

    @Test
    @Requirement("ROCE-MR-3")
    void localInvalidateTakesTheKeyBackAndMakesTheWindowFree() {
        MemoryWindow window = bound(MemoryWindow.Type.TYPE_2B);
        int old = window.remoteKey();
        execute(new SendRequest().id(1).localInvalidate(old));
        execute(bind(2, window, Access.REMOTE_WRITE));
        assertOpen(window);
        assertShut(old);
    }

    @Test
    @Requirement("ROCE-MR-3")
    void localInvalidateTakesNothingElseBack() {
        assertRefused(new SendRequest().id(1).localInvalidate(bench.region.remoteKey()));

        var type1 = new MemoryWindowTest();
        type1.assertRefused(
                new SendRequest()
                        .id(1)
                        .localInvalidate(type1.bound(MemoryWindow.Type.TYPE_1).remoteKey()));

        var twice = new MemoryWindowTest();
        int key = twice.bound(MemoryWindow.Type.TYPE_2B).remoteKey();
        twice.execute(new SendRequest().id(1).localInvalidate(key));
        twice.assertRefused(new SendRequest().id(2).localInvalidate(key));

        var wrong = new MemoryWindowTest();
        wrong.assertRefused(
                new SendRequest()
                        .id(1)
                        .localInvalidate(wrong.bound(MemoryWindow.Type.TYPE_2B).remoteKey() ^ 1));
    }

    @Test
    @Requirement("ROCE-MR-3")
    void aWriteUnderWayEndsWhenItsWindowIsInvalidated() {
        int key = bound(MemoryWindow.Type.TYPE_2B).remoteKey();
        bench.deliver(
                TestPacket.of(Opcode.WRITE_FIRST, bench.receivePsn(0))
                        .target(bench.region.address() + OFFSET, key, 300)
                        .payload(new byte[256]));
        execute(new SendRequest().id(1).localInvalidate(key));

        TestPacket last =
                TestPacket.of(Opcode.WRITE_LAST, bench.receivePsn(1)).payload(new byte[44]);
        assertThat(bench.answerTo(last).syndrome).isEqualTo(Aeth.NAK_REMOTE_ACCESS_ERROR);
    }

    @ParameterizedTest
    @EnumSource
    @Requirement("ROCE-MR-3")
    void aRegionWithABoundWindowStaysRegistered(MemoryWindow.Type type) {
        MemoryWindow window = bound(type);
        assertThatThrownBy(bench.region::close)
                .isInstanceOfSatisfying(
                        FabricException.class, e -> assertThat(e.reason()).isEqualTo(Reason.IN_USE))
                .hasMessageContaining("1 memory windows");
        assertOpen(window);
        int key = window.remoteKey();
        window.close();
        window.close();
        bench.region.close();
        assertShut(key);
    }

    @Test
    @Requirement("ROCE-MR-3")
    void resettingTheQueuePairVoidsWhatItHadBound() {
        int key = bound(MemoryWindow.Type.TYPE_2B).remoteKey();
        bench.queuePair.modify(QueuePairChange.to(QueuePairState.RESET));
        bench.region.close();
        assertThat(
                        bench.regions.open(
                                key,
                                QueuePairBench.DOMAIN,
                                QueuePairBench.QPN,
                                bench.region.address() + OFFSET,
                                8,
                                Access.REMOTE_WRITE))
                .isNull();
    }

    @Test
    @Requirement("ROCE-RC-24")
    void sendWithInvalidateCarriesTheKeyInItsLastPacket() {
        bench.post(bench.send(1, 10).sendWithInvalidate(0xCAFE));
        bench.post(bench.send(2, 300).sendWithInvalidate(0xBEEF));

        List<TestPacket> packets = bench.transmit();

        assertThat(packets)
                .extracting(packet -> packet.opcode)
                .containsExactly(Opcode.SEND_ONLY_INV, Opcode.SEND_FIRST, Opcode.SEND_LAST_INV);
        assertThat(packets).extracting(packet -> packet.key).containsExactly(0xCAFE, 0, 0xBEEF);
        bench.deliver(TestPacket.ack(bench.sendPsn(2)));
        assertThat(bench.sendCompletions()).containsExactly(success(1), success(2));
    }

    @Test
    @Requirement("ROCE-RC-24")
    void aReceivedInvalidateVoidsTheKeyAndReportsIt() {
        int key = bound(MemoryWindow.Type.TYPE_2B).remoteKey();
        bench.postReceive(1, 0, 400);
        bench.answersTo(
                TestPacket.of(Opcode.SEND_FIRST, bench.receivePsn(0)).payload(new byte[256]),
                TestPacket.of(Opcode.SEND_LAST_INV, bench.receivePsn(1))
                        .target(0, key, 0)
                        .payload(new byte[5])
                        .ackRequest());

        Completion completion = bench.receiveCompletion();
        assertThat(completion.hasInvalidatedKey()).isTrue();
        assertThat(completion.invalidatedKey()).isEqualTo(key);
        assertThat(completion.hasImmediate()).isFalse();
        assertThat(completion.byteCount()).isEqualTo(261);
        arrived = 2;
        assertShut(key);
    }

    @Test
    @Requirement("ROCE-RC-24")
    void anInvalidateOfAForeignKeyFailsTheQueuePair() {
        bench.postReceive(1, 0, 400);
        TestPacket message =
                TestPacket.of(Opcode.SEND_ONLY_INV, bench.receivePsn(0))
                        .ackRequest()
                        .target(0, bench.region.remoteKey(), 0);

        assertThat(bench.answerTo(message).syndrome).isEqualTo(Aeth.NAK_REMOTE_ACCESS_ERROR);

        assertThat(bench.receiveCompletions()).containsExactly("1 REMOTE_INVALID_REQUEST_ERROR");
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);
        assertThat(bench.region.permits(Access.REMOTE_WRITE)).as("nothing was taken").isTrue();
    }

    @Test
    @Requirement("ROCE-RC-24")
    void aRepeatedInvalidateIsNotExecutedAgain() {
        MemoryWindow window = bound(MemoryWindow.Type.TYPE_2B);
        int key = window.remoteKey();
        bench.postReceive(1, 0, 400);
        TestPacket message =
                TestPacket.of(Opcode.SEND_ONLY_INV, bench.receivePsn(0)).target(0, key, 0);
        bench.answersTo(message.ackRequest());
        execute(bind(2, window, Access.REMOTE_WRITE).keyPart((key + 9) & 0xFF));
        assertThat(bench.answerTo(message).syndrome).isEqualTo(Aeth.ACK);
        arrived = 1;
        assertOpen(window);
    }

    @Test
    void aBindOfAnotherDeviceIsRefusedWhenPosted() {
        var elsewhere = new RegionTable(4, new SplittableRandom(9));
        MemoryWindow foreign =
                elsewhere.allocateWindow(QueuePairBench.DOMAIN, MemoryWindow.Type.TYPE_1);
        assertThatThrownBy(() -> bench.queuePair.post(bind(1, foreign)))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("this device");
        assertThatThrownBy(() ->
                        bench.queuePair.post(
                                bind(1, window(MemoryWindow.Type.TYPE_1)).inline(true)))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("inline");
        assertThatThrownBy(() -> bind(1, window(MemoryWindow.Type.TYPE_1)).keyPart(256))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("0 to 255");
    }
}
