package dev.outboard.examples.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.examples.ExampleProgram;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.RunningProgram;
import java.io.IOException;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Runs each example of DOCA DPA as its users do: as processes that meet on the wire.
class DpaExamplesTest {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @Test
    @Requirement("DPA-RD-3")
    void allRanksHaveAllBlocksWhenTold() throws IOException {
        assertThat(run(AllToAll.class))
                .containsPattern("32 ranks in 4 processes had all blocks in each of 20 rounds");
    }

    @Test
    @Requirement({"DPA-RD-2", "DPA-TH-3"})
    void oneThreadCountsAndAnotherTells() throws IOException {
        assertThat(run(FourSends.class))
                .contains("100 messages were counted, and their immediates are 5050 together");
    }

    /// The exchange of the guide, with a twentieth of the packets lost.
    @Test
    @Requirement("DPA-RD-9")
    void kernelsExchangeBuffersThoughPacketsAreLost() throws IOException {
        assertThat(run(DeviceExchange.class, "2000", "5"))
                .contains("server: event 2000 of 2000 rounds, 0 wrong words")
                .contains("client: event 2000 of 2000 rounds, 0 wrong words");
    }

    /// The example with its device code in C.
    static final class DeviceMessageInC {
        private DeviceMessageInC() {}

        public static void main(String[] words) throws Exception {
            DeviceMessage.run(DeviceMessageInC.class, InC.app(MessageKernelsStub.APP), words);
        }
    }

    static Stream<Class<?>> messages() {
        return InC.andJava(DeviceMessage.class, () -> DeviceMessageInC.class);
    }

    @ParameterizedTest
    @MethodSource("messages")
    @Requirement({"DPA-RD-2", "DPA-TH-1"})
    void aMessageActivatesAThreadThatTellsTheHost(Class<?> example) throws IOException {
        assertThat(run(example)).contains("the DPA has received 4711");
    }

    /// The example with its device code in C.
    static final class DevicePingPongInC {
        private DevicePingPongInC() {}

        public static void main(String[] words) throws Exception {
            DevicePingPong.run(DevicePingPongInC.class, InC.app(PingPongKernelsStub.APP), words);
        }
    }

    static Stream<Class<?>> pingPong() {
        return InC.andJava(DevicePingPong.class, () -> DevicePingPongInC.class);
    }

    @ParameterizedTest
    @MethodSource("pingPong")
    @Requirement({"DPA-TH-2", "DPA-TH-4"})
    void threadsThatPollPlayPingPong(Class<?> example) throws IOException {
        assertThat(run(example))
                .contains("ping: 1000 messages came, 0 of them wrong")
                .contains("pong: 1000 messages came, 0 of them wrong");
    }

    /// What the example prints.
    private static String run(Class<?> example, String... words) throws IOException {
        try (RunningProgram program = ExampleProgram.start(example, words)) {
            assertThat(program.ends(LIMIT)).as(program.toString()).isTrue();
            assertThat(program.exitCode()).as(program.toString()).isZero();
            return program.output();
        }
    }
}
