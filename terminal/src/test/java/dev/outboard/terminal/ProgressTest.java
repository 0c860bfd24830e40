package dev.outboard.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private final StringWriter text = new StringWriter();
    private final PrintWriter out = new PrintWriter(text);

    @Test
    void writesALinePerQuarterWhereThereIsNoTerminal() {
        try (Progress progress = new Progress("send", 1000, out, false)) {
            for (int done = 0; done <= 1000; done++) {
                progress.update(done);
            }
        }

        assertThat(text.toString().lines())
                .containsExactly("send: 25 %", "send: 50 %", "send: 75 %", "send: 100 %");
    }

    @Test
    void redrawsOneLineOnATerminal() {
        try (Progress progress = new Progress("send", 10, out, true)) {
            progress.update(5);
            progress.update(10);
        }

        assertThat(text.toString().split("\r"))
                .satisfiesExactly(
                        nothing -> assertThat(nothing).isEmpty(),
                        start -> assertThat(start).endsWith("[" + "·".repeat(30) + "]   0 %"),
                        half ->
                                assertThat(half)
                                        .endsWith(
                                                "[" + "#".repeat(15) + "·".repeat(15) + "]  50 %"),
                        end ->
                                assertThat(end)
                                        .endsWith(
                                                "["
                                                        + "#".repeat(30)
                                                        + "] 100 %"
                                                        + System.lineSeparator()));
    }

    @Test
    void redrawsOnlyWhenThePercentageChanges() {
        try (Progress progress = new Progress("send", 1L << 40, out, true)) {
            for (long done = 0; done < 1000; done++) {
                progress.update(done);
            }
        }

        assertThat(text.toString().chars().filter(c -> c == '\r').count()).isEqualTo(1);
    }

    @Test
    void workOfNoPartsIsDone() {
        try (Progress progress = new Progress("send", 0, out, false)) {
            progress.update(0);
        }

        assertThat(text.toString().lines()).containsExactly("send: 100 %");
    }
}
