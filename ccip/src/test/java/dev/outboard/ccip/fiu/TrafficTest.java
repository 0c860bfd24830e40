package dev.outboard.ccip.fiu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.outboard.ccip.fiu.Port.Response;
import dev.outboard.ccip.platform.LinkParameters;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.platform.ResponseFormat;
import dev.outboard.ccip.wire.C1Response;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.MmioLength;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Which requests go where and what answers them, how VA is spread, and how much in flight is
/// enough.
class TrafficTest {
    private static final int WORD = 0x600D;
    private static final long[] WORDS = LongStream.range(WORD, WORD + Line.LONGS).toArray();

    // The flow table upstream.

    @ParameterizedTest
    @EnumSource(names = {"WRLINE_I", "WRLINE_M", "WRPUSH_I"})
    @Requirement({"CCIP-RSP-15a", "CCIP-SIG-11b"})
    void aWriteTakesItsDataAlongAndIsAnsweredWithoutAny(WriteType type) {
        Port port = new Port(Profile.INTEGRATED);
        port.tx.c1.write(type, VirtualChannel.VA, LineCount.ONE, port.base, 3);
        Arrays.setAll(port.tx.c1.data, i -> WORD + i);
        port.edge().settle();
        assertThat(port.bytes.asSlice(0, Line.BYTES).toArray(ValueLayout.JAVA_LONG))
                .isEqualTo(WORDS);
        assertThat(port.reads()).isEmpty();
        assertThat(port.writes())
                .hasSize(1)
                .allMatch(r -> r.type() == C1Response.WRLINE.code() && r.mdata() == 3);
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"CCIP-RSP-15b", "CCIP-SIG-11a"})
    void aReadTakesNoneAndIsAnsweredWithThem(ReadType type) {
        Port port = new Port(Profile.INTEGRATED);
        MemorySegment.copy(WORDS, 0, port.bytes, ValueLayout.JAVA_LONG, 0, WORDS.length);
        Arrays.fill(port.tx.c1.data, -1);
        port.tx.c0.read(type, VirtualChannel.VA, LineCount.ONE, port.base, 4);
        port.edge();
        while (port.responses.isEmpty()) {
            port.edge();
            assertThat(port.cycle).isLessThan(10_000);
        }
        assertThat(port.rx.c0.data).isEqualTo(WORDS);
        port.settle();
        assertThat(port.writes()).isEmpty();
        assertThat(port.reads()).hasSize(1).allMatch(r -> r.mdata() == 4);
        assertThat(port.word(0)).isEqualTo(WORD);
    }

    @Test
    @Requirement({"CCIP-RSP-15c", "CCIP-SIG-11b"})
    void aFenceIsAnsweredByAFenceAndWritesNothing() {
        Port port = new Port(Profile.PAC_A10);
        port.word(0, WORD);
        Arrays.fill(port.tx.c1.data, -1);
        port.fence(VirtualChannel.VA, 5);
        port.tx.c1.hdrLow |= port.base << 16;
        port.edge().settle();
        assertThat(port.reads()).isEmpty();
        assertThat(port.writes())
                .hasSize(1)
                .allMatch(r -> r.type() == C1Response.WRFENCE.code() && r.mdata() == 5);
        assertThat(port.word(0)).isEqualTo(WORD);
    }

    @Test
    @Requirement({"CCIP-RSP-15d", "CCIP-SIG-11b"})
    void anInterruptIsAnsweredByAnInterruptAndWritesNothing() {
        Port port = new Port(Profile.PAC_A10);
        port.word(0, WORD);
        Arrays.fill(port.tx.c1.data, -1);
        port.tx.c1.interrupt(VirtualChannel.VA, 2);
        port.tx.c1.hdrLow |= port.base << 16;
        port.edge().settle();
        assertThat(port.reads()).isEmpty();
        assertThat(port.writes())
                .hasSize(1)
                .allMatch(r -> r.type() == C1Response.INTR.code() && r.mdata() == 2);
        assertThat(port.word(0)).isEqualTo(WORD);
    }

    /// What is no request of its channel is none, whatever else the header says.
    @Test
    @Requirement({"CCIP-SIG-11a", "CCIP-SIG-11b"})
    void aChannelTakesNothingButItsOwnTypes() {
        Port port = new Port(Profile.PAC_A10);
        for (int type = 0; type < 16; type++) {
            port.tx.c0.read(ReadType.RDLINE_I, VirtualChannel.VA, LineCount.ONE, port.base, type);
            port.tx.c0.hdrHigh += type;
            port.tx.c1.write(
                    WriteType.WRLINE_I, VirtualChannel.VA, LineCount.ONE, port.base + type, type);
            port.tx.c1.hdrHigh += type;
            Arrays.fill(port.tx.c1.data, WORD);
            port.edge().settle();
        }
        assertThat(port.reads()).extracting(Response::mdata).containsExactly(0, 1);
        assertThat(port.writes())
                .extracting(Response::type)
                .containsExactly(
                        C1Response.WRLINE.code(),
                        C1Response.WRLINE.code(),
                        C1Response.WRLINE.code(),
                        C1Response.WRFENCE.code(),
                        C1Response.INTR.code());
        assertThat(IntStream.range(0, 16).filter(line -> port.word(line) == WORD))
                .containsExactly(0, 1, 2);
    }

    // Byte writes.

    /// Of two byte writes, and of two writes of lines, either may be the last; never behind a
    /// fence.
    @Test
    @Requirement({"CCIP-BYT-13a", "CCIP-BYT-13b"})
    void byteWritesAreOrderedAndFencedAsLinesAre() {
        for (VirtualChannel channel : List.of(VirtualChannel.VA, VirtualChannel.VH0)) {
            for (boolean bytes : new boolean[] {true, false}) {
                Set<Long> unordered = new HashSet<>();
                Set<Long> fenced = new HashSet<>();
                for (int seed = 0; seed < 100; seed++) {
                    unordered.add(lastOfTwo(channel, bytes, false, seed));
                    fenced.add(lastOfTwo(channel, bytes, true, seed));
                }
                assertThat(unordered).containsExactlyInAnyOrder(1L, 2L);
                assertThat(fenced).containsExactly(2L);
            }
        }
    }

    private static long lastOfTwo(VirtualChannel channel, boolean bytes, boolean fence, int seed) {
        Port port = new Port(Profile.PAC_D5005, Mode.ADVERSARIAL, seed, ResponseFormat.UNPACKED);
        for (int value = 1; value <= 2; value++) {
            if (bytes) {
                port.tx.c1.writeBytes(WriteType.WRLINE_I, channel, port.base, value, 0, 8);
            } else {
                port.tx.c1.write(WriteType.WRLINE_I, channel, LineCount.ONE, port.base, value);
            }
            Arrays.fill(port.tx.c1.data, value);
            port.edge();
            if (fence && value == 1) {
                port.fence(channel, 9).edge();
            }
        }
        port.settle();
        return port.word(0);
    }

    @ParameterizedTest
    @EnumSource(names = {"PACKED", "UNPACKED"})
    @Requirement("CCIP-BYT-13c")
    void aByteWriteIsAnsweredAsALineIs(ResponseFormat format) {
        Port port = new Port(Profile.PAC_D5005, Mode.TIMED, 1, format);
        port.tx.c1.writeBytes(WriteType.WRLINE_I, VirtualChannel.VH0, port.base, 7, 3, 5);
        port.edge().settle();
        port.write(0, LineCount.ONE, VirtualChannel.VH0, 7, 1).edge().settle();
        assertThat(port.writes()).hasSize(2);
        assertThat(port.writes())
                .extracting(
                        Response::type,
                        Response::channel,
                        Response::hit,
                        Response::packed,
                        Response::number,
                        Response::mdata)
                .containsOnly(
                        tuple(
                                C1Response.WRLINE.code(),
                                VirtualChannel.VH0,
                                false,
                                format == ResponseFormat.PACKED,
                                0,
                                7));
    }

    /// A hit in the FPGA cache is answered as one, whatever of the line is written.
    @Test
    @Requirement("CCIP-BYT-13c")
    void aByteWriteThatHitsIsAnsweredAsAHit() {
        Port port = new Port(Profile.INTEGRATED.withByteEnable(true));
        for (int i = 0; i < 2; i++) {
            port.tx.c1.writeBytes(WriteType.WRLINE_M, VirtualChannel.VL0, port.base, i, 3, 5);
            port.edge().settle();
        }
        assertThat(port.writes()).extracting(Response::hit).containsExactly(false, true);
    }

    // What comes back.

    /// A link that is wide without limit, so that nothing but the port decides. Most of the
    /// requests come while others are answered, and the AFU owes the answer of an MMIO read.
    @Test
    @Requirement({"CCIP-FLW-9a", "CCIP-FLW-9b"})
    void responsesComeInEveryCycleOnBothChannelsWhateverTheAfuDoes() {
        LinkParameters wide = new LinkParameters(300, 300, 0, 0, 256);
        Port port =
                new Port(
                        Profile.PAC_A10.withLink(VirtualChannel.VH0, wide),
                        Mode.TIMED,
                        1,
                        ResponseFormat.UNPACKED);
        port.mmio.read(0, MmioLength.BYTES_8);
        int requests = 500;
        for (int i = 0; i < requests; i++) {
            int line = 4 * (i % 128);
            port.read(line, LineCount.FOUR, VirtualChannel.VA, i);
            port.burst(512 + line, LineCount.FOUR, VirtualChannel.VA, i, i);
        }
        port.settle();
        assertThat(port.mmio.outstanding()).isEqualTo(1);
        assertThat(longestRun(port.reads())).isEqualTo(4 * requests);
        assertThat(longestRun(port.writes())).isEqualTo(4 * requests);
    }

    /// In how many cycles on end there was one.
    private static int longestRun(List<Response> responses) {
        int longest = 1;
        int run = 1;
        for (int i = 1; i < responses.size(); i++) {
            run = responses.get(i).cycle() == responses.get(i - 1).cycle() + 1 ? run + 1 : 1;
            longest = Math.max(longest, run);
        }
        return longest;
    }

    // Channels.

    /// How many of 600 requests on VA each link gets.
    private static Map<VirtualChannel, Long> shares(Profile profile, boolean writes) {
        Port port = new Port(profile);
        for (int i = 0; i < 600; i++) {
            if (writes) {
                port.write(i, i, i).edges(8);
            } else {
                port.read(i, i).edges(8);
            }
        }
        port.settle();
        return port.responses.stream()
                .collect(Collectors.groupingBy(Response::channel, Collectors.counting()));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement("CCIP-VC-3a")
    void theWeightOfALinkFollowsItsParameters(boolean writes) {
        Map<VirtualChannel, Long> usual = shares(Profile.INTEGRATED, writes);
        LinkParameters half = new LinkParameters(20, 118, 2 * 620, 2 * 140, 256);
        Map<VirtualChannel, Long> slower =
                shares(Profile.INTEGRATED.withLink(VirtualChannel.VL0, half), writes);
        double before = (double) usual.get(VirtualChannel.VL0) / usual.get(VirtualChannel.VH0);
        double after = (double) slower.get(VirtualChannel.VL0) / slower.get(VirtualChannel.VH0);
        assertThat(after / before).isBetween(0.45, 0.55);
    }

    @Test
    @Requirement({"CCIP-VC-3c", "CCIP-VC-3d"})
    void adversarialModeSteersBySeedWithLongRunsOnOneLink() {
        assertThat(steered(1)).isEqualTo(steered(1)).isNotEqualTo(steered(2));
        Set<List<VirtualChannel>> changes = new HashSet<>();
        int longest = 0;
        int shortest = Integer.MAX_VALUE;
        List<VirtualChannel> channels = steered(1);
        int run = 1;
        for (int i = 1; i < channels.size(); i++) {
            if (channels.get(i) == channels.get(i - 1)) {
                run++;
            } else {
                changes.add(List.of(channels.get(i - 1), channels.get(i)));
                longest = Math.max(longest, run);
                shortest = Math.min(shortest, run);
                run = 1;
            }
        }
        assertThat(longest).isGreaterThan(20);
        assertThat(shortest).isEqualTo(1);
        // From each of the three links to each of the others.
        assertThat(changes).hasSize(6);
    }

    /// The channels of 500 reads on VA, in the order in which they were sent.
    private static List<VirtualChannel> steered(long seed) {
        Port port = new Port(Profile.INTEGRATED, Mode.ADVERSARIAL, seed, ResponseFormat.PACKED);
        for (int i = 0; i < 500; i++) {
            port.read(i, i).edge().settle();
        }
        return port.reads().stream()
                .sorted(Comparator.comparingInt(Response::mdata))
                .map(Response::channel)
                .toList();
    }

    // How much in flight is enough.

    /// Lines per cycle of reads of four lines, of which so many requests are in flight.
    private static double rate(VirtualChannel channel, int requests) {
        Port port = new Port(Profile.INTEGRATED);
        int sent = 0;
        int cycles = 30_000;
        for (int i = 0; i < cycles; i++) {
            int answered = port.responses.size() / LineCount.FOUR.lines();
            if (sent - answered < requests && !port.rx.c0TxAlmFull) {
                port.read(sent++ * 4 % Port.LINES, LineCount.FOUR, channel, 0);
            }
            port.edge();
        }
        return (double) port.responses.size() / cycles;
    }

    @Test
    @Requirement({"CCIP-GUI-6a", "CCIP-GUI-6b"})
    void vl0NeedsManyInFlightAndNoMoreThanItsGuidanceSays() {
        assertThat(rate(VirtualChannel.VL0, 4)).isLessThan(0.8 * rate(VirtualChannel.VL0, 128));
        double enough = rate(VirtualChannel.VL0, 256);
        assertThat(rate(VirtualChannel.VL0, 128)).isGreaterThan(0.98 * enough);
        assertThat(rate(VirtualChannel.VL0, 512)).isLessThan(1.02 * enough);
        assertThat(Profile.INTEGRATED.sizing(VirtualChannel.VL0).leastRequests()).isEqualTo(128);
        assertThat(Profile.INTEGRATED.sizing(VirtualChannel.VL0).mostRequests()).isEqualTo(256);
    }

    @Test
    @Requirement({"CCIP-GUI-7a", "CCIP-GUI-7b"})
    void vaNeedsMoreAndNoMoreThanItsGuidanceSays() {
        assertThat(rate(VirtualChannel.VA, 16)).isLessThan(0.8 * rate(VirtualChannel.VA, 256));
        double enough = rate(VirtualChannel.VA, 384);
        assertThat(rate(VirtualChannel.VA, 256)).isGreaterThan(0.98 * enough);
        assertThat(rate(VirtualChannel.VA, 600)).isLessThan(1.02 * enough);
        assertThat(Profile.INTEGRATED.sizing(VirtualChannel.VA).leastRequests()).isEqualTo(256);
        assertThat(Profile.INTEGRATED.sizing(VirtualChannel.VA).mostRequests()).isEqualTo(384);
    }
}
