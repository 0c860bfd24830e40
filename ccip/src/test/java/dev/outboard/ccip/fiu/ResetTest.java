package dev.outboard.ccip.fiu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.fiu.Port.Response;
import dev.outboard.ccip.platform.AfterError;
import dev.outboard.ccip.platform.MemoryModel;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.platform.ResponseFormat;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.PowerState;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Soft reset, the error state and power states, as the port shows them.
class ResetTest {
    @Test
    @Requirement({"CCIP-RST-1", "CCIP-RST-9", "CCIP-ENC-14", "CCIP-PWR-1", "CCIP-SIG-2"})
    void resetLastsAtLeast256CyclesFromPowerUpOn() {
        Port port = new Port(Profile.PAC_A10);
        assertThat(port.rx.softReset).isFalse();
        port.fiu.reset();
        int cycles = 0;
        for (port.edge(); port.rx.softReset; port.edge()) {
            cycles++;
        }
        assertThat(cycles).isEqualTo(Fiu.RESET_CYCLES).isGreaterThanOrEqualTo(256);
        for (PowerState state : PowerState.values()) {
            port.fiu.power(state);
            assertThat(port.edge().rx.powerState).isEqualTo(state);
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-RST-3", "CCIP-RST-6", "CCIP-RST-10"})
    void nothingFromBeforeAResetComesAfterIt(Mode mode) {
        for (int seed = 0; seed < 30; seed++) {
            Port port = new Port(Profile.INTEGRATED, mode, seed, ResponseFormat.RANDOM);
            for (int i = 0; i < 30; i++) {
                port.read(4 * i, LineCount.FOUR, VirtualChannel.VA, i);
                port.write(512 + i, i, 1).edge();
            }
            port.fence(VirtualChannel.VA, 99).edge();
            port.write(600, LineCount.FOUR, VirtualChannel.VA, 98, 1).edge();
            port.fiu.reset();
            for (int i = 0; i < Fiu.RESET_CYCLES; i++) {
                port.read(0, 77).write(1, 77, 1).edge();
                assertThat(port.rx.softReset).isTrue();
            }
            assertThat(port.responses).noneMatch(r -> r.mdata() == 77);
            port.responses.clear();
            assertThat(port.fiu.isIdle()).isTrue();
            port.edges(5000);
            assertThat(port.responses).isEmpty();
            assertThat(port.word(1)).isZero();
            port.burst(0, LineCount.FOUR, VirtualChannel.VL0, 5, 3).read(0, 6).edge().settle();
            assertThat(port.writes()).isNotEmpty().allMatch(r -> r.mdata() == 5);
            assertThat(port.reads()).hasSize(1);
        }
    }

    @Test
    @Requirement("CCIP-RST-4")
    void resetLeavesTheCacheAlone() {
        Port port = new Port(Profile.INTEGRATED);
        sharedRead(port);
        port.fiu.reset();
        port.edges(Fiu.RESET_CYCLES + 2);
        sharedRead(port);
        assertThat(port.reads().stream().map(Response::hit)).containsExactly(false, true);
    }

    private static void sharedRead(Port port) {
        port.tx.c0.read(ReadType.RDLINE_S, VirtualChannel.VL0, LineCount.ONE, port.base, 0);
        port.edge().settle();
    }

    @Test
    @Requirement({"CCIP-ERR-1", "CCIP-ERR-2"})
    void afterAnErrorNothingIsAcceptedAndAlmostFullIsHeld() {
        Port port = new Port(Profile.PAC_A10);
        port.read(0, 1).write(1, 1, 5).edge();
        port.fiu.protocolError();
        port.edge();
        assertThat(port.rx.error && port.rx.c0TxAlmFull && port.rx.c1TxAlmFull).isTrue();
        port.read(0, 2).write(2, 2, 5).edge().settle();
        assertThat(port.responses).hasSize(2).allMatch(r -> r.mdata() == 1);
        assertThat(port.word(2)).isZero();
        port.fiu.clearError();
        port.fiu.reset();
        port.edges(Fiu.RESET_CYCLES + 2);
        assertThat(port.rx.error || port.rx.c0TxAlmFull).isFalse();
        port.read(0, 3).edge().settle();
        assertThat(port.reads().getLast().mdata()).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(AfterError.class)
    @Requirement("CCIP-ERR-3")
    void outstandingRequestsMayNeverComplete(AfterError afterError) {
        Port port =
                new Port(
                        new Parameters(
                                Profile.PAC_A10,
                                Mode.TIMED,
                                MemoryModel.MANUAL,
                                1,
                                ResponseFormat.BY_CHANNEL,
                                afterError,
                                false));
        for (int i = 0; i < 20; i++) {
            port.read(i, i).write(100 + i, i, 1).edge();
        }
        port.fiu.protocolError();
        port.settle();
        switch (afterError) {
            case COMPLETE -> assertThat(port.responses).hasSize(40);
            case ABANDON -> assertThat(port.responses).isEmpty();
            case RANDOM -> assertThat(port.responses).hasSizeBetween(5, 35);
        }
    }
}
