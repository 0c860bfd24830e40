package dev.outboard.ccip.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.afu.CsrSpace;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LongSummaryStatistics;
import org.junit.jupiter.api.Test;

class UmsgTest {
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
