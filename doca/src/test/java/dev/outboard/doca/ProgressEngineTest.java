package dev.outboard.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.ProgressDriver.Idle;
import dev.outboard.doca.rdma.Rdma;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProgressEngineTest {
    private int asked;

    @Test
    void progressesUntilTheConditionHolds() {
        try (ProgressEngine engine = ProgressEngine.create()) {
            engine.progressUntil(() -> ++asked == 3, Duration.ofSeconds(60));
        }
        assertThat(asked).isEqualTo(3);
    }

    @Test
    @Requirement("DCORE-PE-8")
    void aClosedEngineDrivesNothing() {
        ProgressEngine engine = ProgressEngine.create();
        engine.close();
        engine.close();
        try (DocaDev dev = TestDevices.open();
                Rdma rdma = new Rdma(dev)) {
            Refusals.assertRefused(DocaError.BAD_STATE, () -> rdma.attach(engine), "closed");
            Refusals.assertRefused(DocaError.NOT_CONNECTED, rdma::start);
        }
        Refusals.assertRefused(DocaError.BAD_STATE, engine::rebind, "closed");
        Refusals.assertRefused(
                DocaError.BAD_STATE, () -> ProgressDriver.start(engine, Idle.SLEEP), "closed");
        Refusals.assertRefused(DocaError.BAD_STATE, engine::progress, "closed");
        Refusals.assertRefused(DocaError.BAD_STATE, () -> engine.await(Duration.ZERO), "closed");
    }

    @Test
    void aConditionThatNeverHoldsEndsWithTheTime() {
        try (ProgressEngine engine = ProgressEngine.create()) {
            Refusals.assertRefused(
                    DocaError.TIME_OUT,
                    () -> engine.progressUntil(() -> false, Duration.ofMillis(5)));
        }
    }
}
