package dev.outboard.ccip.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.outboard.ccip.checker.Answers;
import dev.outboard.ccip.checker.Channel;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.MmioLength;
import dev.outboard.ccip.wire.PowerState;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.api.Test;

class StatisticsTest {
    private final Statistics statistics = new Statistics(Profile.PAC_A10);
    private final Tx tx = new Tx();
    private final Rx rx = new Rx();
    private final Answers answers = new Answers();

    @Test
    void measuresBandwidthLatencyAndOccupancyOfReads() {
        tx.c0.read(ReadType.RDLINE_I, VirtualChannel.VA, LineCount.TWO, 0, 0);
        clock(0);
        answers.c0Request = 0;
        rx.c0.readResponse(VirtualChannel.VH0, false, 1, 0);
        clock(100);
        rx.c0.readResponse(VirtualChannel.VH0, false, 0, 0);
        clock(200);
        statistics.finish(1000);

        assertThat(statistics.linesRead(VirtualChannel.VH0)).isEqualTo(2);
        assertThat(statistics.readLatency().least()).isEqualTo(100);
        assertThat(statistics.readLatency().percentile(50)).isEqualTo(100);
        assertThat(statistics.readLatency().percentile(99)).isEqualTo(200);
        // 128 bytes in 1000 cycles of 5 ns.
        assertThat(statistics.readBytesPerSecond()).isCloseTo(128 / 5e-6, within(1.0));
        // Two lines for 100 cycles and one for 100 more.
        assertThat(statistics.readOccupancy()).isCloseTo(0.3, within(0.001));
        assertThat(statistics.beats(Channel.TX_C0)).isEqualTo(1);
    }

    @Test
    void countsAPackedResponseForAllLinesOfTheWrite() {
        tx.c1.write(WriteType.WRLINE_I, VirtualChannel.VA, LineCount.FOUR, 0, 0);
        clock(0);
        for (int i = 1; i < 4; i++) {
            tx.c1.writeNext(WriteType.WRLINE_I, i);
            clock(i);
        }
        tx.c1.fence(VirtualChannel.VA, 0);
        clock(4);
        answers.c1Request = 0;
        rx.c1.packedWriteResponse(VirtualChannel.VH0, false, LineCount.FOUR, 0);
        clock(50);
        answers.c1Request = 1;
        rx.c1.fenceResponse(0);
        clock(60);
        statistics.finish(100);

        assertThat(statistics.linesWritten(VirtualChannel.VH0)).isEqualTo(4);
        assertThat(statistics.writeLatency().least()).isEqualTo(50);
        assertThat(statistics.writeLatency().most()).isEqualTo(56);
        assertThat(statistics.writeBytesPerSecond()).isCloseTo(256 / 500e-9, within(1.0));
        assertThat(statistics.writeOccupancy()).isCloseTo(2.0, within(0.001));
    }

    @Test
    void countsRequestsByTheirLength() {
        int number = 0;
        for (LineCount count : List.of(LineCount.ONE, LineCount.FOUR, LineCount.FOUR)) {
            tx.c0.read(ReadType.RDLINE_I, VirtualChannel.VA, count, 0, 0);
            tx.c1.write(WriteType.WRLINE_I, VirtualChannel.VA, LineCount.ONE, 0, 0);
            clock(number++);
        }
        tx.c1.write(WriteType.WRLINE_I, VirtualChannel.VA, LineCount.TWO, 0, 0);
        clock(number++);
        tx.c1.writeNext(WriteType.WRLINE_I, 1);
        clock(number++);
        tx.c1.fence(VirtualChannel.VA, 0);
        clock(number);

        assertThat(statistics.toString())
                .contains("\nreads      1 of 1 line, 2 of 4 lines\n")
                .contains("\nwrites     3 of 1 line, 1 of 2 lines\n");
    }

    @Test
    void measuresHowLongTheAfuTakesForMmioReads() {
        rx.c0.mmioRead(0, MmioLength.BYTES_8, 0x155);
        clock(10);
        tx.c2.respond(0x155, 0);
        clock(17);

        assertThat(statistics.mmioLatency().most()).isEqualTo(7);
    }

    @Test
    @Requirement("CCIP-PWR-3")
    void tellsWhatTheAfuAsksForInEachPowerState() {
        for (int cycle = 0; cycle < 100; cycle++) {
            tx.c0.read(ReadType.RDLINE_I, VirtualChannel.VA, LineCount.FOUR, 0, 0);
            clock(cycle);
        }
        rx.powerState = PowerState.AP1;
        for (int cycle = 100; cycle < 300; cycle += 4) {
            tx.c1.write(WriteType.WRLINE_I, VirtualChannel.VA, LineCount.ONE, 0, 0);
            clock(cycle);
        }
        rx.powerState = PowerState.AP2;
        clock(299);
        statistics.finish(400);

        assertThat(statistics.requestRate(PowerState.AP0)).isEqualTo(4);
        assertThat(statistics.requestRate(PowerState.AP1)).isCloseTo(0.25, within(0.01));
        assertThat(statistics.requestRate(PowerState.AP2)).isZero();
        assertThat(statistics.toString())
                .contains("AP0        100 cycles, 4.000 lines asked for per cycle")
                .contains("AP2        103 cycles, 0.000 lines asked for per cycle");
    }

    @Test
    void skippedCyclesCountAsTheOthers() {
        CopyRun run = CopyRun.of(Mode.TIMED);
        Statistics skipping = new Statistics(run.profile());
        Statistics stepping = new Statistics(run.profile());
        skipping.finish(run.run(simulation -> skipping));
        stepping.finish(run.stepping().run(simulation -> stepping));

        assertThat(skipping.toString())
                .isEqualTo(stepping.toString())
                .contains("reads      75 lines");
    }

    @Test
    void percentilesOfLongTimesAreOffByLittle() {
        CycleHistogram histogram = new CycleHistogram();
        for (int i = 1; i <= 100_000; i++) {
            histogram.add(i);
        }

        assertThat(histogram.percentile(50)).isBetween(50_000L, 51_000L);
        assertThat(histogram.percentile(99)).isBetween(99_000L, 100_000L);
        assertThat(histogram.percentile(100)).isEqualTo(100_000);
        assertThat(histogram.mean()).isEqualTo(50_000.5);
    }

    /// One cycle; then the wires carry nothing again.
    private void clock(long cycle) {
        statistics.clock(cycle, tx, rx, answers);
        tx.idle();
        rx.idle();
        answers.c0Request = Answers.NONE;
        answers.c1Request = Answers.NONE;
    }
}
