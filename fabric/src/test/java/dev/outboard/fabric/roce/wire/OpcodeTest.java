package dev.outboard.fabric.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OpcodeTest {
    /// The tables of spec/roce.md, 3.1, 4 and 6.
    @ParameterizedTest
    @CsvSource({
        "00, SEND_FIRST,       RC,  SEND,          first,  request,  12, ''",
        "01, SEND_MIDDLE,      RC,  SEND,          middle, request,  12, ''",
        "02, SEND_LAST,        RC,  SEND,          last,   request,  12, ''",
        "03, SEND_LAST_IMM,    RC,  SEND,          last,   request,  16, immediate",
        "04, SEND_ONLY,        RC,  SEND,          only,   request,  12, ''",
        "05, SEND_ONLY_IMM,    RC,  SEND,          only,   request,  16, immediate",
        "06, WRITE_FIRST,      RC,  WRITE,         first,  request,  28, reth",
        "07, WRITE_MIDDLE,     RC,  WRITE,         middle, request,  12, ''",
        "08, WRITE_LAST,       RC,  WRITE,         last,   request,  12, ''",
        "09, WRITE_LAST_IMM,   RC,  WRITE,         last,   request,  16, immediate",
        "0a, WRITE_ONLY,       RC,  WRITE,         only,   request,  28, reth",
        "0b, WRITE_ONLY_IMM,   RC,  WRITE,         only,   request,  32, reth immediate",
        "0c, READ_REQUEST,     RC,  READ_REQUEST,  only,   request,  28, reth",
        "0d, READ_RESP_FIRST,  RC,  READ_RESPONSE, first,  response, 16, aeth",
        "0e, READ_RESP_MIDDLE, RC,  READ_RESPONSE, middle, response, 12, ''",
        "0f, READ_RESP_LAST,   RC,  READ_RESPONSE, last,   response, 16, aeth",
        "10, READ_RESP_ONLY,   RC,  READ_RESPONSE, only,   response, 16, aeth",
        "11, ACKNOWLEDGE,      RC,  ACKNOWLEDGE,   only,   response, 16, aeth",
        "12, ATOMIC_ACK,       RC,  ATOMIC_ACK,    only,   response, 24, aeth atomicAckEth",
        "13, CMP_SWAP,         RC,  COMPARE_SWAP,  only,   request,  40, atomicEth",
        "14, FETCH_ADD,        RC,  FETCH_ADD,     only,   request,  40, atomicEth",
        "16, SEND_LAST_INV,    RC,  SEND,          last,   request,  16, ieth",
        "17, SEND_ONLY_INV,    RC,  SEND,          only,   request,  16, ieth",
        "1c, FLUSH,            RC,  FLUSH,         only,   request,  32, ''",
        "1d, ATOMIC_WRITE,     RC,  ATOMIC_WRITE,  only,   request,  28, reth",
        "64, UD_SEND_ONLY,     UD,  UD_SEND,       only,   neither,  20, deth",
        "65, UD_SEND_ONLY_IMM, UD,  UD_SEND,       only,   neither,  24, deth immediate",
        "81, CNP,              CNP, CNP,           only,   neither,  12, ''"
    })
    void describesItsPacket(
            String code,
            Opcode opcode,
            Opcode.Transport transport,
            Opcode.Operation operation,
            String position,
            String direction,
            int headerLength,
            String extensions) {
        assertThat(Opcode.of(Integer.parseInt(code, 16))).isSameAs(opcode);
        assertThat(opcode.code()).isEqualTo(Integer.parseInt(code, 16));
        assertThat(opcode.transport()).isEqualTo(transport);
        assertThat(opcode.operation()).isEqualTo(operation);
        assertThat(positions(opcode)).isEqualTo(position);
        assertThat(opcode.isRequest()).isEqualTo(direction.equals("request"));
        assertThat(opcode.isResponse()).isEqualTo(direction.equals("response"));
        assertThat(opcode.headerLength()).isEqualTo(headerLength);
        assertThat(extensions(opcode)).isEqualTo(words(extensions));
    }

    @Test
    void knowsNoOtherCode() {
        assertThat(IntStream.range(0, 256).mapToObj(Opcode::of).filter(it -> it != null))
                .containsExactly(Opcode.values())
                .hasSize(28);
    }

    private static String positions(Opcode opcode) {
        return (opcode.isFirst() ? "first" : "")
                + (opcode.isMiddle() ? "middle" : "")
                + (opcode.isLast() ? "last" : "")
                + (opcode.isOnly() ? "only" : "");
    }

    private static Set<String> extensions(Opcode opcode) {
        var present = new HashSet<String>();
        addIf(present, opcode.hasReth(), "reth");
        addIf(present, opcode.hasAeth(), "aeth");
        addIf(present, opcode.hasAtomicEth(), "atomicEth");
        addIf(present, opcode.hasAtomicAckEth(), "atomicAckEth");
        addIf(present, opcode.hasDeth(), "deth");
        addIf(present, opcode.hasImmediate(), "immediate");
        addIf(present, opcode.hasIeth(), "ieth");
        return present;
    }

    private static void addIf(Set<String> present, boolean condition, String name) {
        if (condition) {
            present.add(name);
        }
    }

    private static Set<String> words(String text) {
        return Arrays.stream(text.split(" "))
                .filter(word -> !word.isEmpty())
                .collect(Collectors.toSet());
    }
}
