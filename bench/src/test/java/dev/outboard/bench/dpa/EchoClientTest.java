package dev.outboard.bench.dpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThatCode;

import dev.outboard.bench.comparison.Contender.MeasurementException;
import dev.outboard.bench.comparison.JavaProgram;
import dev.outboard.bench.comparison.ProgramRun;
import dev.outboard.dpa.cc.DeviceCompiler;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Echoes from another process, on all kinds of ends.
class EchoClientTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @ParameterizedTest
    @CsvSource({"handler, 1", "handler, 8", "handler, 32", "verbs, 1", "verbs, 32"})
    void everyMessageComesBack(String end, int inFlight) {
        try (EchoClient client = new EchoClient("an echo", end, inFlight)) {
            assertThat(client.measure(Duration.ofMillis(20))).isPositive();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8, 32})
    void everyMessageComesBackFromAHandlerInC(int inFlight) {
        assumeThatCode(DeviceCompiler::onThisMachine).doesNotThrowAnyException();
        everyMessageComesBack("handler-c", inFlight);
    }

    @Test
    void callsReturnInC() {
        assumeThatCode(DeviceCompiler::onThisMachine).doesNotThrowAnyException();
        try (CallTime calls = new CallTime(EchoInC.app())) {
            assertThat(calls.run(TimeUnit.MILLISECONDS.toNanos(20))).isPositive();
        }
    }

    @Test
    void saysWhatIsMissingForAHandlerInC() {
        try (ProgramRun run =
                new ProgramRun(
                        JavaProgram.command(EchoProcess.class, "handler-c"), Map.of("PATH", ""))) {
            assertThatThrownBy(() -> run.await("ready ", PATIENCE))
                    .isInstanceOf(MeasurementException.class)
                    .hasMessageContaining("'clang' is not on the PATH");
        }
    }
}
