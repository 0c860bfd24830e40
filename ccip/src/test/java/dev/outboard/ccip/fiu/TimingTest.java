package dev.outboard.ccip.fiu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.fiu.Port.Response;
import dev.outboard.ccip.platform.LinkParameters;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.platform.ResponseFormat;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.PowerState;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import dev.outboard.testkit.Requirement;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What TIMED mode makes of links, caches and power: the direction of each effect that the manual
/// tells of.
class TimingTest {
    @Test
    @Requirement({"CCIP-MCL-16", "CCIP-GUI-2", "CCIP-PLT-30"})
    void fourLinesAtATimeAreFasterThanOne() {
        for (Profile profile : List.of(Profile.PAC_A10, Profile.PAC_D5005, Profile.INTEGRATED)) {
            double one = readsPerCycle(new Port(profile), LineCount.ONE, VirtualChannel.VA, 10_000);
            double four =
                    readsPerCycle(new Port(profile), LineCount.FOUR, VirtualChannel.VA, 10_000);
            assertThat(four).isGreaterThan(1.1 * one);
            double single = writesPerCycle(new Port(profile), LineCount.ONE, 0);
            double burst = writesPerCycle(new Port(profile), LineCount.FOUR, 0);
            assertThat(burst).isGreaterThan(1.1 * single);
        }
    }

    @Test
    @Requirement({"CCIP-VC-2", "CCIP-VC-3b", "CCIP-PLT-14", "CCIP-GUI-1a"})
    void vaUsesAllLinksInProportionToTheirBandwidth() {
        Port port = new Port(Profile.INTEGRATED);
        double all = readsPerCycle(port, LineCount.FOUR, VirtualChannel.VA, 20_000);
        Map<VirtualChannel, Long> used =
                port.reads().stream()
                        .collect(Collectors.groupingBy(Response::channel, Collectors.counting()));
        double vl0 = used.get(VirtualChannel.VL0);
        assertThat(vl0 / used.get(VirtualChannel.VH0)).isBetween(1.4, 1.8);
        assertThat(vl0 / used.get(VirtualChannel.VH1)).isBetween(1.4, 1.8);
        for (VirtualChannel link : Profile.INTEGRATED.channels()) {
            assertThat(all)
                    .isGreaterThan(
                            1.3
                                    * readsPerCycle(
                                            new Port(Profile.INTEGRATED),
                                            LineCount.FOUR,
                                            link,
                                            20_000));
        }
    }

    @Test
    @Requirement({"CCIP-VC-6", "CCIP-VC-10", "CCIP-PLT-32", "CCIP-GUI-1b", "CCIP-GUI-9"})
    void aCacheHitIsFasterThanAMissAndAMissThanPcie() {
        Port port = new Port(Profile.INTEGRATED);
        double miss = latency(port, VirtualChannel.VL0, 100, ReadType.RDLINE_S);
        double hit = latency(port, VirtualChannel.VL0, 100, ReadType.RDLINE_S);
        double pcie = latency(port, VirtualChannel.VH0, 500, ReadType.RDLINE_I);
        assertThat(hit).isBetween(20.0, miss - 10);
        assertThat(miss).isBetween(hit, 118.0 + 4);
        assertThat(pcie).isBetween(miss + 10, 180.0 + 6);
    }

    @Test
    @Requirement({"CCIP-PLT-30", "CCIP-PLT-32", "CCIP-PLT-34a", "CCIP-MEM-6b", "CCIP-MEM-8"})
    void theLastLevelCacheIsFasterThanMemory() {
        Port port = new Port(Profile.PAC_A10);
        double memory = latency(port, VirtualChannel.VA, 0, ReadType.RDLINE_I);
        double cache = latency(port, VirtualChannel.VA, 0, ReadType.RDLINE_I);
        assertThat(cache).isLessThan(memory - 5);
        for (int i = 0; i < 64; i++) {
            port.tx.c1.write(
                    WriteType.WRPUSH_I, VirtualChannel.VA, LineCount.ONE, port.base + 200 + i, i);
            port.edge();
        }
        port.settle();
        assertThat(latency(port, VirtualChannel.VA, 200, ReadType.RDLINE_I)).isLessThan(memory - 5);
    }

    @Test
    @Requirement({"CCIP-VC-4", "CCIP-VC-5", "CCIP-CCH-4"})
    void steeringIgnoresTheCacheAndALineOnPcieIsCoherentAtACost() {
        Port port = new Port(Profile.INTEGRATED);
        for (int i = 0; i < 64; i++) {
            port.tx.c1.write(
                    WriteType.WRLINE_M, VirtualChannel.VL0, LineCount.ONE, port.base + i, i);
            Arrays.fill(port.tx.c1.data, 1000 + i);
            port.edge();
        }
        port.settle().responses.clear();
        for (int i = 0; i < 32; i++) {
            port.read(i, i).edge();
        }
        port.settle();
        assertThat(port.reads().stream().map(Response::channel).distinct()).hasSize(3);
        assertThat(port.reads()).allMatch(r -> r.word() == 1000 + r.mdata());
        double snooped = latency(port, VirtualChannel.VH0, 32, ReadType.RDLINE_I);
        double plain = latency(port, VirtualChannel.VH0, 700, ReadType.RDLINE_I);
        assertThat(snooped).isGreaterThan(plain + 5);
    }

    @Test
    @Requirement({"CCIP-ORD-30", "CCIP-GUI-11"})
    void frequentFencesCostBandwidth() {
        double none = writesPerCycle(new Port(Profile.PAC_A10), LineCount.ONE, 0);
        double often = writesPerCycle(new Port(Profile.PAC_A10), LineCount.ONE, 16);
        assertThat(often).isLessThan(0.5 * none);
    }

    @Test
    @Requirement("CCIP-ORD-36")
    void waitingForOneResponseIsQuickerThanAFenceAndDelaysNoOtherWrite() {
        Port counted = twoStreams(false);
        Port fenced = twoStreams(true);
        assertThat(answered(counted, 1)).isLessThan(answered(fenced, 2));
        for (int i = 0; i < 16; i++) {
            assertThat(answered(counted, 200 + i)).isLessThan(answered(fenced, 200 + i));
        }
    }

    /// A write of VL0, with mdata 1, between writes of VH0, of which those after it have mdata 200
    /// and up; with a fence or without.
    private static Port twoStreams(boolean fence) {
        Port port = new Port(Profile.INTEGRATED);
        for (int i = 0; i < 16; i++) {
            port.write(i, LineCount.ONE, VirtualChannel.VH0, 100 + i, 1).edge();
        }
        port.write(16, LineCount.ONE, VirtualChannel.VL0, 1, 1).edge();
        if (fence) {
            port.fence(VirtualChannel.VA, 2).edge();
        }
        for (int i = 0; i < 16; i++) {
            port.write(17 + i, LineCount.ONE, VirtualChannel.VH0, 200 + i, 1).edge();
        }
        return port.settle();
    }

    private static long answered(Port port, int mdata) {
        return port.responses.stream()
                .filter(response -> response.mdata() == mdata)
                .findFirst()
                .orElseThrow()
                .cycle();
    }

    @ParameterizedTest
    @EnumSource(PowerState.class)
    @Requirement({"CCIP-PWR-2", "CCIP-PWR-5"})
    void powerStatesThrottleMemoryRequests(PowerState state) {
        double share = state == PowerState.AP0 ? 1 : state == PowerState.AP1 ? 0.5 : 0.1;
        for (Profile profile : List.of(Profile.PAC_A10, Profile.INTEGRATED)) {
            for (LineCount count : List.of(LineCount.ONE, LineCount.FOUR)) {
                double full = readsPerCycle(new Port(profile), count, VirtualChannel.VA, 40_000);
                Port port = new Port(profile);
                port.fiu.power(state);
                double throttled = readsPerCycle(port, count, VirtualChannel.VA, 40_000);
                assertThat(throttled / full).isBetween(share * 0.95, share * 1.05);
                port.settle();
                assertThat(port.checker.counts()).isEmpty();
            }
        }
    }

    @Test
    @Requirement({"CCIP-GUI-4", "CCIP-GUI-5", "CCIP-GUI-8"})
    void aLinkHoldsAsManyRequestsAsThePlatformHas() {
        Profile slow =
                Profile.PAC_A10.withLink(
                        VirtualChannel.VH0, new LinkParameters(2000, 2000, 1, 0, 64));
        Port port = new Port(slow);
        int accepted = 0;
        while (!port.rx.c0TxAlmFull) {
            port.read(accepted % Port.LINES, accepted++).edge();
        }
        assertThat(accepted).isBetween(64 + 32, 64 + 36);
        assertThat(port.cycle).isLessThan(2000);
        port.settle();
        assertThat(port.reads()).hasSize(accepted);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-MOD-2", "CCIP-MOD-5", "CCIP-MOD-7", "CCIP-MOD-10"})
    void aRunIsAFunctionOfItsSeed(Mode mode) {
        assertThat(run(mode, 1)).isEqualTo(run(mode, 1));
        assertThat(run(mode, 1)).isNotEqualTo(run(mode, 2));
    }

    private static List<Response> run(Mode mode, long seed) {
        Port port = new Port(Profile.INTEGRATED, mode, seed, ResponseFormat.RANDOM);
        for (int i = 0; i < 100; i++) {
            port.read(i, i).write(200 + i, i, i).edge();
        }
        return port.settle().responses;
    }

    /// The mean latency of 64 reads, one after the other, from this line on.
    private static double latency(Port port, VirtualChannel channel, int line, ReadType type) {
        long cycles = 0;
        for (int i = 0; i < 64; i++) {
            port.settle().responses.clear();
            long sent = port.cycle;
            port.tx.c0.read(type, channel, LineCount.ONE, port.base + line + i, 0);
            port.edge().settle();
            cycles += port.reads().getFirst().cycle() - sent;
        }
        return cycles / 64.0;
    }

    /// Lines per cycle of an AFU that reads as fast as it may, once the last level cache holds all
    /// lines.
    private static double readsPerCycle(
            Port port, LineCount count, VirtualChannel channel, int cycles) {
        int requests = 0;
        int warmUp = 4 * 10 * Port.LINES;
        long start = port.cycle + warmUp;
        for (int i = 0; i < warmUp + cycles; i++) {
            if (!port.rx.c0TxAlmFull) {
                port.read(requests++ * count.lines() % Port.LINES, count, channel, 0);
            }
            port.edge();
        }
        long lines = port.reads().stream().filter(r -> r.cycle() >= start).count();
        return (double) lines / cycles;
    }

    /// Lines per cycle of an AFU that writes as fast as it may, with a fence after so many writes
    /// if that is not 0.
    private static double writesPerCycle(Port port, LineCount count, int fenceAfter) {
        int cycles = 10_000;
        int requests = 0;
        int lines = 0;
        long end = port.cycle + cycles;
        while (port.cycle < end) {
            if (port.rx.c1TxAlmFull) {
                port.edge();
            } else if (fenceAfter != 0 && requests % fenceAfter == fenceAfter - 1) {
                port.fence(VirtualChannel.VA, 1).edge();
                requests++;
            } else {
                port.burst(requests++ * count.lines() % Port.LINES, count, VirtualChannel.VA, 0, 0);
                lines += count.lines();
            }
        }
        return (double) lines / cycles;
    }
}
