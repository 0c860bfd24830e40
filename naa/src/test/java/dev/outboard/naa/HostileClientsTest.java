package dev.outboard.naa;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.Device;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.MrspMessage.Entry;
import dev.outboard.naa.MrspMessage.MrspError;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Clients with a proper connection who break the rules of the protocol above it.
class HostileClientsTest extends HostileSuite {
    private static final int CALL_INCREMENT = 0x81;
    private static final int CALL_NOTHING = 0x83;
    private static final int CALL_CUSTOM = 0x80 | CUSTOM;
    private static final int CALL_UNKNOWN = 0x80 | 99;

    // ---- leaving --------------------------------------------------------------------------------

    /// How far a client gets before it leaves.
    enum Phase {
        CONNECTED,
        REQUEST_SENT,
        REGIONS_SET_UP,
        INPUTS_WRITTEN,
        CALLED,
        ROUTINE_RUNS,
        ANSWERED
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"NAA-ROB-2", "NAA-MULTI-4", "NAA-MULTI-5", "NAA-CONN-16"})
    void mayLeaveInEveryPhase(Phase last) {
        HeldRoutine held = new HeldRoutine();
        serve(strict(), held);
        Baseline before = Baseline.take();
        for (int i = 0; i < 3; i++) {
            try (RawClient client = raw()) {
                walk(client, last, held);
            }
        }
        held.release();
        assertServesAsBefore();
        before.assertReached();
    }

    private static void walk(RawClient client, Phase last, HeldRoutine held) {
        if (last == Phase.CONNECTED) {
            return;
        }
        AdvertiseRequest request = oneRegion(client);
        if (last == Phase.REQUEST_SENT) {
            client.send(request);
            return;
        }
        PeerRegion region = client.setUp(request).getFirst();
        if (last == Phase.INPUTS_WRITTEN) {
            client.write(region, 0, 100, region.remoteKey());
        }
        if (last == Phase.CALLED) {
            client.call(region, 0, CALL_NOTHING);
        }
        if (last == Phase.ROUTINE_RUNS) {
            client.call(region, 0, CALL_CUSTOM);
            held.awaitCall();
        }
        if (last == Phase.ANSWERED) {
            client.postReceive();
            client.call(region, 0, CALL_INCREMENT);
            assertThat(client.awaitImmediate()).isZero();
        }
    }

    private static AdvertiseRequest oneRegion(RawClient client) {
        int inputAndOutput = RegionFlags.INPUT | RegionFlags.OUTPUT;
        return new AdvertiseRequest(List.of(client.region(inputAndOutput, 100)));
    }

    // ---- requests for regions -------------------------------------------------------------------

    /// A request whose bytes are wrong, and the code that answers it.
    enum Malformation {
        NO_REGION(0, 0),
        COUNT_ONE_TOO_LOW(1, 2 * 24),
        COUNT_ONE_TOO_HIGH(3, 2 * 24),
        COUNT_255_OF_ONE(255, 24),
        ONE_BYTE_SHORT(2, 2 * 24 - 1),
        ONE_BYTE_LONG(2, 2 * 24 + 1),
        HEADER_ONLY(2, 0),
        LONGER_THAN_ANY(255, 255 * 24 + 1);

        final int count;
        final int entryBytes;

        Malformation(int count, int entryBytes) {
            this.count = count;
            this.entryBytes = entryBytes;
        }

        byte[] message() {
            byte[] message = new byte[4 + entryBytes];
            message[0] = 1;
            message[1] = (byte) count;
            return message;
        }
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"NAA-ROB-1", "NAA-ROB-2", "NAA-MRSP-21", "NAA-MRSP-24", "NAA-MULTI-5"})
    void mayCountOrMeasureTheirRegionsWrongly(Malformation malformation) {
        serve(strict());
        MemorySegment memory = server.memory(100, 0);
        Baseline before = Baseline.take();
        try (NaaClient good = goodClient(memory)) {
            try (RawClient bad = raw()) {
                bad.send(malformation.message());
                if (malformation == Malformation.LONGER_THAN_ANY) {
                    // No receive is that long: the transport refuses it.
                    assertThat(bad.awaitFailure())
                            .isEqualTo(CompletionStatus.REMOTE_INVALID_REQUEST_ERROR);
                } else {
                    assertThat(bad.awaitMessage()).hasValue(new MrspError(MrspException.MALFORMED));
                }
            }
            assertServed(good, memory);
        }
        assertServesAsBefore();
        before.assertReached();
    }

    @Test
    @Requirement({"NAA-ROB-1", "NAA-ROB-2", "NAA-LIM-5"})
    void mayAskForMoreThanThereIs() {
        serve(strict().maxRegions(255).maxConnectionBytes(Long.MAX_VALUE));
        for (int count : new int[] {1, 2, 255}) {
            for (long size : new long[] {0xffff_ffffL, 0x8000_0000L, TOTAL_BYTES + 1}) {
                try (RawClient bad = raw()) {
                    List<Entry> entries = new ArrayList<>();
                    for (int i = 0; i < count; i++) {
                        entries.add(bad.region(RegionFlags.INPUT, size));
                    }
                    bad.send(new AdvertiseRequest(entries));
                    assertThat(bad.awaitMessage())
                            .as("%d regions of %d bytes", count, size)
                            .hasValue(new MrspError(MrspException.NO_MEMORY));
                }
            }
        }
        assertServesAsBefore();
    }

    @ParameterizedTest
    @ValueSource(ints = {0xf0, 0xf4, 0xfc, 0xff, 0x80, 0x02, 0x0e})
    @Requirement({"NAA-FLAG-5", "NAA-FLAG-6", "NAA-ROB-2"})
    void maySetUnknownFlags(int flags) {
        serve(strict());
        try (RawClient bad = raw()) {
            Entry plain = bad.region(RegionFlags.INPUT, 64);
            Entry odd = bad.region(flags, 64);
            List<PeerRegion> granted = bad.setUp(new AdvertiseRequest(List.of(plain, odd)));
            // The internal one is not announced, whatever else is set.
            assertThat(granted).hasSize((flags & RegionFlags.INTERNAL) == 0 ? 2 : 1);
            bad.postReceive();
            bad.call(granted.getFirst(), 0, CALL_INCREMENT);
            assertThat(bad.awaitImmediate()).isZero();
        }
        assertServesAsBefore();
    }

    @Test
    @Requirement({"NAA-ROB-1", "NAA-ROB-2", "NAA-ADDR-6"})
    void mayNameOverlappingAndMisalignedAddresses() {
        serve(strict());
        try (RawClient bad = raw()) {
            Entry one = bad.region(RegionFlags.INPUT | RegionFlags.OUTPUT, 64);
            List<Entry> entries = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                entries.add(
                        new Entry(
                                one.flags(),
                                3 + i,
                                one.address() + i,
                                one.remoteKey(),
                                one.size()));
            }
            entries.add(new Entry(one.flags(), (1L << 56) - 64, -1, one.remoteKey(), 64));
            List<PeerRegion> granted = bad.setUp(new AdvertiseRequest(entries));
            assertThat(granted).extracting(PeerRegion::address).doesNotHaveDuplicates();
            // The last result would go past the end of the address space: that is refused by the
            // client's own side, and costs it the connection.
            bad.postReceive();
            bad.call(granted.getFirst(), 0, CALL_NOTHING);
            assertThat(bad.awaitFailure()).isNotEqualTo(CompletionStatus.SUCCESS);
        }
        assertServesAsBefore();
    }

    @Test
    @Requirement({"NAA-MRSP-24", "NAA-ROB-2", "NAA-MULTI-5"})
    void mayAskTwice() {
        serve(strict());
        try (RawClient bad = raw()) {
            bad.setUp(oneRegion(bad));
            bad.postReceive();
            bad.send(oneRegion(bad));
            assertThat(bad.awaitMessage()).hasValue(new MrspError(MrspException.MALFORMED));
            assertThat(server.awaitEvent("failed"))
                    .contains("refused the client: ", "in the middle of RPCs");
        }
        // The same without waiting for the answer to the first.
        try (RawClient bad = raw()) {
            bad.postReceive();
            bad.send(oneRegion(bad));
            bad.send(oneRegion(bad));
            assertThat(server.awaitEvent("failed")).contains("refused the client: ");
        }
        assertServesAsBefore();
    }

    /// The answer cannot be delivered, and the reason is told all the same.
    @Test
    @Requirement({"NAA-MRSP-24", "NAA-ROB-5b"})
    void whoAsksTwiceAndTakesNoAnswerIsRefusedForAsking() {
        serve(strict());
        try (RawClient bad = raw(clientDevice, 0)) {
            bad.setUp(oneRegion(bad));
            bad.send(oneRegion(bad));
            assertThat(server.awaitEvent("failed"))
                    .contains("refused the client: ", "in the middle of RPCs");
        }
        assertServesAsBefore();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, CALL_INCREMENT, CALL_UNKNOWN})
    @Requirement({"NAA-MRSP-24", "NAA-ROB-2", "NAA-MULTI-5"})
    void mayCallBeforeTheyHaveRegions(int immediate) {
        serve(strict());
        try (RawClient bad = raw()) {
            bad.call(new PeerRegion(0, 0, 0), 0, immediate);
            assertThat(bad.awaitMessage()).hasValue(new MrspError(MrspException.MALFORMED));
        }
        assertThat(server.server.counters()).containsEntry("rpcs", 0L);
        assertServesAsBefore();
    }

    // ---- immediates -----------------------------------------------------------------------------

    @Test
    @Requirement({"NAA-XFER-17", "NAA-RET-13", "NAA-ROB-2"})
    void mayCallNothingAndTheUnknown() {
        serve(strict());
        try (RawClient odd = raw()) {
            PeerRegion region = odd.setUp(oneRegion(odd)).getFirst();
            odd.postReceive();
            for (int noFunction : new int[] {0, 0x80, 0xaabb_cc80, 0xaabb_cc00}) {
                odd.call(region, 0, noFunction);
                server.awaitEvent("host error");
            }
            for (int unknown : new int[] {CALL_UNKNOWN, 0x7f, 0xff, 0xaabb_ccff}) {
                odd.call(region, 0, unknown);
                assertThat(odd.awaitImmediate()).isEqualTo(ReturnCode.NOT_AVAILABLE << 8);
                odd.postReceive();
            }
            odd.call(region, 0, CALL_INCREMENT);
            assertThat(odd.awaitImmediate()).isZero();
        }
        assertThat(server.server.counters())
                .containsEntry("errors.host", 4L)
                .containsEntry("rpcs", 5L);
        assertServesAsBefore();
    }

    @Test
    @Requirement({"NAA-RPC-2", "NAA-ROB-2", "NAA-MULTI-5"})
    void mayCallAgainBeforeTheAnswer() {
        HeldRoutine held = new HeldRoutine();
        serve(strict(), held);
        try (RawClient bad = raw()) {
            PeerRegion region = bad.setUp(oneRegion(bad)).getFirst();
            for (int i = 0; i < 3; i++) {
                bad.call(region, 0, CALL_CUSTOM);
            }
            held.release();
            server.awaitEvent("failed");
        }
        assertServesAsBefore();
    }

    // ---- keys and addresses ---------------------------------------------------------------------

    /// A WRITE that must not work: `own` is a region of the attacker's, `foreign` one of another
    /// client's, `stale` one of a client's that has left.
    enum Attack {
        FOREIGN_KEY_AT_OWN_ADDRESS,
        OWN_KEY_AT_FOREIGN_ADDRESS,
        FOREIGN_KEY_AND_ADDRESS,
        STALE_KEY_AND_ADDRESS,
        ONE_BYTE_BEHIND,
        ONE_BYTE_BEFORE,
        LENGTH_ONE_TOO_LONG,
        END_BEYOND_64_BITS,
        ADDRESS_AT_THE_TOP,
        ADDRESS_ZERO,
        KEY_ZERO,
        KEY_ALL_ONES;

        void aim(RawClient bad, PeerRegion own, PeerRegion foreign, PeerRegion stale) {
            PeerRegion nowhere = new PeerRegion(0, 0, 0);
            int key = own.remoteKey();
            switch (this) {
                case FOREIGN_KEY_AT_OWN_ADDRESS -> bad.write(own, 0, 100, foreign.remoteKey());
                case OWN_KEY_AT_FOREIGN_ADDRESS -> bad.write(foreign, 0, 100, key);
                case FOREIGN_KEY_AND_ADDRESS -> bad.write(foreign, 0, 100, foreign.remoteKey());
                case STALE_KEY_AND_ADDRESS -> bad.write(stale, 0, 1, stale.remoteKey());
                case ONE_BYTE_BEHIND -> bad.write(own, 100, 1, key);
                case ONE_BYTE_BEFORE -> bad.write(own, -1, 1, key);
                case LENGTH_ONE_TOO_LONG -> bad.write(own, 0, 101, key);
                case END_BEYOND_64_BITS -> bad.write(nowhere, -50, 100, key);
                case ADDRESS_AT_THE_TOP -> bad.write(nowhere, -1, 1, key);
                case ADDRESS_ZERO -> bad.write(nowhere, 0, 100, key);
                case KEY_ZERO -> bad.write(own, 0, 100, 0);
                case KEY_ALL_ONES -> bad.write(own, 0, 100, -1);
            }
        }
    }

    @Test
    @Requirement({"NAA-ROB-1", "NAA-ROB-3", "NAA-MRSP-14", "NAA-MULTI-5", "NAA-MULTI-6"})
    void mayNotWriteWhereTheyHaveNoRegion() {
        serve(strict());
        PeerRegion stale;
        try (NaaClient gone = goodClient(server.memory(100, 0))) {
            stale = gone.peerRegions().getFirst();
        }
        awaitNoConnections();
        MemorySegment memory = server.memory(100, 0);
        try (NaaClient good = goodClient(memory)) {
            PeerRegion foreign = good.peerRegions().getFirst();
            for (Attack attack : Attack.values()) {
                try (RawClient bad = raw()) {
                    PeerRegion own = bad.setUp(oneRegion(bad)).getFirst();
                    attack.aim(bad, own, foreign, stale);
                    assertThat(bad.awaitFailure())
                            .as(attack.toString())
                            .isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
                }
                assertForeignBytes(memory);
                assertServed(good, memory);
            }
        }
        assertServesAsBefore();
    }

    /// The server's copy is what the good client sent and the routine made of it.
    private void assertForeignBytes(MemorySegment sentLast) {
        server.server.connections().stream()
                .filter(context -> context.state() == NaaState.DATA_RECEIVING)
                .flatMap(context -> context.parameters().stream())
                .filter(region -> region.memory().get(JAVA_BYTE, 99) != 0)
                .forEach(region -> assertThat(region.memory().mismatch(sentLast)).isEqualTo(-1));
    }

    @Test
    @Requirement("NAA-ROB-3")
    void mayGuessKeysInVain() {
        serve(strict());
        MemorySegment memory = server.memory(100, 0);
        SplittableRandom random = new SplittableRandom(1);
        try (NaaClient good = goodClient(memory)) {
            PeerRegion foreign = good.peerRegions().getFirst();
            for (int guess = 0; guess < 50; guess++) {
                // Neighbours of what it was given, and anything.
                try (RawClient bad = raw()) {
                    PeerRegion own = bad.setUp(oneRegion(bad)).getFirst();
                    int key =
                            guess % 2 == 0
                                    ? own.remoteKey() + (guess % 4 == 0 ? 1 : -1) * (1 + guess / 4)
                                    : random.nextInt();
                    bad.write(foreign, 0, 100, key);
                    assertThat(bad.awaitFailure()).isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
                }
            }
            assertServed(good, memory);
        }
        assertServesAsBefore();
    }

    // ---- flow -----------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(ints = {0, 6, 7})
    @Requirement({"NAA-MULTI-4", "NAA-ROB-2"})
    void mayNeverTakeTheAnswer(int rnrRetries) {
        serve(strict().maxConnections(1));
        try (RawClient bad = raw(clientDevice, rnrRetries)) {
            PeerRegion region = bad.setUp(oneRegion(bad)).getFirst();
            // No receive is posted: the answer finds the receiver not ready, again and again.
            bad.call(region, 0, CALL_INCREMENT);
            server.awaitEvent("failed");
        }
        assertServesAsBefore();
    }

    @Test
    @Requirement({"NAA-ROB-2", "NAA-ROB-7", "NAA-MULTI-5"})
    void mayFloodTheirRegionsWhileOthersAreServed() {
        serve(strict());
        MemorySegment memory = server.memory(1000, 0);
        Baseline before = Baseline.take();
        try (Device other = open();
                NaaClient good = goodClient(memory);
                RawClient bad = raw(other, 6)) {
            PeerRegion region = bad.setUp(oneRegion(bad)).getFirst();
            for (int rpc = 0; rpc < 20; rpc++) {
                for (int i = 0; i < 500; i++) {
                    bad.write(region, 0, 100, region.remoteKey());
                    assertThat(bad.drain()).isTrue();
                }
                assertServed(good, memory);
            }
        }
        assertServesAsBefore();
        before.assertReached();
    }

    @Test
    @Requirement({"NAA-ROB-2", "NAA-ROB-7", "NAA-MULTI-5"})
    void mayFloodWithCallsThatCountAsNothing() {
        serve(strict());
        MemorySegment memory = server.memory(1000, 0);
        try (NaaClient good = goodClient(memory);
                RawClient bad = raw()) {
            PeerRegion region = bad.setUp(oneRegion(bad)).getFirst();
            // Faster than the server posts receives: in the end the flooder's own transport gives
            // up.
            for (int i = 0; i < 2_000 && bad.drain(); i++) {
                bad.call(region, 0, 0);
            }
            assertServed(good, memory);
        }
        assertServesAsBefore();
        assertThat(server.server.counters().get("errors.host")).isLessThanOrEqualTo(2_000L);
        assertThat(Optional.ofNullable(server.server.counters().get("rpcs"))).hasValue(2L);
    }
}
