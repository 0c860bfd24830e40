package dev.outboard.examples.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioProcess.Attributes;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.testkit.CaptureFile;
import dev.outboard.testkit.CaptureFile.Entry;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The packet processor answers a capture by a capture, in all modes.
class PacketProcessorTest {
    private static final int ETHERNET = 1;
    private static final int FRAMES = 8;
    private static final int MIN_FRAME_BYTES = 60;

    @TempDir private Path directory;

    /// Two addresses, an EtherType and a text.
    private static byte[] frame(String destination, String source, int number, String text) {
        byte[] header = HexFormat.of().parseHex(destination + source + "08%02x".formatted(number));
        byte[] payload = text.getBytes(StandardCharsets.US_ASCII);
        byte[] frame = Arrays.copyOf(header, header.length + payload.length);
        System.arraycopy(payload, 0, frame, header.length, payload.length);
        return frame;
    }

    private static String text(int number) {
        return number == 1 ? "short 1" : "frame %d, ".formatted(number).repeat(5 + number);
    }

    private static String source(int number) {
        return "0242ac1100%02x".formatted(number);
    }

    private static byte[] answer(Form form, Path in, Path out) throws IOException {
        Checker checker = new Checker(Profile.SEED, false);
        DpaDevice device =
                DpaDevice.of(MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL), form.mode());
        try (HostProcess host = HostProcess.open();
                FlexioProcess process =
                        FlexioProcess.create(
                                host,
                                device,
                                form.app(),
                                Attributes.DEFAULT.withObserver(checker))) {
            assertThat(PacketProcessor.answer(process, device, in, out)).isEqualTo(FRAMES);
        }
        assertThat(checker.findings()).isEmpty();
        return Files.readAllBytes(out);
    }

    static Stream<Form> forms() {
        return Form.of(PacketKernelsStub.APP, SeedExamplesTest.modes());
    }

    @ParameterizedTest
    @MethodSource("forms")
    @Requirement({"DPA-FXQ-12", "DPA-FXQ-1c", "DPA-FXQ-8b"})
    void eachFrameGoesBackInCapitalLetters(Form form) throws IOException {
        String own = "020d0a000000";
        List<byte[]> frames = new ArrayList<>();
        List<byte[]> answers = new ArrayList<>();
        for (int i = 0; i < FRAMES; i++) {
            frames.add(frame(own, source(i), i, text(i)));
            byte[] answer = frame(source(i), own, i, text(i).toUpperCase(Locale.ROOT));
            answers.add(Arrays.copyOf(answer, Math.max(answer.length, MIN_FRAME_BYTES)));
        }
        Path in = directory.resolve("in.pcapng");
        CaptureFile.write(in, ETHERNET, frames);
        Path out = directory.resolve("out.pcapng");
        byte[] written = answer(form, in, out);

        assertThat(CaptureFile.read(out))
                .extracting(Entry::packet)
                .usingElementComparator(Arrays::compare)
                .containsExactlyElementsOf(answers);
        assertThat(answer(form, in, directory.resolve("again.pcapng"))).isEqualTo(written);
    }
}
