package dev.outboard.ccip.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.wire.GoldenRows.Vector;
import dev.outboard.testkit.Requirement;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The golden vectors of headers, both ways; those of device feature headers are proven where these
/// are written.
@Requirement(
        table = true,
        value = {
            "CCIP-GV-1",
            "CCIP-GV-2",
            "CCIP-GV-3",
            "CCIP-GV-4",
            "CCIP-GV-5",
            "CCIP-GV-6",
            "CCIP-GV-7",
            "CCIP-GV-8",
            "CCIP-GV-9",
            "CCIP-GV-10",
            "CCIP-GV-11",
            "CCIP-GV-12",
            "CCIP-GV-13",
            "CCIP-GV-14",
            "CCIP-GV-15",
            "CCIP-GV-16",
            "CCIP-GV-17",
            "CCIP-GV-18",
            "CCIP-GV-19"
        })
class GoldenHeaderTest {
    private final Tx tx = new Tx();
    private final Rx rx = new Rx();

    static List<Vector> vectors() {
        return GoldenRows.vectors();
    }

    @Test
    void hasAVectorOfEachRow() {
        assertThat(vectors().stream().map(Vector::name).distinct())
                .containsExactly(GoldenHeaderTest.class.getAnnotation(Requirement.class).value());
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void drivesTheHeader(Vector vector) {
        assertThat(drive(vector).toString(16)).isEqualTo(vector.header().toString(16));
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void readsTheFieldsOfTheHeader(Vector vector) {
        assertThat(fields(vector)).isEqualTo(vector.fields());
    }

    private BigInteger drive(Vector v) {
        switch (v.kind()) {
            case "read" -> tx.c0.read(readType(v), vc(v), lines(v), address(v), mdata(v));
            case "write" -> tx.c1.write(writeType(v), vc(v), lines(v), address(v), mdata(v));
            case "writeNext" -> tx.c1.writeNext(writeType(v), address(v));
            case "writeBytes" ->
                    tx.c1.writeBytes(
                            writeType(v),
                            vc(v),
                            address(v),
                            mdata(v),
                            (int) v.number("start"),
                            (int) v.number("length"));
            case "fence" -> tx.c1.fence(vc(v), mdata(v));
            case "interrupt" -> tx.c1.interrupt(vc(v), (int) v.number("id"));
            case "mmioRead" -> rx.c0.mmioRead((int) address(v), mmioLength(v), tid(v));
            case "mmioWrite" -> rx.c0.mmioWrite((int) address(v), mmioLength(v), tid(v));
            case "readResponse" -> rx.c0.readResponse(vc(v), hit(v), line(v), mdata(v));
            case "umsg" -> rx.c0.umsg(v.number("hint") == 1, (int) v.number("id"));
            case "writeResponse" -> rx.c1.writeResponse(vc(v), hit(v), line(v), mdata(v));
            case "packedResponse" -> rx.c1.packedWriteResponse(vc(v), hit(v), lines(v), mdata(v));
            case "fenceResponse" -> rx.c1.fenceResponse(mdata(v));
            case "interruptResponse" -> rx.c1.interruptResponse(vc(v), (int) v.number("id"));
            default -> throw new IllegalStateException(v.kind());
        }
        return driven();
    }

    /// The header of the one channel that is valid.
    private BigInteger driven() {
        if (tx.c0.valid) {
            return Headers.of(tx.c0.hdrHigh, tx.c0.hdrLow);
        }
        if (tx.c1.valid) {
            return Headers.of(tx.c1.hdrHigh, tx.c1.hdrLow);
        }
        assertThat(rx.c1.rspValid)
                .isNotEqualTo(rx.c0.rspValid || rx.c0.mmioRdValid || rx.c0.mmioWrValid);
        return BigInteger.valueOf(rx.c1.rspValid ? rx.c1.hdr : rx.c0.hdr);
    }

    private Map<String, String> fields(Vector v) {
        Headers.set(v.header(), tx.c0);
        Headers.set(v.header(), tx.c1);
        rx.c0.hdr = v.header().intValue();
        rx.c1.hdr = v.header().intValue();
        return switch (v.kind()) {
            case "read" ->
                    Map.of(
                            "type", ReadType.of(tx.c0.requestType()).name(),
                            "vc", VirtualChannel.of(tx.c0.channel()).name(),
                            "lines", hex(LineCount.of(tx.c0.lengthCode()).lines()),
                            "address", hex(tx.c0.address()),
                            "mdata", hex(tx.c0.mdata()));
            case "write" -> {
                assertThat(tx.c1.startOfPacket()).isTrue();
                assertThat(tx.c1.byteMode()).isFalse();
                yield Map.of(
                        "type", WriteType.of(tx.c1.requestType()).name(),
                        "vc", VirtualChannel.of(tx.c1.channel()).name(),
                        "lines", hex(LineCount.of(tx.c1.lengthCode()).lines()),
                        "address", hex(tx.c1.address()),
                        "mdata", hex(tx.c1.mdata()));
            }
            case "writeNext" -> {
                assertThat(tx.c1.startOfPacket()).isFalse();
                yield Map.of(
                        "type", WriteType.of(tx.c1.requestType()).name(),
                        "address", hex(tx.c1.address()));
            }
            case "writeBytes" -> {
                assertThat(tx.c1.startOfPacket()).isTrue();
                assertThat(tx.c1.byteMode()).isTrue();
                yield Map.of(
                        "type", WriteType.of(tx.c1.requestType()).name(),
                        "vc", VirtualChannel.of(tx.c1.channel()).name(),
                        "address", hex(tx.c1.address()),
                        "mdata", hex(tx.c1.mdata()),
                        "start", hex(tx.c1.byteStart()),
                        "length", hex(tx.c1.byteLength()));
            }
            case "fence" -> {
                assertThat(WriteType.of(tx.c1.requestType())).isEqualTo(WriteType.WRFENCE);
                yield Map.of(
                        "vc", VirtualChannel.of(tx.c1.channel()).name(),
                        "mdata", hex(tx.c1.mdata()));
            }
            case "interrupt" -> {
                assertThat(WriteType.of(tx.c1.requestType())).isEqualTo(WriteType.INTR);
                yield Map.of(
                        "vc", VirtualChannel.of(tx.c1.channel()).name(),
                        "id", hex(tx.c1.interruptId()));
            }
            default -> responseFields(v.kind());
        };
    }

    private Map<String, String> responseFields(String kind) {
        return switch (kind) {
            case "mmioRead", "mmioWrite" ->
                    Map.of(
                            "address", hex(rx.c0.mmioAddress()),
                            "length", MmioLength.of(rx.c0.mmioLength()).name(),
                            "tid", hex(rx.c0.tid()));
            case "readResponse" -> {
                rx.c0.rspValid = true;
                assertThat(rx.c0.isReadResponse()).isTrue();
                assertThat(C0Response.of(rx.c0.responseType())).isEqualTo(C0Response.RDLINE);
                yield Map.of(
                        "vc", VirtualChannel.of(rx.c0.channelUsed()).name(),
                        "hit", rx.c0.hit() ? "1" : "0",
                        "line", hex(rx.c0.lineNumber()),
                        "mdata", hex(rx.c0.mdata()));
            }
            case "umsg" -> {
                rx.c0.rspValid = true;
                assertThat(rx.c0.isUmsg()).isTrue();
                assertThat(C0Response.of(rx.c0.responseType())).isEqualTo(C0Response.UMSG);
                yield Map.of("hint", rx.c0.isHint() ? "1" : "0", "id", hex(rx.c0.umsgId()));
            }
            case "writeResponse", "packedResponse" -> {
                boolean packed = kind.equals("packedResponse");
                rx.c1.rspValid = true;
                assertThat(rx.c1.isWriteResponse()).isTrue();
                assertThat(rx.c1.packed()).isEqualTo(packed);
                int number = rx.c1.lineNumber();
                yield Map.of(
                        "vc",
                        VirtualChannel.of(rx.c1.channelUsed()).name(),
                        "hit",
                        rx.c1.hit() ? "1" : "0",
                        packed ? "lines" : "line",
                        hex(packed ? LineCount.of(number).lines() : number),
                        "mdata",
                        hex(rx.c1.mdata()));
            }
            case "fenceResponse" -> {
                assertThat(C1Response.of(rx.c1.responseType())).isEqualTo(C1Response.WRFENCE);
                yield Map.of("mdata", hex(rx.c1.mdata()));
            }
            case "interruptResponse" -> {
                assertThat(C1Response.of(rx.c1.responseType())).isEqualTo(C1Response.INTR);
                yield Map.of(
                        "vc", VirtualChannel.of(rx.c1.channelUsed()).name(),
                        "id", hex(rx.c1.interruptId()));
            }
            default -> throw new IllegalStateException(kind);
        };
    }

    private static ReadType readType(Vector v) {
        return ReadType.valueOf(v.text("type"));
    }

    private static WriteType writeType(Vector v) {
        return WriteType.valueOf(v.text("type"));
    }

    private static VirtualChannel vc(Vector v) {
        return VirtualChannel.valueOf(v.text("vc"));
    }

    private static LineCount lines(Vector v) {
        return LineCount.ofLines((int) v.number("lines"));
    }

    private static MmioLength mmioLength(Vector v) {
        return MmioLength.valueOf(v.text("length"));
    }

    private static long address(Vector v) {
        return v.number("address");
    }

    private static int mdata(Vector v) {
        return (int) v.number("mdata");
    }

    private static int tid(Vector v) {
        return (int) v.number("tid");
    }

    private static int line(Vector v) {
        return (int) v.number("line");
    }

    private static boolean hit(Vector v) {
        return v.number("hit") == 1;
    }

    private static String hex(long value) {
        return Long.toHexString(value);
    }
}
