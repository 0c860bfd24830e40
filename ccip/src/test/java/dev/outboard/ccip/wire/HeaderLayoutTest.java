package dev.outboard.ccip.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.wire.GoldenRows.Field;
import dev.outboard.testkit.Requirement;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Every row of every header layout.
class HeaderLayoutTest {
    /// The headers by row of the catalog. That of C2 is one field wide.
    private static final Map<String, String> HEADERS =
            Map.of(
                    "CCIP-HDR-1", "C0Tx-read",
                    "CCIP-HDR-2", "C1Tx-write",
                    "CCIP-HDR-3", "C1Tx-fence",
                    "CCIP-HDR-4", "C1Tx-interrupt",
                    "CCIP-HDR-6", "C0Rx-read",
                    "CCIP-HDR-7", "C0Rx-mmio",
                    "CCIP-HDR-8", "C0Rx-umsg",
                    "CCIP-HDR-9", "C1Rx-write",
                    "CCIP-HDR-10", "C1Rx-fence",
                    "CCIP-HDR-11", "C1Rx-interrupt");

    private final Tx tx = new Tx();
    private final Rx rx = new Rx();

    static List<Field> rows() {
        return GoldenRows.layouts();
    }

    @TestFactory
    @Requirement(
            table = true,
            value = {
                "CCIP-HDR-1",
                "CCIP-HDR-2",
                "CCIP-HDR-3",
                "CCIP-HDR-4",
                "CCIP-HDR-6",
                "CCIP-HDR-7",
                "CCIP-HDR-8",
                "CCIP-HDR-9",
                "CCIP-HDR-10",
                "CCIP-HDR-11"
            })
    Stream<DynamicTest> aFieldIsReadFromItsBitsAndFromNoOther() {
        assertThat(rows()).allMatch(row -> HEADERS.containsValue(row.within()));
        return HEADERS.entrySet().stream()
                .map(header ->
                        DynamicTest.dynamicTest(
                                header.getKey(), () -> readsEachField(header.getValue())));
    }

    private void readsEachField(String header) {
        List<Field> rows = rows().stream().filter(row -> row.within().equals(header)).toList();
        assertThat(rows).isNotEmpty();
        for (Field row : rows) {
            set(row.within(), row.bits());
            for (Field field : fieldsOf(row.within())) {
                BigInteger expected =
                        field.equals(row) ? row.bits().shiftRight(row.low()) : BigInteger.ZERO;
                assertThat(BigInteger.valueOf(read(field))).as(field.name()).isEqualTo(expected);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("rows")
    void theReservedBitsOfAReadAreSeenTogether(Field row) {
        if (row.within().equals("C0Tx-read")) {
            set(row.within(), row.bits());
            assertThat(tx.c0.reserved() != 0).isEqualTo(row.reserved());
        }
    }

    @Test
    void theRowsOfAHeaderCoverItOnce() {
        Map<String, BigInteger> sums =
                rows().stream()
                        .collect(Collectors.toMap(Field::within, Field::bits, BigInteger::add));
        Map<String, Integer> widths = Map.of("C0Tx", 74, "C1Tx", 80, "C0Rx", 28, "C1Rx", 28);
        sums.forEach((header, sum) -> {
            int width = widths.get(header.substring(0, 4));
            assertThat(sum).as(header).isEqualTo(new Field(header, width - 1, 0, "").bits());
        });
    }

    @Test
    @Requirement("CCIP-HDR-5")
    void valuesTooWideReachNoOtherField() {
        tx.c0.read(ReadType.RDLINE_I, VirtualChannel.VA, LineCount.ONE, -1, 0);
        assertThat(Headers.of(tx.c0.hdrHigh, tx.c0.hdrLow))
                .isEqualTo(new Field("", 57, 16, "address").bits());
        tx.c1.write(WriteType.WRLINE_I, VirtualChannel.VA, LineCount.ONE, 0, -1);
        assertThat(tx.c1.hdrLow).isEqualTo(0xFFFF);
        tx.c1.writeBytes(WriteType.WRLINE_I, VirtualChannel.VA, 0, 0, 0, -1);
        assertThat(tx.c1.hdrHigh).isEqualTo(0x3F << 10 | 1 << 7 | 1 << 6);
        tx.c1.writeNext(WriteType.WRLINE_I, -1);
        assertThat(tx.c1.hdrLow).isEqualTo(3L << 16);
        tx.c1.interrupt(VirtualChannel.VA, -1);
        assertThat(tx.c1.hdrLow).isEqualTo(3);
        tx.c2.respond(-1, 0);
        assertThat(tx.c2.tid).isEqualTo(0x1FF);
        rx.c0.mmioRead(-1, MmioLength.BYTES_4, -1);
        assertThat(rx.c0.hdr).isEqualTo(0xFFFF1FF);
        rx.c0.umsg(false, -1);
        assertThat(rx.c0.hdr).isEqualTo(0x40007);
        rx.c0.readResponse(VirtualChannel.VA, false, -1, 0);
        assertThat(rx.c0.hdr).isEqualTo(0x300000);
        rx.c1.writeResponse(VirtualChannel.VA, false, 0, -1);
        assertThat(rx.c1.hdr).isEqualTo(0xFFFF);
    }

    private static List<Field> fieldsOf(String header) {
        return rows().stream().filter(f -> f.within().equals(header) && !f.reserved()).toList();
    }

    private void set(String header, BigInteger bits) {
        switch (header.substring(0, 4)) {
            case "C0Tx" -> Headers.set(bits, tx.c0);
            case "C1Tx" -> Headers.set(bits, tx.c1);
            case "C0Rx" -> rx.c0.hdr = bits.intValueExact();
            case "C1Rx" -> rx.c1.hdr = bits.intValueExact();
            default -> throw new IllegalStateException(header);
        }
    }

    private long read(Field field) {
        return switch (field.within().substring(0, 4)) {
            case "C0Tx" -> readC0Tx(field.name());
            case "C1Tx" -> readC1Tx(field.name());
            case "C0Rx" -> readC0Rx(field.name());
            default -> readC1Rx(field.name());
        };
    }

    private long readC0Tx(String field) {
        return switch (field) {
            case "vc_sel" -> tx.c0.channel();
            case "cl_len" -> tx.c0.lengthCode();
            case "req_type" -> tx.c0.requestType();
            case "address" -> tx.c0.address();
            case "mdata" -> tx.c0.mdata();
            default -> throw new IllegalStateException(field);
        };
    }

    private long readC1Tx(String field) {
        return switch (field) {
            case "byte_len" -> tx.c1.byteLength();
            case "vc_sel" -> tx.c1.channel();
            case "sop" -> tx.c1.startOfPacket() ? 1 : 0;
            case "mode" -> tx.c1.byteMode() ? 1 : 0;
            case "cl_len" -> tx.c1.lengthCode();
            case "req_type" -> tx.c1.requestType();
            case "byte_start" -> tx.c1.byteStart();
            case "address" -> tx.c1.address();
            case "mdata" -> tx.c1.mdata();
            case "id" -> tx.c1.interruptId();
            default -> throw new IllegalStateException(field);
        };
    }

    private long readC0Rx(String field) {
        return switch (field) {
            case "vc_used" -> rx.c0.channelUsed();
            case "hit_miss" -> rx.c0.hit() ? 1 : 0;
            case "cl_num" -> rx.c0.lineNumber();
            case "resp_type" -> rx.c0.responseType();
            case "mdata" -> rx.c0.mdata();
            case "address" -> rx.c0.mmioAddress();
            case "length" -> rx.c0.mmioLength();
            case "tid" -> rx.c0.tid();
            case "type" -> rx.c0.isHint() ? 1 : 0;
            case "id" -> rx.c0.umsgId();
            default -> throw new IllegalStateException(field);
        };
    }

    private long readC1Rx(String field) {
        return switch (field) {
            case "vc_used" -> rx.c1.channelUsed();
            case "hit_miss" -> rx.c1.hit() ? 1 : 0;
            case "format" -> rx.c1.packed() ? 1 : 0;
            case "cl_num" -> rx.c1.lineNumber();
            case "resp_type" -> rx.c1.responseType();
            case "mdata" -> rx.c1.mdata();
            case "id" -> rx.c1.interruptId();
            default -> throw new IllegalStateException(field);
        };
    }
}
