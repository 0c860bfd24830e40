package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.cc.Clang;
import dev.outboard.dpa.doca.RdmaFixture.Setting;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// RDMA that kernels post.
class DpaRdmaTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private static void pingPong(RdmaFixture ends, int rounds, Duration limit) {
        PingPongSide left = new PingPongSide(ends, ends.left);
        PingPongSide right = new PingPongSide(ends, ends.right);
        PingPongSide.connect(left, right, rounds);
        PingPongSide.play(left, right, 1, limit);
        for (PingPongSide side : List.of(left, right)) {
            assertThat(side.event.get()).isEqualTo(rounds);
            assertThat(side.word(RdmaSteps.BAD_WORDS)).isZero();
        }
    }

    static List<Setting> settings() {
        return RdmaFixture.settings();
    }

    @ParameterizedTest
    @MethodSource("settings")
    @Requirement({"DPA-RD-9", "DPA-RD-3", "DPA-LIT-48"})
    void twoKernelsPlayPingPong(Setting setting) {
        int rounds = 1000;
        try (RdmaFixture ends = new RdmaFixture(setting, RdmaStepsStub.APP)) {
            pingPong(ends, rounds, LONG);
        }
    }

    /// In each mode where both sides are on one card.
    static List<RunMode> modes() {
        return CheckedDevices.modes();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-RD-9", "DPA-RD-3"})
    void soTheyDoInC(RunMode mode) {
        Setting setting = new Setting(mode, Optional.empty());
        try (RdmaFixture ends = new RdmaFixture(setting, Clang.app("rdma_steps"))) {
            pingPong(ends, 100, LONG);
        }
    }

    @Test
    @Requirement("DPA-RD-9")
    void manyRoundsSurviveLosses() {
        String lossy = RdmaFixture.SIM.replace("%d?", "%d?loss=5%%25&");
        Setting setting = new Setting(RunMode.fast(), Optional.of(lossy));
        try (RdmaFixture ends = new RdmaFixture(setting, RdmaStepsStub.APP)) {
            pingPong(ends, 100_000, Duration.ofMinutes(20));
        }
    }
}
