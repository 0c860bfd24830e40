package dev.outboard.console.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.checker.Violation;
import dev.outboard.console.Execution;
import dev.outboard.doca.DocaError;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.naa.MrspException;
import dev.outboard.naa.ReturnCode;
import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ExplainCommandTest {
    private static Path capture(String name) {
        return Repository.root().resolve("spec/captures/" + name + ".pcap");
    }

    private static Execution explain(Object... words) {
        String[] all = new String[words.length + 1];
        all[0] = "explain";
        for (int i = 0; i < words.length; i++) {
            all[i + 1] = words[i].toString();
        }
        return Execution.ofOutboard(all);
    }

    private static void refuses(Execution run, String... words) {
        assertThat(run.exitCode()).as(run.toString()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("outboard: ").contains(words).doesNotContain("unexpected");
    }

    // Captures.

    @Test
    void leadsWithTheVerdict() {
        Execution run = explain(capture("odd-rnrfail"));

        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.out().lines().toList())
                .satisfiesExactly(
                        line -> assertThat(line).endsWith(": 1 failure, in 11 packets of RoCE"),
                        line -> assertThat(line).isEmpty(),
                        line ->
                                assertThat(line)
                                        .isEqualTo(
                                                "failed: 10.77.0.3 QP 0x000033 → 10.77.0.2 QP 0x000031"),
                        line -> assertThat(line).contains("had no receive posted"),
                        line -> assertThat(line).startsWith("  → Post receives at 10.77.0.2"));
    }

    @Test
    void saysThatNothingHasFailed() {
        Execution run = explain(capture("cm-rping"));

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains(": no failure found, in ").doesNotContain("failed:");
    }

    @Test
    void printsJsonForPrograms() {
        Execution run = explain("--json", capture("odd-reject"));

        JsonNode findings = JsonMapper.shared().readTree(run.out());
        assertThat(findings.get(0).get("verdict").asString()).isEqualTo("FAIL");
        assertThat(findings.get(0).get("detail").asString()).contains("'not today'");
    }

    @Test
    void readsACaptureThatEndsTooSoonAsFarAsItGoes(@TempDir Path directory) throws IOException {
        byte[] whole = Files.readAllBytes(capture("odd-rnrfail"));
        Path cut = directory.resolve("cut.pcap");
        Files.write(cut, Arrays.copyOf(whole, whole.length - 5));

        Execution run = explain(cut);

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("1 failure", "damaged or still written");
    }

    @Test
    void refusesWhatIsNoCapture(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("file.pcapng");
        refuses(explain(file), "no such file or directory", "file.pcapng");
        refuses(explain(directory), "is a directory; valid: a capture");
        Files.writeString(file, "");
        refuses(explain(file), "file.pcapng", "the file ends at byte 0");
        Files.writeString(file, "no capture at all");
        refuses(explain(file), "the file starts with 0x6e6f2063; valid: a capture");
        byte[] whole = Files.readAllBytes(capture("cm-rping"));
        Files.write(file, Arrays.copyOf(whole, 24));
        refuses(explain(file), "holds no packet");
        whole[20] = 105;
        Files.write(file, whole);
        refuses(explain(file), "none that can be explained of RoCEv2", "a link type");
    }

    @Test
    void everyFileIsExplainedOrRefused(@TempDir Path directory) throws IOException {
        SplittableRandom random = new SplittableRandom(7);
        byte[] whole = Files.readAllBytes(capture("loss-write"));
        Path file = directory.resolve("file.pcap");
        for (int i = 0; i < 200; i++) {
            byte[] bytes = Arrays.copyOf(whole, random.nextInt(4000));
            for (int changes = random.nextInt(6); changes > 0 && bytes.length > 0; changes--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            Files.write(file, bytes);

            Execution run = explain(file);

            assertThat(run.err()).doesNotContain("unexpected");
            assertThat(run.out() + run.err()).isNotBlank();
        }
    }

    // Errors.

    @ParameterizedTest
    @CsvSource({
        "RETRY_EXCEEDED",
        "IBV_WC_RETRY_EXC_ERR",
        "transport retry counter exceeded",
        "'Failed status transport retry counter exceeded (12) for wr_id 1'",
        "12 IBV_WC_RETRY_EXC_ERR vendor_err 0x81",
        "'transport retries exceeded: the peer does not answer'"
    })
    void knowsTheNamesOfOneStatus(String text) {
        Execution run = explain((Object[]) text.split(" "));

        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.out()).contains("the peer").containsAnyOf("did not answer", "node died");
    }

    @ParameterizedTest
    @EnumSource
    void explainsEveryStatus(CompletionStatus status) {
        assertThat(explain(status.name()).out())
                .startsWith(status.name() + "\n")
                .contains("IBV_WC_");
        assertThat(ExplainCommand.errors(status.explanation())).isNotEmpty();
    }

    @Test
    void tellsStatusesWithSimilarNamesApart() {
        assertThat(explain("IBV_WC_RNR_RETRY_EXC_ERR").out()).startsWith("RNR_RETRY_EXCEEDED");
        assertThat(explain("local access error").out()).startsWith("LOCAL_ACCESS_ERROR");
        assertThat(explain("remote access error").out()).startsWith("REMOTE_ACCESS_ERROR");
    }

    @ParameterizedTest
    @EnumSource
    void explainsEveryErrorOfDoca(DocaError error) {
        Execution run = explain("the task failed with " + error.docaName());

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).startsWith(error.docaName() + "\n").contains(error.description());
    }

    @ParameterizedTest
    @EnumSource
    void explainsEveryFaultOfADpa(Fault fault) {
        assertThat(explain(fault.name()).out()).contains("fault " + fault.code() + " of a process");
    }

    @ParameterizedTest
    @EnumSource
    void explainsEveryViolationOfCcip(Violation violation) {
        assertThat(explain(violation.name()).out()).contains(violation.hint(), violation.rule());
    }

    @Test
    void explainsTheCodesOfNaaice() {
        for (int code :
                new int[] {
                    ReturnCode.NOT_AVAILABLE,
                    ReturnCode.TIMEOUT,
                    ReturnCode.FIRST_APPLICATION,
                    ReturnCode.WRONG_ARGUMENTS,
                    ReturnCode.BUSY,
                    ReturnCode.SHUTTING_DOWN
                }) {
            String told = explain("return code 0x%02x".formatted(code)).out();
            assertThat(told).contains("→");
            assertThat(told).isEqualTo(explain(ReturnCode.explain(code).substring(5)).out());
        }
        assertThat(explain("MRSP error 0x%02x".formatted(MrspException.INVALID_ADDRESS)).out())
                .contains("a requested address lies outside the node's memory");
    }

    @Test
    void explainsItsOwnMessages() {
        Execution run =
                explain(
                        "outboard: connecting to 127.0.0.99:12345: no connection within 500 ms;"
                                + " is a server running there? (state READY)");

        assertThat(run.out()).contains("nobody answers", "docs/guide/troubleshooting.md");
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        refuses(explain("it", "is", "broken"), "'it is broken' is no file, and no error");
    }
}
