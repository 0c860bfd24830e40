package dev.outboard.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class TableTest {
    @Test
    void alignsColumnsAndLeavesNoSpacesBehind() {
        StringWriter text = new StringWriter();

        new Table("lrl")
                .row("what", "count", "note")
                .row("packets", 12345, "x")
                .row("a", 1)
                .print(new PrintWriter(text, true), "  ");

        assertThat(text.toString().lines())
                .containsExactly(
                        "  what     count  note", "  packets  12345  x", "  a            1");
    }
}
