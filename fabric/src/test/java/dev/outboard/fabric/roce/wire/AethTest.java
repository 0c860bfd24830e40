package dev.outboard.fabric.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AethTest {
    /// Milliseconds per code, as spec/roce.md, 3.5 has them.
    private static final String RNR_TIMER_MILLIS =
            """
            655.36 0.01 0.02 0.03 0.04 0.06 0.08 0.12 0.16 0.24 0.32 0.48 0.64 0.96 1.28 1.92
            2.56 3.84 5.12 7.68 10.24 15.36 20.48 30.72
            40.96 61.44 81.92 122.88 163.84 245.76 327.68 491.52
            """;

    @Test
    @Requirement("ROCE-RC-16")
    void waitsAsTheTimerTableSays() {
        String[] millis = RNR_TIMER_MILLIS.trim().split("\\s+");
        assertThat(millis).hasSize(32);
        for (int code = 0; code < 32; code++) {
            long nanos = new BigDecimal(millis[code]).movePointRight(6).longValueExact();
            assertThat(Aeth.rnrTimerNanos(code)).as("code %d", code).isEqualTo(nanos);
        }
    }

    @Test
    @Requirement("ROCE-RC-16")
    void carriesEveryTimerCodeInTheSyndrome() {
        for (int code = 0; code < 32; code++) {
            int syndrome = Aeth.rnrNak(code);
            assertThat(syndrome).isEqualTo(0x20 + code);
            assertThat(Aeth.isRnrNak(syndrome)).isTrue();
            assertThat(Aeth.rnrTimerCode(syndrome)).isEqualTo(code);
        }
    }

    @ParameterizedTest
    @CsvSource({"00, 1f, ack", "20, 3f, rnr", "40, ff, other"})
    void sortsSyndromesByTheirTopBits(String from, String to, String kind) {
        for (int s = Integer.parseInt(from, 16); s <= Integer.parseInt(to, 16); s++) {
            assertThat(Aeth.isAck(s)).as("%x", s).isEqualTo(kind.equals("ack"));
            assertThat(Aeth.isRnrNak(s)).as("%x", s).isEqualTo(kind.equals("rnr"));
        }
    }

    @Test
    void keepsSyndromeAndMessageNumberApart() {
        try (var arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(Aeth.LENGTH);
            Aeth.write(segment, 0, Aeth.NAK_REMOTE_OPERATIONAL_ERROR, 0xFFFFFF);

            assertThat(Aeth.syndrome(segment, 0)).isEqualTo(0x63);
            assertThat(Aeth.msn(segment, 0)).isEqualTo(0xFFFFFF);
        }
    }
}
