package dev.outboard.ccip.rtl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.platform.Profile;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.Seeds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// The AFUs of `examples/afu`, compiled as they are.
class ExampleAfusTest {
    private static final int LINES = 4096;

    @Requirement({"CCIP-RTL-1", "CCIP-RTL-2"})
    @Test
    void helloHasItsIdAndAScratchRegisterAndWritesALine() throws IOException {
        VerilatedDesign hello = Verilator.build().compile(Verilator.example("hello"));
        try (VerilatedAfu afu = hello.open(Profile.PAC_A10, 1)) {
            PlainPort port = new PlainPort(afu, LINES, 1);
            UUID id = new UUID(port.read(0x10), port.read(0x08));
            assertThat(id).isEqualTo(hello.id().orElseThrow());
            assertThat(port.read(0)).isEqualTo(0x1000_0100_0070_0080L);
            assertThat(port.read(0x18)).isZero();

            port.write(0x68, 0x0123_4567_89AB_CDEFL);
            assertThat(port.read(0x68)).isEqualTo(0x0123_4567_89AB_CDEFL);

            port.write(0x40, 77);
            port.step(10);
            assertThat(port.read(0x40)).isEqualTo(77);
            ByteBuffer line = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
            line.asLongBuffer().put(port.line(77));
            assertThat(new String(line.array(), StandardCharsets.US_ASCII).replace("\0", ""))
                    .isEqualTo("Hello world!");
        }
    }

    @Requirement("CCIP-RTL-1")
    @Test
    void copyCopiesWhateverComesInWhateverOrder() throws IOException {
        VerilatedDesign copy = Verilator.build().compile(Verilator.example("copy"));
        Seeds.campaign(
                20,
                seed -> {
                    try (VerilatedAfu afu = copy.open(Profile.PAC_A10, seed)) {
                        PlainPort port = new PlainPort(afu, LINES, seed);
                        int count = (int) (seed * 101 % 1500);
                        copyLines(port, (int) seed % 5, 2052 + (int) seed % 7, count);
                        // Again: nothing may be left of the first time.
                        port.pressWrites();
                        copyLines(port, 3, 2053, count / 2);
                        assertThat(port.mostBeatsAfterAlmostFull).isBetween(0, 8);
                    }
                });
    }

    private static void copyLines(PlainPort port, int source, int destination, int count) {
        for (int i = 0; i < LINES; i++) {
            for (int j = 0; j < 8; j++) {
                port.line(i)[j] = i < 2048 ? i * 8L + j + port.cycle() : -1;
            }
        }
        port.write(0x40, source);
        port.write(0x48, destination);
        port.write(0x50, count);
        port.write(0x58, 1);
        for (int i = 0; port.read(0x60) == 0; i++) {
            assertThat(i).as("status not done").isLessThan(1000);
            port.step(20);
        }
        for (int i = 0; i < count; i++) {
            assertThat(port.line(destination + i))
                    .as("line %d", i)
                    .isEqualTo(port.line(source + i));
        }
        assertThat(port.line(destination - 1)).containsOnly(-1);
        assertThat(port.line(destination + count)).containsOnly(-1);
    }

    @Test
    void theSeededBugSendsMoreThanEightBeatsAfterAlmostFull() throws IOException {
        VerilatedDesign bug = Verilator.build().compile(Verilator.example("seeded_bug"));
        try (VerilatedAfu afu = bug.open(Profile.PAC_A10, 1)) {
            PlainPort port = new PlainPort(afu, LINES, 1);
            port.pressWrites();
            port.write(0x48, 0);
            port.write(0x50, 1000);
            port.write(0x58, 1);
            port.step(3000);
            assertThat(port.read(0x60)).isEqualTo(1);
            assertThat(port.line(999)[0]).isEqualTo(999);
            assertThat(port.mostBeatsAfterAlmostFull).isGreaterThan(8);
        }
    }
}
