package dev.outboard.ccip.fiu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.fiu.Port.Response;
import dev.outboard.ccip.platform.Access;
import dev.outboard.ccip.platform.AfterError;
import dev.outboard.ccip.platform.MemoryModel;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.platform.ResponseFormat;
import dev.outboard.ccip.wire.C1Response;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What comes back for reads, writes and fences, and what they do to memory.
class ResponsesTest {
    private static final List<ResponseFormat> FORMATS =
            List.of(ResponseFormat.PACKED, ResponseFormat.UNPACKED);

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-MEM-1", "CCIP-RSP-1", "CCIP-RSP-5", "CCIP-RSP-8", "CCIP-ENC-9"})
    void everyLineOfAReadIsAnsweredOnce(Mode mode) {
        for (LineCount count : LineCount.values()) {
            Port port = readFromLine8(mode, count);
            assertThat(port.reads()).hasSize(count.lines()).allMatch(r -> r.mdata() == 0xBEEF);
            assertThat(port.reads()).allMatch(r -> r.word() == 100 + r.number());
            assertThat(numbers(port.reads())).hasSize(count.lines());
            assertThat(port.writes()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-RSP-7", "CCIP-MCL-12", "CCIP-PLT-9", "CCIP-HDR-20"})
    void allLinesOfAReadComeFromOneAddressOnOverOneChannel(Mode mode) {
        for (LineCount count : LineCount.values()) {
            Port port = readFromLine8(mode, count);
            assertThat(port.reads().stream().map(Response::channel).distinct()).hasSize(1);
            assertThat(port.reads())
                    .hasSize(count.lines())
                    .allMatch(r -> r.word() == 100 + r.number());
        }
    }

    /// Each of the four lines from 8 on holds 100 and its number.
    private static Port readFromLine8(Mode mode, LineCount count) {
        Port port = new Port(Profile.INTEGRATED, mode, 7, ResponseFormat.BY_CHANNEL);
        for (int line = 0; line < 4; line++) {
            port.word(8 + line, 100 + line);
        }
        return port.read(8, count, VirtualChannel.VA, 0xBEEF).edge().settle();
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-MEM-2", "CCIP-RSP-2", "CCIP-HDR-24", "CCIP-HDR-25"})
    void aWriteTakesItsLinesOverTheChannelOfItsFirstBeat(Mode mode) {
        for (ResponseFormat format : FORMATS) {
            for (LineCount count : LineCount.values()) {
                Port port = writeFromLine4(mode, format, count);
                assertThat(port.writes())
                        .isNotEmpty()
                        .allMatch(r -> r.mdata() == 0x1234 && r.channel() == VirtualChannel.VH0);
                assertThat(port.reads()).isEmpty();
                for (int line = 0; line < count.lines(); line++) {
                    assertThat(port.word(4 + line)).isEqualTo(50 + line);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-RSP-9", "CCIP-RSP-10", "CCIP-RSP-11", "CCIP-ENC-8", "CCIP-ENC-10"})
    void aWriteIsAnsweredOnceOrLineByLine(Mode mode) {
        for (LineCount count : LineCount.values()) {
            Port packed = writeFromLine4(mode, ResponseFormat.PACKED, count);
            assertThat(packed.writes()).hasSize(1).allMatch(Response::packed);
            assertThat(packed.writes().getFirst().number()).isEqualTo(count.code());
            Port unpacked = writeFromLine4(mode, ResponseFormat.UNPACKED, count);
            assertThat(unpacked.writes()).hasSize(count.lines()).noneMatch(Response::packed);
            assertThat(numbers(unpacked.writes())).hasSize(count.lines());
        }
    }

    private static Port writeFromLine4(Mode mode, ResponseFormat format, LineCount count) {
        Port port = new Port(Profile.PAC_A10, mode, 3, format);
        return port.burst(4, count, VirtualChannel.VH0, 0x1234, 50).settle();
    }

    private static Set<Integer> numbers(List<Response> responses) {
        return responses.stream().map(Response::number).collect(Collectors.toSet());
    }

    @Test
    @Requirement("CCIP-RSP-11")
    void theFormatFollowsTheChannelOrTheSeed() {
        Port port = new Port(Profile.INTEGRATED);
        port.burst(0, LineCount.TWO, VirtualChannel.VL0, 1, 0);
        port.burst(4, LineCount.TWO, VirtualChannel.VH1, 2, 0).settle();
        assertThat(port.writes().stream().filter(r -> r.mdata() == 1))
                .hasSize(2)
                .noneMatch(Response::packed);
        assertThat(port.writes().stream().filter(r -> r.mdata() == 2))
                .hasSize(1)
                .allMatch(Response::packed);
        Port random = new Port(Profile.PAC_A10, Mode.TIMED, 1, ResponseFormat.RANDOM);
        for (int i = 0; i < 20; i++) {
            random.burst(0, LineCount.TWO, VirtualChannel.VA, i, 0);
        }
        random.settle();
        assertThat(random.writes()).anyMatch(Response::packed).anyMatch(r -> !r.packed());
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-HDR-23", "CCIP-HDR-27", "CCIP-RSP-3", "CCIP-RSP-4", "CCIP-PLT-15"})
    void manyRequestsWithOneMdataComeBackInAnyOrder(Mode mode) {
        Port port = new Port(Profile.INTEGRATED, mode, 5, ResponseFormat.UNPACKED);
        for (int line = 0; line < 64; line++) {
            port.word(line, line);
        }
        for (int i = 0; i < 32; i++) {
            port.read(i, 7).write(512 + i, 7, i).edge().edge();
        }
        port.settle();
        assertThat(port.reads())
                .hasSize(32)
                .allMatch(r -> r.mdata() == 7 && r.word() == r.request());
        assertThat(port.writes()).hasSize(32).allMatch(r -> r.mdata() == 7);
        assertThat(port.reads().stream().map(Response::request))
                .doesNotHaveDuplicates()
                .isNotEqualTo(port.reads().stream().map(Response::request).sorted().toList());
        assertThat(port.writes().stream().map(Response::request).toList())
                .doesNotHaveDuplicates()
                .isNotEqualTo(port.writes().stream().map(Response::request).sorted().toList());
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-RSP-6", "CCIP-ENC-5", "CCIP-VC-1", "CCIP-VC-9", "CCIP-PLT-13"})
    void theChannelUsedIsTheOneNamedOrOneThatTheFiuChose(Mode mode) {
        Port port = new Port(Profile.INTEGRATED, mode, 1, ResponseFormat.BY_CHANNEL);
        int mdata = 0;
        for (VirtualChannel channel : VirtualChannel.values()) {
            for (int i = 0; i < 8; i++) {
                port.read(i, LineCount.ONE, channel, mdata)
                        .write(600 + i, LineCount.ONE, channel, mdata, 0);
                port.edges(20);
            }
            mdata++;
        }
        port.settle();
        assertThat(port.responses)
                .hasSize(64)
                .allMatch(r ->
                        r.mdata() == 0
                                ? r.channel() != VirtualChannel.VA
                                : r.channel() == VirtualChannel.of(r.mdata()));
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement("CCIP-PLT-14")
    void onACardVaIsTheOneLink(Mode mode) {
        Port pac = new Port(Profile.PAC_A10, mode, 1, ResponseFormat.BY_CHANNEL);
        pac.read(0, 0).write(1, 0, 0).edge().settle();
        assertThat(pac.responses).hasSize(2).allMatch(r -> r.channel() == VirtualChannel.VH0);
    }

    @Test
    @Requirement({"CCIP-RSP-12", "CCIP-ENC-11", "CCIP-PLT-5", "CCIP-PLT-12"})
    void onlyTheFpgaCacheHits() {
        Port port = new Port(Profile.INTEGRATED);
        for (int i = 0; i < 3; i++) {
            port.tx.c0.read(ReadType.RDLINE_S, VirtualChannel.VL0, LineCount.ONE, port.base, i);
            port.edge().settle();
        }
        assertThat(port.reads().stream().map(Response::hit)).containsExactly(false, true, true);
        port.responses.clear();
        port.tx.c0.read(ReadType.RDLINE_S, VirtualChannel.VH0, LineCount.ONE, port.base, 0);
        port.edge().settle();
        assertThat(port.reads()).hasSize(1).noneMatch(Response::hit);

        Port pac = new Port(Profile.PAC_A10);
        for (int i = 0; i < 3; i++) {
            pac.tx.c0.read(ReadType.RDLINE_S, VirtualChannel.VA, LineCount.ONE, pac.base, i);
            pac.edge().settle();
        }
        assertThat(pac.reads()).hasSize(3).noneMatch(Response::hit);
    }

    @Test
    @Requirement("CCIP-CCH-9")
    void aPackedResponseHitsOnlyIfAllLinesDid() {
        Port port = new Port(Profile.INTEGRATED, Mode.TIMED, 1, ResponseFormat.PACKED);
        writeM(port, LineCount.TWO, 0);
        writeM(port, LineCount.FOUR, 1);
        writeM(port, LineCount.FOUR, 2);
        assertThat(port.writes().stream().map(Response::hit)).containsExactly(false, false, true);
    }

    private static void writeM(Port port, LineCount count, int mdata) {
        port.tx.c1.write(WriteType.WRLINE_M, VirtualChannel.VL0, count, port.base, mdata);
        port.edge();
        for (int i = 1; i < count.lines(); i++) {
            port.tx.c1.writeNext(WriteType.WRLINE_M, port.base + i);
            port.edge();
        }
        port.settle();
    }

    /// In TIMED mode a write goes on when its last beat is there.
    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-RSP-13", "CCIP-MCL-6", "CCIP-MCL-15", "CCIP-FLW-7"})
    void nothingOfAWriteComesBeforeItsBeat(Mode mode) {
        for (ResponseFormat format : List.of(ResponseFormat.PACKED, ResponseFormat.UNPACKED)) {
            Port port = new Port(Profile.INTEGRATED, mode, 2, format);
            port.write(0, LineCount.FOUR, VirtualChannel.VL0, 9, 1).edge().edges(3000);
            port.next(1, 1).edge().edges(3000);
            boolean packed = format == ResponseFormat.PACKED;
            boolean waits = mode == Mode.TIMED;
            assertThat(port.writes()).hasSize(waits || packed ? 0 : 2);
            assertThat(port.word(1)).isEqualTo(waits ? 0 : 1);
            assertThat(port.word(2)).isZero();
            assertThat(port.word(3)).isZero();
            port.next(2, 1).edge().next(3, 1).edge().settle();
            assertThat(port.writes()).hasSize(packed ? 1 : 4);
            assertThat(port.word(3)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-MCL-13", "CCIP-VC-7", "CCIP-FLW-1"})
    void readsMixFreelyWithTheBeatsOfAWrite(Mode mode) {
        Port port = new Port(Profile.PAC_A10, mode, 1, ResponseFormat.UNPACKED);
        port.write(0, LineCount.FOUR, VirtualChannel.VA, 1, 1)
                .read(8, LineCount.FOUR, VirtualChannel.VA, 1)
                .edge();
        for (int i = 1; i < 4; i++) {
            port.next(i, 1).read(8 + i, 2).edge();
        }
        port.settle();
        assertThat(port.reads()).hasSize(7);
        assertThat(port.writes()).hasSize(4);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-RSP-14", "CCIP-ORD-26", "CCIP-ORD-29", "CCIP-HDR-29"})
    void aFenceIsAnsweredOnceAlsoWithNothingToWaitFor(Mode mode) {
        Port port = new Port(Profile.INTEGRATED, mode, 1, ResponseFormat.PACKED);
        for (VirtualChannel scope : VirtualChannel.values()) {
            port.fence(scope, 0x55A0 + scope.code()).edge();
        }
        port.settle();
        assertThat(port.writes()).hasSize(4).allMatch(r -> r.type() == C1Response.WRFENCE.code());
        assertThat(port.writes().stream().map(Response::mdata))
                .containsExactlyInAnyOrder(0x55A0, 0x55A1, 0x55A2, 0x55A3);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-INT-2", "CCIP-INT-5", "CCIP-ENC-18", "CCIP-PLT-7"})
    void interruptsAreAnsweredWithTheirIdAndAChannel(Mode mode) {
        Port port = new Port(Profile.PAC_A10, mode, 1, ResponseFormat.PACKED);
        for (int id = 0; id < 4; id++) {
            port.tx.c1.interrupt(id % 2 == 0 ? VirtualChannel.VA : VirtualChannel.VH0, id);
            port.tx.c1.hdrHigh |= id << 14;
            port.edge();
        }
        port.settle();
        assertThat(port.writes())
                .hasSize(4)
                .allMatch(r ->
                        r.type() == C1Response.INTR.code() && r.channel() == VirtualChannel.VH0);
        assertThat(port.writes().stream().map(Response::mdata))
                .containsExactlyInAnyOrder(0, 1, 2, 3);
    }

    @Test
    @Requirement("CCIP-MEM-7")
    void hintsChangeNoData() {
        for (Profile profile : List.of(Profile.PAC_D5005, Profile.INTEGRATED)) {
            Port port = new Port(profile);
            int line = 0;
            for (WriteType type :
                    List.of(WriteType.WRLINE_I, WriteType.WRLINE_M, WriteType.WRPUSH_I)) {
                port.tx.c1.write(type, VirtualChannel.VA, LineCount.ONE, port.base + line, line);
                Arrays.fill(port.tx.c1.data, 11L + line);
                port.edge();
                line++;
            }
            port.settle();
            for (ReadType type : ReadType.values()) {
                for (int i = 0; i < line; i++) {
                    port.tx.c0.read(type, VirtualChannel.VA, LineCount.ONE, port.base + i, i);
                    port.edge().settle();
                }
            }
            assertThat(port.reads()).hasSize(6).allMatch(r -> r.word() == 11 + r.mdata());
        }
    }

    @Test
    @Requirement({"CCIP-MEM-10", "CCIP-MEM-11", "CCIP-MEM-12"})
    void whatLeadsToNoMemoryIsReportedAndNotAnswered() {
        Port port = new Port(Profile.PAC_A10);
        port.read(2 * Port.LINES, 3).write(2 * Port.LINES, 4, 0).edge();
        port.memory.protect(port.base * Line.BYTES, 4096, Access.READ_ONLY);
        port.burst(0, LineCount.TWO, VirtualChannel.VA, 5, 77);
        port.memory.protect(port.base * Line.BYTES, 4096, Access.WRITE_ONLY);
        port.read(0, 6).edge().settle();
        assertThat(port.responses).isEmpty();
        assertThat(port.word(0)).isZero();
        assertThat(port.checker.count(Violation.MEM_UNMAPPED)).isEqualTo(2);
        assertThat(port.checker.count(Violation.MEM_NO_PERMISSION)).isEqualTo(2);
        assertThat(port.checker.reports().getFirst().toString())
                .contains("0x" + Long.toHexString(port.base + 2 * Port.LINES))
                .contains("mdata 0x3");
    }

    @Test
    @Requirement("CCIP-MEM-11")
    void faultsCanBeAnsweredWithGarbage() {
        Port port =
                new Port(
                        new Parameters(
                                Profile.PAC_A10,
                                Mode.TIMED,
                                MemoryModel.MANUAL,
                                1,
                                ResponseFormat.BY_CHANNEL,
                                AfterError.COMPLETE,
                                true));
        port.read(2 * Port.LINES, 3).write(2 * Port.LINES, 4, 0).edge().settle();
        assertThat(port.reads()).hasSize(1).allMatch(r -> r.word() != 0);
        assertThat(port.writes()).hasSize(1);
        assertThat(port.checker.count(Violation.MEM_UNMAPPED)).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement("CCIP-HST-6")
    void unmappingMemoryWithRequestsInFlightIsReported(Mode mode) {
        Port port = new Port(Profile.PAC_A10, mode, 1, ResponseFormat.PACKED);
        port.read(0, 1).write(1, 1, 5).edge();
        port.memory.unmap(port.base * Line.BYTES, 4096);
        port.settle();
        assertThat(port.checker.count(Violation.MEM_UNMAPPED)).isEqualTo(2);
        assertThat(port.word(1)).isZero();
        assertThat(port.reads()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-BYT-2", "CCIP-BYT-3", "CCIP-BYT-4", "CCIP-BYT-5", "CCIP-PLT-16"})
    void byteWritesTouchTheirBytesOnly(Mode mode) {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 200; i++) {
            Port port = new Port(Profile.PAC_D5005, mode, i, ResponseFormat.PACKED);
            int start = random.nextInt(64);
            int length = 1 + random.nextInt(Math.min(63, 64 - start));
            port.bytes.fill((byte) 0xAA);
            port.tx.c1.writeBytes(
                    WriteType.WRLINE_I, VirtualChannel.VA, port.base, i, start, length);
            for (int b = 0; b < 64; b++) {
                int shift = b % 8 * 8;
                port.tx.c1.data[b / 8] =
                        (port.tx.c1.data[b / 8] & ~(0xFFL << shift)) | ((long) b << shift);
            }
            port.edge().settle();
            assertThat(port.writes()).hasSize(1);
            for (int b = 0; b < 64; b++) {
                byte expected = (byte) (b >= start && b < start + length ? b : 0xAA);
                assertThat(port.bytes.get(ValueLayout.JAVA_BYTE, b)).isEqualTo(expected);
            }
        }
    }

    @Test
    @Requirement({"CCIP-BYT-1", "CCIP-PLT-16"})
    void elsewhereByteFieldsMeanNothing() {
        Port port = new Port(Profile.PAC_A10);
        port.tx.c1.writeBytes(WriteType.WRLINE_I, VirtualChannel.VA, port.base, 0, 8, 8);
        Arrays.fill(port.tx.c1.data, 5);
        port.edge().settle();
        assertThat(port.word(0)).isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-RSP-17", "CCIP-FLW-10"})
    void everythingIsAnsweredInBoundedTime(Mode mode) {
        for (Profile profile : List.of(Profile.PAC_A10, Profile.INTEGRATED)) {
            for (int seed = 0; seed < 20; seed++) {
                Port port = new Port(profile, mode, seed, ResponseFormat.RANDOM);
                SplittableRandom random = new SplittableRandom(seed);
                int reads = 0;
                int writes = 0;
                Set<Long> seen = new HashSet<>();
                for (int i = 0; i < 400; i++) {
                    if (!port.rx.c0TxAlmFull && random.nextBoolean()) {
                        port.read(random.nextInt(256) * 4, LineCount.FOUR, VirtualChannel.VA, i);
                        reads++;
                    }
                    if (!port.rx.c1TxAlmFull && random.nextBoolean()) {
                        if (random.nextInt(8) == 0) {
                            port.fence(VirtualChannel.VA, i);
                        } else {
                            port.write(random.nextInt(1024), i, i);
                        }
                        writes++;
                    }
                    port.edge();
                }
                port.settle();
                assertThat(port.reads()).hasSize(reads * 4);
                assertThat(port.writes()).hasSize(writes);
                port.reads().forEach(r -> seen.add(r.request() * 4 + r.number()));
                assertThat(seen).hasSize(reads * 4);
            }
        }
    }
}
