package dev.outboard.naa;

import static dev.outboard.naa.Dialect.AP1_2023;
import static dev.outboard.naa.Dialect.UPSTREAM_2026;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;

/// The immediate values of sections 7.1 and 10.1, with vectors V-6 to V-9.
class DialectTest {
    private static final int AA_BB_CC = 0xCCBBAA;

    @Test
    @Requirement({"NAA-XFER-2"})
    void encodesRequestsLikeTheVectors() {
        assertThat(AP1_2023.requestImmediate(1, 0)).isEqualTo(0x00000001);
        assertThat(UPSTREAM_2026.requestImmediate(1, AA_BB_CC)).isEqualTo(0xccbbaa81);
        assertThat(UPSTREAM_2026.requestImmediate(127, 0)).isEqualTo(0x000000ff);
    }

    @Test
    @Requirement({"NAA-XFER-13"})
    void decodesFunctionCodesWithTheWidthOfTheDialect() {
        assertThat(AP1_2023.functionCode(0x123456ff)).isEqualTo(0xff);
        assertThat(UPSTREAM_2026.functionCode(0xccbbaa81)).isEqualTo(1);
        assertThat(UPSTREAM_2026.functionCode(0x000000ff)).isEqualTo(127);
        assertThat(UPSTREAM_2026.userBytes(0xccbbaa81)).isEqualTo(AA_BB_CC);
        assertThat(AP1_2023.userBytes(0xccbbaa81)).isZero();
    }

    @Test
    @Requirement({"NAA-RET-7"})
    void encodesAnswersLikeTheVectors() {
        assertThat(AP1_2023.returnImmediate(5)).isEqualTo(0x00000005);
        assertThat(UPSTREAM_2026.returnImmediate(5)).isEqualTo(0x00000500);
        assertThat(AP1_2023.returnImmediate(0)).isZero();
        assertThat(UPSTREAM_2026.returnImmediate(0)).isZero();
    }

    @Test
    @Requirement({"NAA-RET-8", "NAA-RET-9"})
    void decodesAnswersInFullWidth() {
        assertThat(AP1_2023.returnCode(0x00000005)).isEqualTo(5);
        assertThat(AP1_2023.returnCode(0x01000000)).isEqualTo(0x01000000);
        assertThat(UPSTREAM_2026.returnCode(0x00000500)).isEqualTo(5);
        assertThat(UPSTREAM_2026.returnCode(0x000000ff)).isZero();
        assertThat(UPSTREAM_2026.returnCode(0xabcdef12)).isEqualTo(0xabcdef);
    }

    @Test
    void knowsWhatDiffersBesides() {
        assertThat(AP1_2023.retryCount()).isEqualTo(1);
        assertThat(UPSTREAM_2026.retryCount()).isEqualTo(7);
        assertThat(AP1_2023.maxRegionBytes()).isEqualTo(1L << 30);
        assertThat(UPSTREAM_2026.maxRegionBytes()).isEqualTo(1L << 31);
        assertThat(AP1_2023).hasToString("ap1-2023");
        assertThat(UPSTREAM_2026).hasToString("upstream-2026");
    }

    @Test
    @Requirement("NAA-RET-10")
    void explainsReturnCodesAndPassesUnknownOnesThrough() {
        assertThat(ReturnCode.explain(0)).contains("success");
        assertThat(ReturnCode.explain(1)).contains("no such function");
        assertThat(ReturnCode.explain(2)).contains("time limit");
        assertThat(ReturnCode.explain(3)).contains("0x03", "unknown");
        assertThat(ReturnCode.explain(0x10)).contains("routine");
        assertThat(ReturnCode.explain(0x7f)).contains("0x7f", "routine");
        assertThat(ReturnCode.explain(0xabcdef)).contains("0xabcdef", "unknown");
    }

    @Test
    @Requirement("NAA-STATE-1")
    void statesHaveTheCodesOfTheReference() {
        String[] table = {
            "INIT 0",
            "READY 1",
            "CONNECTED 2",
            "DISCONNECTED 3",
            "MRSP_SENDING 10",
            "MRSP_RECEIVING 11",
            "MRSP_DONE 12",
            "DATA_SENDING 20",
            "CALCULATING 21",
            "DATA_RECEIVING 22",
            "FINISHED 30",
            "ERROR 40"
        };
        assertThat(NaaState.values())
                .extracting(state -> state + " " + state.code())
                .containsExactly(table);
    }
}
