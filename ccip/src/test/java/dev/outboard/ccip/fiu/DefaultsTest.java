package dev.outboard.ccip.fiu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.afu.DeviceFeatureHeader;
import dev.outboard.ccip.checker.Checker;
import dev.outboard.ccip.host.FeatureList;
import dev.outboard.ccip.platform.LinkParameters;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.platform.ResponseFormat;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/// Every value that the catalog states, against what the code has: a test for each row, with its
/// ID. The code's value is put into the words of the row, which then has to have them.
class DefaultsTest {
    /// By row, what it says of the value.
    private static Map<String, String> stated() {
        Map<String, String> stated = new TreeMap<>();
        stated.put(
                "CCIP-PLT-21",
                "INTEGRATED %d MHz, PAC_A10 %d MHz, PAC_D5005 %d MHz, PAC_N3000 %d MHz"
                        .formatted(
                                Profile.INTEGRATED.pClkMegahertz(),
                                Profile.PAC_A10.pClkMegahertz(),
                                Profile.PAC_D5005.pClkMegahertz(),
                                Profile.PAC_N3000.pClkMegahertz()));
        stated.put("CCIP-PLT-22", "MMIO reads %d on all".formatted(Profile.MMIO_READS));
        stated.put("CCIP-PLT-23", "is %d KiB on all".formatted(Profile.MMIO_BYTES >> 10));
        stated.put(
                "CCIP-PLT-24",
                "reads %s; writes %s; PAC: %d reads, %d writes"
                        .formatted(
                                sizes(channel -> sizing(channel)[0]),
                                sizes(channel -> sizing(channel)[1]),
                                Profile.PAC_A10.sizing(VirtualChannel.VH0).readLines(),
                                Profile.PAC_A10.sizing(VirtualChannel.VH0).writeLines()));
        stated.put(
                "CCIP-ENC-17",
                "Model default 0x%03x".formatted(DeviceFeatureHeader.afu(0, 0, 8).id()));
        stated.put(
                "CCIP-FLW-2", "at most %d more C0 requests".formatted(Rx.BEATS_AFTER_ALMOST_FULL));
        stated.put("CCIP-FLW-3", "at most %d more C1 beats".formatted(Rx.BEATS_AFTER_ALMOST_FULL));
        stated.put("CCIP-RSP-11", "Default: " + formats());
        stated.put("CCIP-MMIO-11", "At most %d MMIO reads".formatted(Profile.MMIO_READS));
        stated.put(
                "CCIP-MMIO-14",
                "default %d pClk cycles; older packages state %d"
                        .formatted(Profile.PAC_A10.mmioTimeout(), Profile.STRICT_MMIO_TIMEOUT));
        stated.put("CCIP-MMIO-29", "at least %d clocks".formatted(Mmio.CLOCKS_BETWEEN));
        stated.put("CCIP-UMSG-6", "%d UMsgs".formatted(Umsgs.COUNT));
        stated.put(
                "CCIP-UMSG-14",
                "hint %d–%d after the write, hint to data %d–%d"
                        .formatted(
                                Umsgs.HINT_EARLIEST,
                                Umsgs.HINT_EARLIEST + Umsgs.HINT_SPREAD - 1,
                                Umsgs.DATA_EARLIEST,
                                Umsgs.DATA_EARLIEST + Umsgs.DATA_SPREAD - 1));
        stated.put("CCIP-RST-1", "at least %d pClk cycles long".formatted(Fiu.RESET_CYCLES));
        stated.put(
                "CCIP-RST-5",
                "from %d cycles after assertion".formatted(Checker.RESET_GRACE_CYCLES));
        stated.put(
                "CCIP-VC-10",
                "VL0 %s, VH0 and VH1 %s"
                        .formatted(latency(VirtualChannel.VL0), latency(VirtualChannel.VH1)));
        stated.put(
                "CCIP-CCH-1",
                "%d KiB, direct mapped, 64-byte lines: %d lines"
                        .formatted((FpgaCache.LINES * Line.BYTES) >> 10, FpgaCache.LINES));
        stated.put(
                "CCIP-GUI-4",
                "%d outstanding requests on VH0"
                        .formatted(Profile.PAC_A10.links().get(VirtualChannel.VH0).outstanding()));
        stated.put(
                "CCIP-GUI-5",
                "each %d outstanding"
                        .formatted(
                                Profile.INTEGRATED.links().get(VirtualChannel.VH1).outstanding()));
        stated.put("CCIP-DFL-13", "more than %d entries".formatted(FeatureList.MOST_ENTRIES));
        return stated;
    }

    private static int[] sizing(VirtualChannel channel) {
        return new int[] {
            Profile.INTEGRATED.sizing(channel).readLines(),
            Profile.INTEGRATED.sizing(channel).writeLines()
        };
    }

    private static String sizes(ToIntFunction<VirtualChannel> size) {
        return Stream.of(VirtualChannel.values())
                .map(channel -> Integer.toString(size.applyAsInt(channel)))
                .collect(Collectors.joining(", "));
    }

    private static String latency(VirtualChannel channel) {
        LinkParameters link = Profile.INTEGRATED.links().get(channel);
        return link.minimumLatency() + "–" + link.maximumLatency();
    }

    /// How writes are answered unless a run says otherwise.
    private static String formats() {
        Map<Boolean, List<VirtualChannel>> packed =
                Profile.INTEGRATED.channels().stream()
                        .collect(Collectors.partitioningBy(DefaultsTest::isPacked));
        return "packed on %s, unpacked on %s".formatted(names(packed, true), names(packed, false));
    }

    private static String names(Map<Boolean, List<VirtualChannel>> channels, boolean packed) {
        return channels.getOrDefault(packed, List.of()).stream()
                .map(VirtualChannel::name)
                .collect(Collectors.joining(" and "));
    }

    private static boolean isPacked(VirtualChannel channel) {
        Port port = new Port(Profile.INTEGRATED, Mode.TIMED, 1, ResponseFormat.BY_CHANNEL);
        port.write(0, LineCount.ONE, channel, 0, 0).edge().settle();
        return port.writes().getFirst().packed();
    }

    @TestFactory
    @Requirement(
            table = true,
            value = {
                "CCIP-CCH-1",
                "CCIP-DFL-13",
                "CCIP-ENC-17",
                "CCIP-FLW-2",
                "CCIP-FLW-3",
                "CCIP-GUI-4",
                "CCIP-GUI-5",
                "CCIP-MMIO-11",
                "CCIP-MMIO-14",
                "CCIP-MMIO-29",
                "CCIP-PLT-21",
                "CCIP-PLT-22",
                "CCIP-PLT-23",
                "CCIP-PLT-24",
                "CCIP-RSP-11",
                "CCIP-RST-1",
                "CCIP-RST-5",
                "CCIP-UMSG-14",
                "CCIP-UMSG-6",
                "CCIP-VC-10"
            })
    Stream<DynamicTest> areThoseOfTheCatalog() throws IOException {
        List<String> catalog = Files.readAllLines(Path.of("../spec/ccip.md"));
        return stated().entrySet().stream()
                .map(value ->
                        DynamicTest.dynamicTest(
                                value.getKey(),
                                () ->
                                        assertThat(row(catalog, value.getKey()))
                                                .contains(value.getValue())));
    }

    private static String row(List<String> catalog, String id) {
        return catalog.stream()
                .filter(line -> line.startsWith("| " + id + " |"))
                .findFirst()
                .orElseThrow();
    }
}
