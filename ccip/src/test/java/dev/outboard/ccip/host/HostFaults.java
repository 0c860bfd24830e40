package dev.outboard.ccip.host;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.CsrSpace;
import dev.outboard.ccip.checker.Checker;
import dev.outboard.ccip.checker.ErrorPolicy;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.platform.Access;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.MmioLength;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/// For each violation that host and FIU find, the smallest fault of an AFU or a host program.
final class HostFaults {
    private static final long END = 1L << 40;
    private static final long AFU_HEADER = 1L << 60 | END;
    private static final long LEADS_TO_40 = 1L << 60 | 0x40 << 16;

    private HostFaults() {}

    /// What saw the fault; nothing if host and FIU do not look for it.
    static Optional<Checker> commit(Violation violation) {
        return switch (violation) {
            case MEM_UNMAPPED -> Optional.of(write(Access.READ_WRITE, 1));
            case MEM_NO_PERMISSION -> Optional.of(write(Access.READ_ONLY, 0));
            case RUN_STALLED -> Optional.of(stall());
            default ->
                    switch (violation.name().split("_", 2)[0]) {
                        case "CSR" -> Optional.of(ofRegisters(violation));
                        case "DFL" -> Optional.of(ofFeatures(violation));
                        case "HOST" -> Optional.of(ofProgram(violation));
                        default -> Optional.empty();
                    };
        };
    }

    private static AssertionError none(Violation violation) {
        return new AssertionError("Nothing commits " + violation);
    }

    private static Checker run(Afu afu, Consumer<Fpga> program) {
        Simulation simulation = Simulation.of(Profile.PAC_A10, afu).policy(ErrorPolicy.LOG).build();
        simulation.stallAfter(1000);
        program.accept(Fpga.open(simulation));
        simulation.checker().finish(simulation.cycle());
        return simulation.checker();
    }

    /// A write of the first line of a page that may be accessed like this, or of one behind it.
    private static Checker write(Access access, int page) {
        RegisterAfu afu =
                new RegisterAfu((rx, tx) -> {
                    if (rx.c0.mmioWrValid) {
                        long line = rx.c0.data[0];
                        tx.c1.write(WriteType.WRLINE_I, VirtualChannel.VA, LineCount.ONE, line, 0);
                    }
                });
        return run(
                afu,
                fpga -> {
                    Buffer buffer = fpga.prepareBuffer(4096);
                    buffer.protect(0, 4096, access);
                    fpga.writeMmio64(RegisterAfu.SCRATCH, buffer.lineAddress() + 64L * page);
                    fpga.step(1000);
                });
    }

    private static Checker stall() {
        return run(
                new RegisterAfu(),
                fpga ->
                        refused(
                                FpgaException.Reason.STALLED,
                                () -> fpga.waitForInterrupt(0, HostPrograms.ENOUGH)));
    }

    private static void refused(FpgaException.Reason reason, ThrowingCallable call) {
        HostPrograms.assertRefused(reason, call, "");
    }

    private static Checker ofRegisters(Violation violation) {
        return switch (violation) {
            case CSR_DFH_BAD -> run(registers(3L << 60 | END, 7, 0), fpga -> {});
            case CSR_AFU_ID_BAD -> run(registers(AFU_HEADER, 0, 0), fpga -> {});
            case CSR_RSVD_NONZERO -> run(registers(AFU_HEADER, 7, 1), fpga -> {});
            case CSR_READ_SIDE_EFFECT -> run(sideEffect(), CsrCompliance::check);
            case CSR_RO_WRITABLE -> run(writable(), CsrCompliance::check);
            case CSR_8B_UNSUPPORTED -> run(halves(), CsrCompliance::check);
            default -> throw none(violation);
        };
    }

    /// An AFU with these mandatory registers.
    private static Afu registers(long header, long id, long reserved) {
        return new ReadOnlyAfu(address ->
                switch ((int) address) {
                    case 0x0 -> header;
                    case 0x8 -> id;
                    case 0x18 -> reserved;
                    default -> 0;
                });
    }

    /// The id of a building block is another one after it was read a few times.
    private static Afu sideEffect() {
        int[] reads = new int[1];
        return new ReadOnlyAfu(address ->
                switch ((int) address) {
                    case 0x0 -> LEADS_TO_40;
                    case 0x8 -> 7;
                    case 0x40 -> 2L << 60 | END;
                    case 0x48 -> ++reads[0] <= 2 ? 7 : 8;
                    default -> 0;
                });
    }

    private static Afu writable() {
        CsrSpace csrs = new CsrSpace(new UUID(7, 7));
        long[] id = {7};
        return (rx, tx) -> {
            csrs.clock(rx, tx);
            if (rx.c0.mmioWrValid && rx.c0.mmioAddress() == 4) {
                id[0] = rx.c0.data[0];
            }
            csrs.set(0x10, id[0]);
        };
    }

    /// The lower half of the header is sent for the upper one too, where both are read at once.
    private static Afu halves() {
        long half = 0x1000_0100;
        return (rx, tx) -> {
            boolean isUpper = rx.c0.mmioAddress() == 1;
            boolean isHeader = rx.c0.mmioAddress() == 0;
            if (rx.c0.mmioRdValid) {
                long value = isUpper ? half | 1 << 16 : isHeader ? half << 32 | half : 7;
                tx.c2.respond(rx.c0.tid(), rx.c0.mmioAddress() > 4 ? 0 : value);
            }
        };
    }

    private static Checker ofFeatures(Violation violation) {
        return switch (violation) {
            case DFL_LOOP -> features(3L << 60 | 0xFFFFC0L << 16);
            case DFL_RANGE -> features(3L << 60 | (long) Profile.MMIO_BYTES << 16);
            case DFL_MISALIGNED -> features(3L << 60 | 4 << 16);
            case DFL_NO_ANSWER -> openedHalfAnswering();
            case DFL_UNKNOWN_TYPE -> features(5L << 60 | END);
            case DFL_NEXT_ZERO -> features(3L << 60);
            case DFL_BBB_ID_ZERO -> features(2L << 60 | END);
            case DFL_RSVD_NONZERO -> features(3L << 60 | END | 1L << 52);
            case DFL_AFU_NOT_FIRST -> features(AFU_HEADER);
            default -> throw none(violation);
        };
    }

    /// An AFU with this as second header.
    private static Checker features(long header) {
        return run(
                new ReadOnlyAfu(address ->
                        switch ((int) address) {
                            case 0x0 -> LEADS_TO_40;
                            case 0x8 -> 7;
                            case 0x40 -> header;
                            default -> 0;
                        }),
                fpga -> {});
    }

    private static Checker openedHalfAnswering() {
        Profile strict = Profile.PAC_A10.withMmioTimeout(Profile.STRICT_MMIO_TIMEOUT);
        Simulation simulation = Simulation.of(strict, halfAnswering()).build();
        Fpga.open(simulation);
        return simulation.checker();
    }

    /// An AFU whose list leads to where it answers nothing.
    static Afu halfAnswering() {
        return (rx, tx) -> {
            int address = 4 * rx.c0.mmioAddress();
            if (rx.c0.mmioRdValid && address < 0x40) {
                tx.c2.respond(rx.c0.tid(), address == 0 ? LEADS_TO_40 : address == 8 ? 7 : 0);
            }
        };
    }

    private static Checker ofProgram(Violation violation) {
        return switch (violation) {
            case HOST_MMIO_MISALIGNED ->
                    program(fpga ->
                            refused(
                                    FpgaException.Reason.MMIO_MISALIGNED,
                                    () -> fpga.readMmio64(0x44)));
            case HOST_MMIO_RANGE ->
                    program(fpga ->
                            refused(
                                    FpgaException.Reason.MMIO_RANGE,
                                    () -> fpga.readMmio64(Profile.MMIO_BYTES)));
            case HOST_MMIO_READ_64 ->
                    program(fpga ->
                            refused(
                                    FpgaException.Reason.MMIO_READ_64,
                                    () ->
                                            fpga.mapMmio(MemoryType.UC)
                                                    .read(0x40, MmioLength.BYTES_64)));
            case HOST_MMIO_DURING_RESET ->
                    program(fpga -> {
                        fpga.mapMmio(MemoryType.UC).post(0x40, MmioLength.BYTES_8);
                        fpga.reset();
                    });
            case HOST_INTR_NO_WAITER ->
                    run(
                            new RegisterAfu((rx, tx) -> {
                                if (rx.c0.mmioWrValid) {
                                    tx.c1.interrupt(VirtualChannel.VA, 0);
                                }
                            }),
                            fpga -> {
                                fpga.writeMmio64(RegisterAfu.SCRATCH, 1);
                                fpga.step(1000);
                            });
            default -> throw none(violation);
        };
    }

    private static Checker program(Consumer<Fpga> program) {
        return run(new RegisterAfu(), program);
    }
}
