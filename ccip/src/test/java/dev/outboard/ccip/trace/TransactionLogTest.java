package dev.outboard.ccip.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.ccip.checker.Answers;
import dev.outboard.ccip.checker.Channel;
import dev.outboard.ccip.checker.ViolationException;
import dev.outboard.ccip.host.Simulation;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TransactionLogTest {
    private static final String DATA =
            "00000000000000070000000000000006000000000000000500000000000000040000000000000003"
                    + "000000000000000200000000000000010000000000000aaa";

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement("CCIP-MOD-5")
    void theSameSeedGivesTheSameTrace(Mode mode) {
        String first = CopyRun.of(mode).log();

        assertThat(first.lines().count()).isGreaterThan(CopyRun.LINES * 3);
        assertThat(CopyRun.of(mode).log()).isEqualTo(first);
        assertThat(CopyRun.of(mode).withSeed(8).log()).isNotEqualTo(first);
    }

    @Test
    @Requirement("CCIP-FLW-14")
    void almostFullInResetLeavesNoLine() {
        List<Transaction> log = new ArrayList<>();
        CopyRun.of(Mode.TIMED).run(simulation -> new TransactionLog(log::add));

        assertThat(log)
                .filteredOn(beat -> beat.cycle() < 256)
                .extracting(Transaction::type)
                .containsExactly("SOFT_RESET");
    }

    @Test
    @Requirement("CCIP-MOD-5")
    void skippedQuietCyclesLeaveTheTraceAsItIs() {
        CopyRun run = CopyRun.of(Mode.TIMED);

        assertThat(run.stepping().log()).isEqualTo(run.log());
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement("CCIP-MOD-8")
    void eachResponseNamesTheRequestWhoseDataItCarries(Mode mode) {
        List<Transaction> log = new ArrayList<>();
        CopyRun.of(mode).run(simulation -> new TransactionLog(log::add));

        Map<Long, Transaction> reads = new HashMap<>();
        Map<Long, Transaction> writes = new HashMap<>();
        Map<Long, String> written = new HashMap<>();
        long base = Long.MAX_VALUE;
        int linesRead = 0;
        int linesWritten = 0;
        long line = 0;
        for (Transaction beat : log) {
            switch (beat.channel()) {
                case TX_C0 -> {
                    base = Math.min(base, beat.address());
                    reads.put(beat.request(), beat);
                }
                case TX_C1 -> {
                    line = beat.sop() == 1 ? beat.address() : line + 1;
                    writes.putIfAbsent(beat.request(), beat);
                    if (!beat.type().equals("WRFENCE")) {
                        written.put(line, beat.data());
                    }
                }
                case RX_C0 -> {
                    if (beat.type().equals("RDLINE")) {
                        Transaction read = reads.get(beat.request());
                        assertThat(beat.mdata()).isEqualTo(read.mdata());
                        long word = (read.address() - base + beat.line()) * 8;
                        assertThat(beat.data())
                                .endsWith("%016x".formatted(word * 0x1234_5678_9ABCL));
                        linesRead++;
                    }
                }
                case RX_C1 -> {
                    Transaction write = writes.get(beat.request());
                    assertThat(beat.mdata()).isEqualTo(write.mdata());
                    if (beat.type().equals("WRLINE")) {
                        linesWritten += beat.format() == 1 ? write.lines() : 1;
                    }
                }
                default -> {}
            }
        }
        assertThat(linesRead).isEqualTo(CopyRun.LINES);
        assertThat(linesWritten).isEqualTo(CopyRun.LINES);
        assertThat(written).hasSize(CopyRun.LINES);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement("CCIP-MOD-8")
    void textAndObjectsSayTheSame(Mode mode) {
        List<Transaction> objects = new ArrayList<>();
        CopyRun.of(mode).run(simulation -> new TransactionLog(objects::add));
        List<String> lines = CopyRun.of(mode).log().lines().toList();

        assertThat(lines.getFirst()).isEqualTo(Transaction.HEADER_LINE);
        assertThat(lines.stream().skip(1).map(Transaction::parse)).isEqualTo(objects);
    }

    @Test
    @Requirement("CCIP-MOD-8")
    void aRequestHasAllItsFields() {
        assertThat(
                        line((tx, rx) ->
                                tx.c0.read(
                                        ReadType.RDLINE_S,
                                        VirtualChannel.VH0,
                                        LineCount.TWO,
                                        0x12345,
                                        0xBEEF)))
                .isEqualTo(
                        "5 TxC0 RDLINE_S 0 VH0 2 - 0x12345 0xbeef - - - - - - -"
                                + " - - - - 211000000012345beef -");
        assertThat(
                        line((tx, rx) -> {
                            tx.c1.write(
                                    WriteType.WRPUSH_I,
                                    VirtualChannel.VL0,
                                    LineCount.FOUR,
                                    0x40,
                                    0x11);
                            data(tx.c1.data);
                        }))
                .isEqualTo(
                        "5 TxC1 WRPUSH_I 0 VL0 4 - 0x40 0x11 - 1 0 0 0 - - - - - -"
                                + " 01b20000000000400011 "
                                + DATA);
        assertThat(
                        line((tx, rx) -> {
                            tx.c1.writeBytes(WriteType.WRLINE_M, VirtualChannel.VA, 0x41, 1, 3, 60);
                            data(tx.c1.data);
                        }))
                .isEqualTo(
                        "5 TxC1 WRLINE_M 0 VA 1 - 0x41 0x1 - 1 1 3 60 - - - - - -"
                                + " f0c10c00000000410001 "
                                + DATA);
        assertThat(line((tx, rx) -> tx.c1.fence(VirtualChannel.VH1, 7)))
                .isEqualTo(
                        "5 TxC1 WRFENCE 0 VH1 - - - 0x7 - 0 - - - - - - - - - 03040000000000000007"
                                + " -");
        assertThat(line((tx, rx) -> tx.c1.interrupt(VirtualChannel.VA, 3)))
                .isEqualTo(
                        "5 TxC1 INTR 0 VA - - - - 0x3 0 - - - - - - - - - 00060000000000000003 -");
        assertThat(line((tx, rx) -> tx.c2.respond(0x155, 0xABCD)))
                .isEqualTo(
                        "5 TxC2 MMIO_READ - - - - - - 0x155 - - - - - - - - - - 155"
                                + " 000000000000abcd");
    }

    @Test
    @Requirement("CCIP-MOD-8")
    void whatTheFiuSendsHasAllItsFields() {
        assertThat(
                        line((tx, rx) -> {
                            rx.c0.readResponse(VirtualChannel.VL0, true, 3, 0x77);
                            data(rx.c0.data);
                        }))
                .isEqualTo("5 RxC0 RDLINE 42 VL0 - 3 - 0x77 - - - - - 1 - - - - - 5300077 " + DATA);
        assertThat(line((tx, rx) -> rx.c0.mmioRead(0x10, MmioLength.BYTES_8, 0x1FF)))
                .isEqualTo("5 RxC0 MMIO_READ 0 - - - 0x40 - 0x1ff - - - 8 - - - - - - 00105ff -");
        assertThat(
                        line((tx, rx) -> {
                            rx.c0.mmioWrite(0x10, MmioLength.BYTES_4, 0);
                            data(rx.c0.data);
                        }))
                .isEqualTo(
                        "5 RxC0 MMIO_WRITE - - - - 0x40 - - - - - 4 - - - - - - 0010000 00000aaa");
        assertThat(line((tx, rx) -> rx.c0.umsg(true, 5)))
                .isEqualTo("5 RxC0 UMSGH - - - - - - 0x5 - - - - - - - - - - 0048005 -");
        assertThat(
                        line((tx, rx) ->
                                rx.c1.packedWriteResponse(
                                        VirtualChannel.VH1, false, LineCount.FOUR, 0x99)))
                .isEqualTo("5 RxC1 WRLINE 43 VH1 4 - - 0x99 - - - - - 0 1 - - - - cb00099 -");
        assertThat(line((tx, rx) -> rx.c1.writeResponse(VirtualChannel.VH0, true, 2, 1)))
                .isEqualTo("5 RxC1 WRLINE 43 VH0 - 2 - 0x1 - - - - - 1 0 - - - - 9200001 -");
        assertThat(line((tx, rx) -> rx.c1.fenceResponse(3)))
                .isEqualTo("5 RxC1 WRFENCE 43 - - - - 0x3 - - - - - - - - - - - 0040003 -");
        assertThat(line((tx, rx) -> rx.c1.interruptResponse(VirtualChannel.VH0, 2)))
                .isEqualTo("5 RxC1 INTR 43 VH0 - - - - 0x2 - - - - - - - - - - 8060002 -");
        assertThat(line((tx, rx) -> rx.powerState = PowerState.AP2))
                .isEqualTo("5 port POWER_STATE - - - - - - - - - - - - - - - - - - AP2");
    }

    @Test
    void theCycleInWhichTheCheckerEndsTheRunIsThere() {
        List<Transaction> log = new ArrayList<>();
        Simulation simulation =
                Simulation.of(
                                Profile.PAC_A10,
                                (rx, tx) -> {
                                    if (!rx.softReset) {
                                        tx.c0.read(
                                                ReadType.RDLINE_I,
                                                VirtualChannel.VA,
                                                LineCount.ONE,
                                                0x1234,
                                                0);
                                    }
                                })
                        .build();
        simulation.monitor(new TransactionLog(log::add));

        assertThatThrownBy(() -> simulation.step(1000)).isInstanceOf(ViolationException.class);
        assertThat(log.getLast().channel()).isEqualTo(Channel.TX_C0);
        assertThat(log.getLast().cycle()).isEqualTo(simulation.cycle());
    }

    @Test
    void saysWhatIsWrongWithALine() {
        assertThatThrownBy(() -> Transaction.parse("1\t2"))
                .hasMessage("A line of a transaction log has 22 fields between tabs, not 2: 1\t2");
    }

    private static void data(long[] line) {
        for (int i = 0; i < line.length; i++) {
            line[i] = i == 0 ? 0xAAA : i;
        }
    }

    /// What the log says of one cycle, with spaces for tabs.
    private static String line(BiConsumer<Tx, Rx> drive) {
        StringBuilder text = new StringBuilder();
        TransactionLog log = TransactionLog.to(text);
        log.clock(4, new Tx(), new Rx(), new Answers());
        Tx tx = new Tx();
        Rx rx = new Rx();
        drive.accept(tx, rx);
        Answers answers = new Answers();
        answers.c0Request = 42;
        answers.c1Request = 43;
        log.clock(5, tx, rx, answers);
        return text.toString()
                .lines()
                .skip(2)
                .findFirst()
                .orElseThrow()
                .replace(" ", "")
                .replace('\t', ' ');
    }
}
