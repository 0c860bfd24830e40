package dev.outboard.ccip.host;

import static dev.outboard.ccip.host.HostPrograms.ENOUGH;
import static dev.outboard.ccip.host.HostPrograms.assertRefused;
import static dev.outboard.ccip.host.HostPrograms.copy;
import static dev.outboard.ccip.host.HostPrograms.open;
import static dev.outboard.ccip.host.HostPrograms.start;
import static dev.outboard.ccip.host.HostPrograms.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.ccip.afu.example.Hello;
import dev.outboard.ccip.afu.example.MemoryCopy;
import dev.outboard.ccip.checker.ErrorPolicy;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.checker.ViolationException;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.MmioLength;
import dev.outboard.ccip.wire.PowerState;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FpgaTest {
    // Discovery.

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-DSC-1", "CCIP-DSC-2", "CCIP-RST-7"})
    void theFirstTransactionsAfterResetReadTheAfuIdLowHalfFirst(Mode mode) {
        Simulation simulation =
                Simulation.of(Profile.PAC_A10, new RegisterAfu()).mode(mode).build();
        List<String> first = new ArrayList<>();
        long[] lastReset = new long[1];
        simulation.monitor((cycle, tx, rx, answers) -> {
            if (rx.softReset) {
                lastReset[0] = cycle;
                assertThat(rx.c0.mmioRdValid).isFalse();
            } else if (rx.c0.mmioRdValid && first.size() < 3) {
                first.add(
                        "%x %d +%d"
                                .formatted(
                                        rx.c0.mmioAddress(),
                                        MmioLength.of(rx.c0.mmioLength()).bytes(),
                                        cycle - lastReset[0]));
            }
        });
        Fpga fpga = Fpga.open(simulation, RegisterAfu.AFU_ID);
        String second = mode == Mode.TIMED ? "4 8 +17" : "4 8 +2";
        assertThat(first.subList(0, 2)).containsExactly("2 8 +1", second);
        assertThat(first.get(2)).startsWith("0 8");
        first.clear();
        fpga.reset();
        assertThat(first.subList(0, 2)).containsExactly("2 8 +1", second);
    }

    @Test
    @Requirement({"CCIP-DSC-3", "CCIP-MOD-12b", "CCIP-CSR-22", "CCIP-PLT-3"})
    void anotherAfuIsDiscoveredAndFindsTheBuffersOfTheOneBefore() {
        Fpga fpga = open(Profile.PAC_A10, new RegisterAfu());
        assertThat(fpga.afuId()).isEqualTo(RegisterAfu.AFU_ID);
        Buffer buffer = fpga.prepareBuffer(64);
        fpga.reconfigure(new Hello());
        assertThat(fpga.afuId()).isEqualTo(Hello.AFU_ID);
        fpga.writeMmio64(Hello.BUFFER, buffer.lineAddress());
        fpga.waitUntil(() -> text(buffer).equals("Hello world!"), ENOUGH);
        fpga.reconfigure(new RegisterAfu());
        assertThat(fpga.afuId()).isEqualTo(RegisterAfu.AFU_ID);
    }

    @Test
    @Requirement({"CCIP-CSR-20", "CCIP-CSR-22"})
    void anAfuIsOpenedByItsIdOnly() {
        Simulation simulation = Simulation.of(Profile.PAC_A10, new RegisterAfu()).build();
        UUID other = new UUID(1, 2);
        assertThatExceptionOfType(FpgaException.class)
                .isThrownBy(() -> Fpga.open(simulation, other))
                .withMessageContaining("No AFU " + other)
                .withMessageContaining(RegisterAfu.AFU_ID.toString())
                .extracting(FpgaException::reason)
                .isEqualTo(FpgaException.Reason.NOT_FOUND);
    }

    @Test
    @Requirement({"CCIP-CSR-20", "CCIP-CSR-10", "CCIP-CSR-11", "CCIP-CSR-12"})
    void discoveryTellsWhichMandatoryRegisterFails() {
        assertThat(found(0x0, 0x5000_0000_0000_0000L)).contains(Violation.CSR_DFH_BAD);
        Simulation without =
                Simulation.of(
                                Profile.PAC_A10,
                                new ReadOnlyAfu(address -> address == 0 ? 1L << 60 | 1L << 40 : 0))
                        .policy(ErrorPolicy.LOG)
                        .build();
        Fpga.open(without);
        assertThat(without.checker().count(Violation.CSR_AFU_ID_BAD)).isEqualTo(1);
        assertThat(without.checker().reports().getFirst().toString()).contains("0x10, 0x8");
    }

    @Test
    @Requirement({"CCIP-CSR-13", "CCIP-CSR-14"})
    void discoveryTellsOfReservedRegistersThatAreNotZero() {
        assertThat(found(0x18, 1)).containsExactly(Violation.CSR_RSVD_NONZERO);
        assertThat(found(0x20, 1)).containsExactly(Violation.CSR_RSVD_NONZERO);
    }

    private static Set<Violation> found(int register, long value) {
        RegisterAfu afu = new RegisterAfu();
        Simulation simulation =
                Simulation.of(
                                Profile.PAC_A10,
                                (rx, tx) -> {
                                    afu.clock(rx, tx);
                                    afu.csrs.set(register, value);
                                })
                        .policy(ErrorPolicy.LOG)
                        .build();
        Fpga.open(simulation);
        Set<Violation> found = EnumSet.copyOf(simulation.checker().counts().keySet());
        found.removeIf(violation -> violation.name().startsWith("DFL"));
        return found;
    }

    @Test
    @Requirement({"CCIP-MMIO-15", "CCIP-CSR-20"})
    void anAfuThatAnswersNothingIsNamedWithAddressAndCycle() {
        Simulation simulation =
                Simulation.of(Profile.PAC_A10, (rx, tx) -> {}).policy(ErrorPolicy.LOG).build();
        assertThatExceptionOfType(FpgaException.class)
                .isThrownBy(() -> Fpga.open(simulation, Hello.AFU_ID))
                .withMessageMatching(
                        "The AFU did not answer the read of 8 bytes at 0x10 that it was given in"
                                + " cycle \\d+ within 65536 cycles")
                .extracting(FpgaException::reason)
                .isEqualTo(FpgaException.Reason.NO_ANSWER);
    }

    // Registers.

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-HST-5", "CCIP-MMIO-3", "CCIP-MMIO-4", "CCIP-MMIO-9", "CCIP-MMIO-2"})
    void readsAndWritesRegistersOfAllLengths(Mode mode) {
        Simulation simulation =
                Simulation.of(Profile.PAC_A10, new RegisterAfu()).mode(mode).build();
        Fpga fpga = Fpga.open(simulation, RegisterAfu.AFU_ID);
        fpga.writeMmio64(0x40, 0x1122_3344_5566_7788L);
        fpga.writeMmio32(0x48, 0x99AA_BBCC);
        fpga.writeMmio32(0x4C, 0xDDEE_FF00);
        assertThat(fpga.readMmio64(0x40)).isEqualTo(0x1122_3344_5566_7788L);
        assertThat(fpga.readMmio32(0x44)).isEqualTo(0x1122_3344);
        assertThat(fpga.readMmio64(0x48)).isEqualTo(0xDDEE_FF00_99AA_BBCCL);
        fpga.writeMmio512(0x40, 1, 2, 3, 4, 5, 6, 7, 8);
        for (int i = 0; i < 8; i++) {
            assertThat(fpga.readMmio64(0x40 + 8 * i)).isEqualTo(i + 1);
        }
        assertThat(fpga.readMmio64(Profile.MMIO_BYTES - 8)).isZero();
    }

    @Test
    @Requirement({"CCIP-MMIO-25", "CCIP-MMIO-27"})
    void aWriteCombiningMappingIsDrainedByAFence() {
        Fpga fpga = open(Profile.PAC_A10, new RegisterAfu());
        MmioMapping combining = fpga.mapMmio(MemoryType.WC);
        for (int i = 0; i < 8; i++) {
            combining.write64(0x40 + 8 * i, 100 + i);
        }
        combining.storeFence();
        for (int i = 0; i < 8; i++) {
            assertThat(combining.read64(0x40 + 8 * i)).isEqualTo(100 + i);
        }
    }

    @Test
    @Requirement({"CCIP-MMIO-18", "CCIP-MMIO-19", "CCIP-MMIO-26", "CCIP-HST-5"})
    void misuseOfRegistersIsRefusedAndNeverReachesTheAfu() {
        Simulation simulation = Simulation.of(Profile.PAC_A10, new RegisterAfu()).build();
        Fpga fpga = Fpga.open(simulation, RegisterAfu.AFU_ID);
        long[] requests = new long[1];
        simulation.monitor((cycle, tx, rx, answers) ->
                requests[0] += rx.c0.mmioRdValid || rx.c0.mmioWrValid ? 1 : 0);
        assertRefused(FpgaException.Reason.MMIO_MISALIGNED, () -> fpga.readMmio64(0x44), "0x44");
        assertRefused(
                FpgaException.Reason.MMIO_MISALIGNED, () -> fpga.writeMmio32(0x42, 1), "0x42");
        assertRefused(
                FpgaException.Reason.MMIO_MISALIGNED,
                () -> fpga.writeMmio512(0x48, new long[8]),
                "64 bytes at 0x48; valid are multiples of 64");
        assertRefused(
                FpgaException.Reason.MMIO_RANGE,
                () -> fpga.readMmio32(Profile.MMIO_BYTES),
                "0x40000; the registers of an AFU end at 0x40000");
        assertRefused(FpgaException.Reason.MMIO_RANGE, () -> fpga.writeMmio64(-8, 1), "0x");
        assertRefused(
                FpgaException.Reason.MMIO_READ_64,
                () -> fpga.mapMmio(MemoryType.WC).read(0x40, MmioLength.BYTES_64),
                "valid are 4 and 8 bytes");
        fpga.step(100);
        assertThat(requests[0]).isZero();
        assertThat(simulation.checker().count(Violation.HOST_MMIO_MISALIGNED)).isEqualTo(3);
        assertThat(simulation.checker().count(Violation.HOST_MMIO_RANGE)).isEqualTo(2);
        assertThat(simulation.checker().count(Violation.HOST_MMIO_READ_64)).isEqualTo(1);
    }

    @Test
    void manyPostedWritesWaitForRoom() {
        long[] written = new long[1];
        Fpga fpga =
                open(
                        Profile.PAC_A10,
                        new RegisterAfu((rx, tx) -> written[0] += rx.c0.mmioWrValid ? 1 : 0));
        for (int i = 0; i < 10_000; i++) {
            fpga.writeMmio64(0x40, i);
        }
        assertThat(fpga.readMmio64(0x40)).isEqualTo(9_999);
        assertThat(written[0]).isEqualTo(10_000);
    }

    // Power, errors, time.

    @Test
    @Requirement("CCIP-PWR-1")
    void theAfuSeesThePowerStateTheHostSets() {
        List<PowerState> seen = new ArrayList<>();
        Fpga fpga =
                open(
                        Profile.PAC_A10,
                        new RegisterAfu((rx, tx) -> {
                            if (seen.isEmpty() || seen.getLast() != rx.powerState) {
                                seen.add(rx.powerState);
                            }
                        }));
        for (PowerState state : List.of(PowerState.AP1, PowerState.AP2, PowerState.AP0)) {
            fpga.setPowerState(state);
            fpga.step(10);
        }
        assertThat(seen)
                .containsExactly(PowerState.AP0, PowerState.AP1, PowerState.AP2, PowerState.AP0);
    }

    @Test
    @Requirement({"CCIP-ERR-1", "CCIP-ERR-2", "CCIP-ERR-4", "CCIP-ERR-5"})
    void anErrorStopsThePortUntilItIsClearedAndReset() {
        boolean[] errorWire = new boolean[1];
        boolean[] almostFull = new boolean[1];
        long[] bad = {-1};
        RegisterAfu afu =
                new RegisterAfu((rx, tx) -> {
                    errorWire[0] = rx.error;
                    almostFull[0] = rx.c0TxAlmFull && rx.c1TxAlmFull;
                    if (bad[0] >= 0) {
                        tx.c0.read(
                                ReadType.RDLINE_I, VirtualChannel.VA, LineCount.ONE, bad[0]--, 7);
                    }
                });
        Simulation simulation =
                Simulation.of(Profile.PAC_A10, afu).policy(ErrorPolicy.HARDWARE).build();
        Fpga fpga = Fpga.open(simulation, RegisterAfu.AFU_ID);
        assertThat(fpga.errors()).isEmpty();
        bad[0] = 0;
        fpga.step(100);
        assertThat(errorWire[0]).isTrue();
        assertThat(almostFull[0]).isTrue();
        assertThat(fpga.errors()).containsExactly(Violation.MEM_UNMAPPED);
        assertThat(fpga.firstError().orElseThrow().address()).isZero();
        assertThat(fpga.firstError().orElseThrow().header()).contains("mdata");

        fpga.clearErrors();
        fpga.reset();
        assertThat(fpga.errors()).isEmpty();
        assertThat(fpga.firstError()).isEmpty();
        fpga.reconfigure(new Hello());
        Buffer buffer = fpga.prepareBuffer(64);
        fpga.writeMmio64(Hello.BUFFER, buffer.lineAddress());
        fpga.waitUntil(() -> text(buffer).equals("Hello world!"), ENOUGH);
    }

    @Test
    @Requirement("CCIP-HST-9")
    void aRunInWhichNothingMovesEndsAndSaysWhatIsOutstanding() {
        Simulation simulation =
                Simulation.of(Profile.PAC_A10, new RegisterAfu()).policy(ErrorPolicy.LOG).build();
        simulation.stallAfter(5000);
        Fpga fpga = Fpga.open(simulation, RegisterAfu.AFU_ID);
        long began = simulation.cycle();
        assertRefused(
                FpgaException.Reason.STALLED,
                () -> fpga.waitForInterrupt(2, Long.MAX_VALUE / 2),
                "for interrupt 2, in vain; the port carried something last in cycle");
        assertThat(simulation.cycle() - began).isBetween(5000L, 5010L);
        assertThat(simulation.checker().count(Violation.RUN_STALLED)).isEqualTo(1);
        assertThat(simulation.checker().reports().getLast().detail())
                .contains("outstanding are: host: interrupt 2 since cycle " + began);
        assertThat(fpga.readMmio64(0x40)).isZero();

        Simulation stopping = Simulation.of(Profile.PAC_A10, new RegisterAfu()).build();
        stopping.stallAfter(5000);
        Fpga other = Fpga.open(stopping, RegisterAfu.AFU_ID);
        other.step(20_000);
        assertThatThrownBy(() -> other.waitForInterrupt(2, Long.MAX_VALUE / 2))
                .isInstanceOf(ViolationException.class)
                .hasMessageContaining("RUN_STALLED")
                .hasMessageContaining("interrupt 2");
    }

    @Test
    @Requirement("CCIP-HST-9")
    void aStalledRunNamesWhatIsOutstandingOnEachChannel() {
        RegisterAfu afu =
                new RegisterAfu((rx, tx) -> {
                    tx.c2.mmioRdValid &= rx.c0.mmioAddress() < 0x100;
                    if (rx.c0.mmioWrValid) {
                        tx.c1.write(
                                WriteType.WRLINE_I,
                                VirtualChannel.VA,
                                LineCount.FOUR,
                                rx.c0.data[0],
                                0);
                    }
                });
        Simulation simulation = Simulation.of(Profile.PAC_A10, afu).policy(ErrorPolicy.LOG).build();
        simulation.stallAfter(5000);
        Fpga fpga = Fpga.open(simulation, RegisterAfu.AFU_ID);
        long line = fpga.prepareBuffer(4096).lineAddress();
        fpga.writeMmio64(0x40, line);
        assertRefused(
                FpgaException.Reason.STALLED,
                () -> fpga.readMmio64(0x400),
                "for read of 8 bytes at 0x400, in vain");
        assertThat(simulation.checker().reports().getLast().toString())
                .contains(
                        "RUN_STALLED",
                        "C1 request 0: open burst at line 0x" + Long.toHexString(line),
                        "MMIO read of 0x400 with tid",
                        "host: read of 8 bytes at 0x400 since cycle");
    }

    @Test
    void aWaitEndsAfterItsCycles() {
        Fpga fpga = open(Profile.PAC_A10, new RegisterAfu());
        assertRefused(
                FpgaException.Reason.TIMEOUT,
                () -> fpga.waitUntil(() -> false, 1000),
                "for a condition of the program, in vain");
    }

    @Test
    @Requirement({"CCIP-RST-10", "CCIP-RST-2"})
    void aResetInTheMiddleOfACopyLeavesNothingBehind() {
        Fpga fpga = open(Profile.INTEGRATED, new MemoryCopy());
        Buffer source = fpga.prepareBuffer(1 << 14);
        Buffer target = fpga.prepareBuffer(1 << 14);
        for (int cycles = 1; cycles < 600; cycles += 37) {
            start(fpga, source, target);
            fpga.step(cycles);
            fpga.reset();
            target.segment().fill((byte) 0);
            copy(fpga, source, target);
            assertThat(target.segment().mismatch(source.segment())).isEqualTo(-1);
        }
    }

    @Test
    @Requirement({"CCIP-MOD-5", "CCIP-MOD-7", "CCIP-MOD-10"})
    void sideBySideRunsOfOneSeedCarryTheSameAndOfAnotherDoNot() {
        List<Trace> traces = List.of(new Trace(5), new Trace(5), new Trace(6));
        for (int i = 0; i < 3; i++) {
            traces.forEach(Trace::work);
        }
        assertThat(traces.get(0).hash).isEqualTo(traces.get(1).hash);
        assertThat(traces.get(0).hash).isNotEqualTo(traces.get(2).hash);
    }

    /// A run whose wires are summed up cycle by cycle.
    private static final class Trace {
        private final Fpga fpga;
        private final Buffer source;
        private final Buffer target;
        private long hash;

        Trace(long seed) {
            Simulation simulation =
                    Simulation.of(Profile.INTEGRATED, new MemoryCopy())
                            .mode(Mode.ADVERSARIAL)
                            .seed(seed)
                            .build();
            simulation.monitor((cycle, tx, rx, answers) ->
                    hash =
                            31 * hash
                                    + (rx.c0.hdr ^ rx.c1.hdr)
                                    + 7 * rx.c0.data[3]
                                    + 13 * tx.c0.hdrLow
                                    + 17 * tx.c1.hdrLow
                                    + (rx.c0.rspValid ? 3 : 0)
                                    + (rx.c1.rspValid ? 5 : 0)
                                    + (tx.c0.valid ? cycle : 0));
            fpga = Fpga.open(simulation, MemoryCopy.AFU_ID);
            source = fpga.prepareBuffer(8192);
            target = fpga.prepareBuffer(8192);
        }

        void work() {
            copy(fpga, source, target);
            fpga.step(10);
        }
    }

    @Test
    @Requirement("CCIP-HST-7")
    void aHandleOffersAllOperationsAndRefusesThemWhenClosed() {
        Fpga fpga = open(Profile.PAC_A10, new RegisterAfu());
        Buffer buffer = fpga.prepareBuffer(64);
        fpga.reset();
        fpga.mapMmio(MemoryType.UC).write64(0x40, 9);
        fpga.registerInterrupt(0);
        fpga.unregisterInterrupt(0);
        fpga.setPowerState(PowerState.AP1);
        assertThat(fpga.errors()).isEmpty();
        fpga.clearErrors();
        fpga.close();
        fpga.close();
        assertRefused(FpgaException.Reason.INVALID_STATE, () -> fpga.readMmio64(0), "is closed");
        assertRefused(
                FpgaException.Reason.INVALID_STATE, () -> fpga.prepareBuffer(64), "is closed");
        assertThatThrownBy(() -> buffer.segment().get(ValueLayout.JAVA_BYTE, 0))
                .isInstanceOf(IllegalStateException.class);
    }
}
