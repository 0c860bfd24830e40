package dev.outboard.dpa.doca;

import dev.outboard.dpa.AllocationTrial;
import dev.outboard.dpa.doca.RdmaFixture.Setting;
import dev.outboard.dpa.machine.RunMode;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// What RDMA of kernels allocates under FAST: writes, signals, waits and taken completions, with
/// all that brings them to the peer.
class KernelAllocationTest {
    private static final int ROUNDS = 2_000;
    private static final Duration LIMIT = Duration.ofMinutes(1);

    @Test
    void aRoundOfPingPongAllocatesNothing() throws IOException {
        AllocationTrial.allocatesNothing(KernelAllocationTest.class);
    }

    /// Measures.
    public static void main(String... arguments) {
        Setting setting = new Setting(RunMode.fast(), Optional.of(RdmaFixture.ROCE));
        try (RdmaFixture ends = new RdmaFixture(setting, RdmaStepsStub.APP)) {
            PingPongSide left = new PingPongSide(ends, ends.left);
            PingPongSide right = new PingPongSide(ends, ends.right);
            PingPongSide.connect(left, right, ROUNDS);
            AtomicInteger games = new AtomicInteger();
            AllocationTrial.run(
                    ROUNDS, () -> PingPongSide.play(left, right, games.incrementAndGet(), LIMIT));
        }
    }
}
