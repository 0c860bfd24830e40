package dev.outboard.ccip.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.afu.CsrSpace;
import dev.outboard.ccip.checker.Answers;
import dev.outboard.ccip.checker.ErrorPolicy;
import dev.outboard.ccip.platform.LinkParameters;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import org.junit.jupiter.api.Test;

class UmsgTest {
    /// Reads of the AFU, MMIO of the host and UMsgs, all at a time.
    @Test
    @Requirement({"CCIP-SIG-12a", "CCIP-SIG-12b", "CCIP-SIG-11c"})
    void rxC0InterleavesWhatItCarriesAndRxC1HasOnlyResponsesToTxC1() {
        long[] line = new long[1];
        RegisterAfu afu =
                new RegisterAfu((rx, tx) -> {
                    if (line[0] != 0 && !rx.c0TxAlmFull && !rx.c1TxAlmFull) {
                        tx.c0.read(ReadType.RDLINE_I, VirtualChannel.VA, LineCount.ONE, line[0], 1);
                        tx.c1.write(
                                WriteType.WRLINE_I, VirtualChannel.VA, LineCount.ONE, line[0], 2);
                    }
                });
        // Links so wide that reads alone would fill Rx C0.
        LinkParameters wide = new LinkParameters(20, 20, 0, 0, 256);
        Profile profile = Profile.INTEGRATED;
        for (VirtualChannel link : Profile.INTEGRATED.channels()) {
            profile = profile.withLink(link, wide);
        }
        Simulation simulation = Simulation.of(profile, afu).policy(ErrorPolicy.LOG).build();
        List<String> carried = new ArrayList<>();
        simulation.monitor((cycle, tx, rx, answers) -> {
            if (line[0] != 0) {
                carried.add(
                        rx.c0.mmioRdValid || rx.c0.mmioWrValid
                                ? "MMIO"
                                : rx.c0.isUmsg() ? "UMsg" : rx.c0.isReadResponse() ? "read" : "");
                assertThat(rx.c1.rspValid && !rx.c1.isWriteResponse()).isFalse();
                assertThat(rx.c1.rspValid && answers.c1Request == Answers.NONE).isFalse();
            }
        });
        try (Fpga fpga = Fpga.open(simulation)) {
            line[0] = fpga.prepareBuffer(4096).lineAddress();
            for (int i = 0; i < 20; i++) {
                fpga.triggerUmsg(i % 8, i);
                fpga.writeMmio64(RegisterAfu.SCRATCH, 7L * i);
                assertThat(fpga.readMmio64(RegisterAfu.SCRATCH)).isEqualTo(7L * i);
                fpga.step(20);
            }
            line[0] = 0;
        }
        String all = String.join(",", carried);
        assertThat(all).contains("read,MMIO,read", "read,UMsg,read");
    }

    private final CsrSpace csrs = new CsrSpace(RegisterAfu.AFU_ID).readWrite(0x40);
    private long seen;
    private long umsgs;
    private boolean reading;

    @Test
    @Requirement("CCIP-UMSG-11")
    void comesAsSoonAsPollingWouldSeeTheStore() {
        Fpga polling = Fpga.open(Simulation.of(Profile.INTEGRATED, this::poll).build());
        LongSummaryStatistics polled = latencies(polling);
        Fpga told = Fpga.open(Simulation.of(Profile.INTEGRATED, this::listen).build());
        LongSummaryStatistics sent = latencies(told);
        assertThat(sent.getMin()).isGreaterThanOrEqualTo(polled.getMin());
        assertThat(sent.getMax()).isLessThanOrEqualTo(polled.getMax());
    }

    /// Reads as fast as it can: a UMsg takes a cycle of Rx C0 and nothing of what reads may have in
    /// flight.
    @Test
    @Requirement({"CCIP-UMSG-11", "CCIP-UMSG-13"})
    void usesNoneOfTheBandwidthOfReads() {
        long without = linesRead(false);
        long with = linesRead(true);
        assertThat(umsgs).isGreaterThan(50);
        assertThat(without - with).isLessThanOrEqualTo(2 * umsgs);
    }

    private long linesRead(boolean sends) {
        umsgs = 0;
        long[] lines = new long[1];
        Fpga fpga =
                Fpga.open(
                        Simulation.of(
                                        Profile.INTEGRATED,
                                        (rx, tx) -> {
                                            listen(rx, tx);
                                            if (rx.softReset) {
                                                return;
                                            }
                                            if (rx.c0.isReadResponse()) {
                                                lines[0]++;
                                            }
                                            if (csrs.get(0x40) != 0 && !rx.c0TxAlmFull) {
                                                tx.c0.read(
                                                        ReadType.RDLINE_I,
                                                        VirtualChannel.VA,
                                                        LineCount.ONE,
                                                        csrs.get(0x40),
                                                        0);
                                            }
                                        })
                                .build());
        MemorySegment line = fpga.umsg(2);
        Buffer buffer = fpga.prepareBuffer(64);
        fpga.writeMmio64(0x40, buffer.lineAddress());
        for (int i = 1; i < 100; i++) {
            fpga.step(100);
            if (sends) {
                line.set(ValueLayout.JAVA_LONG, 0, i);
            }
        }
        return lines[0];
    }

    private LongSummaryStatistics latencies(Fpga fpga) {
        MemorySegment line = fpga.umsg(2);
        long address = fpga.umas().lineAddress() + 2;
        fpga.writeMmio64(0x40, address);
        LongSummaryStatistics latencies = new LongSummaryStatistics();
        for (long i = 1; i <= 200; i++) {
            fpga.step(300 + i % 37);
            long value = i;
            line.set(ValueLayout.JAVA_LONG, 0, value);
            long began = fpga.clocking().simulation().cycle();
            fpga.waitUntil(() -> seen == value, 10_000);
            latencies.accept(fpga.clocking().simulation().cycle() - began);
        }
        return latencies;
    }

    /// Reads the line again as soon as it has the answer.
    private void poll(Rx rx, Tx tx) {
        csrs.clock(rx, tx);
        if (rx.c0.isReadResponse()) {
            seen = rx.c0.data[0];
            reading = false;
        }
        if (!rx.softReset && csrs.get(0x40) != 0 && !reading) {
            reading = true;
            tx.c0.read(ReadType.RDLINE_S, VirtualChannel.VL0, LineCount.ONE, csrs.get(0x40), 0);
        }
    }

    private void listen(Rx rx, Tx tx) {
        csrs.clock(rx, tx);
        if (rx.c0.isUmsg() && !rx.c0.isHint()) {
            seen = rx.c0.data[0];
            umsgs++;
        }
    }
}
