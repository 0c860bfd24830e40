package dev.outboard.ccip.checker;

import static dev.outboard.ccip.platform.Profile.INTEGRATED;
import static dev.outboard.ccip.platform.Profile.PAC_A10;
import static dev.outboard.ccip.platform.Profile.PAC_D5005;
import static dev.outboard.ccip.wire.LineCount.ONE;
import static dev.outboard.ccip.wire.LineCount.TWO;
import static dev.outboard.ccip.wire.ReadType.RDLINE_I;
import static dev.outboard.ccip.wire.ReadType.RDLINE_S;
import static dev.outboard.ccip.wire.VirtualChannel.VA;
import static dev.outboard.ccip.wire.VirtualChannel.VH0;
import static dev.outboard.ccip.wire.VirtualChannel.VL0;
import static dev.outboard.ccip.wire.WriteType.WRLINE_I;
import static dev.outboard.ccip.wire.WriteType.WRLINE_M;
import static dev.outboard.ccip.wire.WriteType.WRPUSH_I;

import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.C1Tx;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.MmioLength;
import dev.outboard.ccip.wire.PowerState;
import dev.outboard.ccip.wire.VirtualChannel;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// For each violation that a checker sees at the port, the smallest fault of an AFU or an FIU.
public final class PortFaults {
    private static final long X = 0x40;
    private static final int SOP = 1 << 7;
    private static final int BYTE_MODE = 1 << 6;
    private static final int TID = 5;

    private final Port pac = new Port(PAC_A10);
    private final Port d5005 = new Port(PAC_D5005);
    private final Port integrated = new Port(INTEGRATED);

    private PortFaults() {}

    /// What saw the fault; nothing if the violation is not one of the port.
    public static Optional<Checker> commit(Violation violation) {
        PortFaults faults = new PortFaults();
        for (Port port : new Port[] {faults.pac, faults.d5005, faults.integrated}) {
            if (violation.severity() == Severity.OFF) {
                port.checker.severity(violation, Severity.INFO);
            }
        }
        Port seen =
                switch (violation.name().split("_", 2)[0]) {
                    case "C0TX" -> faults.onC0(violation);
                    case "C1TX" -> faults.onC1(violation);
                    case "MMIO" -> faults.onC2(violation);
                    case "HAZ" -> faults.hazard(violation);
                    case "FIU" -> faults.ofFiu(violation);
                    default -> faults.ofRun(violation);
                };
        return Optional.ofNullable(seen).map(port -> port.checker);
    }

    private static void fence(C1Tx c1) {
        c1.fence(VA, 0);
    }

    private static void interrupt(C1Tx c1) {
        c1.interrupt(VA, 0);
    }

    private static void bytes(C1Tx c1) {
        c1.writeBytes(WRLINE_I, VA, X, 0, 4, 17);
    }

    private static AssertionError none(Violation violation) {
        return new AssertionError("Nothing commits " + violation);
    }

    private Port onC0(Violation violation) {
        return switch (violation) {
            case C0TX_BAD_REQTYPE ->
                    pac.c0(c0 -> {
                        c0.read(RDLINE_I, VA, ONE, X, 0);
                        c0.hdrHigh |= 2;
                    });
            case C0TX_LEN3 ->
                    pac.c0(c0 -> {
                        c0.read(RDLINE_I, VA, ONE, X, 0);
                        c0.hdrHigh |= 2 << 4;
                    });
            case C0TX_MISALIGNED -> pac.c0(c0 -> c0.read(RDLINE_I, VA, TWO, X + 1, 0));
            case C0TX_ALMFULL_OVERRUN -> {
                pac.rx.c0TxAlmFull = true;
                pac.step();
                yield reads(pac, 9);
            }
            case C0TX_VC_ILLEGAL -> pac.c0(c0 -> c0.read(RDLINE_I, VL0, ONE, X, 0));
            case C0TX_DURING_RESET -> reads(inReset(), 1);
            case C0TX_RSVD_NONZERO ->
                    pac.c0(c0 -> {
                        c0.read(RDLINE_I, VA, ONE, X, 0);
                        c0.hdrLow |= 1L << 58;
                    });
            case C0TX_ADDR_ZERO -> pac.c0(c0 -> c0.read(RDLINE_I, VA, ONE, 0, 0));
            case C0TX_HINT_IGNORED -> pac.c0(c0 -> c0.read(RDLINE_S, VA, ONE, X, 0));
            default -> throw none(violation);
        };
    }

    private Port onC1(Violation violation) {
        if (violation.name().startsWith("C1TX_BYTE")) {
            return ofBytes(violation);
        }
        return switch (violation) {
            case C1TX_BAD_REQTYPE -> write(pac, ONE, X, 3);
            case C1TX_LEN3 -> write(pac, ONE, X, 2 << 4);
            case C1TX_MISALIGNED -> write(pac, TWO, X + 1, 0);
            case C1TX_ALMFULL_OVERRUN -> {
                pac.rx.c1TxAlmFull = true;
                pac.step();
                for (int i = 0; i < 9; i++) {
                    write(pac, ONE, X + i, 0);
                }
                yield pac;
            }
            case C1TX_VC_ILLEGAL -> pac.c1(c1 -> c1.write(WRLINE_I, VL0, ONE, X, 0));
            case C1TX_SOP_MISSING -> next(pac, X, 0);
            case C1TX_SOP_IN_BURST -> write(write(pac, TWO, X, 0), ONE, X + 2, 0);
            case C1TX_BEAT_ADDR -> next(write(pac, TWO, X, 0), X + 2, 0);
            case C1TX_BEAT_REQTYPE -> next(write(pac, TWO, X, 0), X + 1, WRPUSH_I.code());
            case C1TX_BEAT_FIELD_CHANGED -> next(write(pac, TWO, X, 0), X + 1, 0);
            case C1TX_FENCE_IN_BURST -> write(pac, TWO, X, 0).c1(PortFaults::fence);
            case C1TX_INTR_IN_BURST -> write(pac, TWO, X, 0).c1(PortFaults::interrupt);
            case C1TX_BURST_INCOMPLETE -> write(pac, TWO, X, 0).finish();
            case C1TX_FENCE_SOP -> beat(pac, PortFaults::fence, SOP);
            case C1TX_RSVD_NONZERO -> beat(pac, PortFaults::fence, 1 << 4);
            case C1TX_INTR_UNSUPPORTED -> integrated.c1(PortFaults::interrupt);
            case C1TX_INTR_ID_BUSY -> pac.c1(PortFaults::interrupt).c1(PortFaults::interrupt);
            case C1TX_DURING_RESET -> write(inReset(), ONE, X, 0);
            case C1TX_ADDR_ZERO -> write(pac, ONE, 0, 0);
            case C1TX_HINT_IGNORED -> pac.c1(c1 -> c1.write(WRLINE_M, VA, ONE, X, 0));
            default -> throw none(violation);
        };
    }

    private Port ofBytes(Violation violation) {
        return switch (violation) {
            case C1TX_BYTE_UNSUPPORTED -> pac.c1(PortFaults::bytes);
            case C1TX_BYTE_NON_WRITE -> beat(d5005, PortFaults::fence, BYTE_MODE);
            case C1TX_BYTE_MULTI_LINE -> beat(d5005, PortFaults::bytes, 1 << 4);
            case C1TX_BYTE_RANGE -> d5005.c1(c1 -> c1.writeBytes(WRLINE_I, VA, X, 0, 63, 2));
            case C1TX_BYTE_FIELDS_IN_CL_MODE -> write(d5005, ONE, X, 1 << 10);
            case C1TX_BYTE_IN_BURST -> next(write(d5005, TWO, X, 0), X + 1, BYTE_MODE);
            default -> throw none(violation);
        };
    }

    private Port onC2(Violation violation) {
        return switch (violation) {
            case MMIO_RSP_TIMEOUT -> mmioRead(TID).idle(PAC_A10.mmioTimeout());
            case MMIO_RSP_UNSOLICITED -> pac.c2(TID);
            case MMIO_RSP_DUPLICATE -> mmioRead(TID).c2(TID).c2(TID);
            case MMIO_RSP_DURING_RESET -> inReset().c2(TID);
            default -> throw none(violation);
        };
    }

    private Port hazard(Violation violation) {
        return switch (violation) {
            case HAZ_RAW -> reads(write(pac, ONE, X, 0), 1);
            case HAZ_WAR -> write(reads(pac, 1), ONE, X, 0);
            case HAZ_WAW -> write(write(pac, ONE, X, 0), ONE, X, 0);
            case HAZ_FLAG_UNFENCED -> {
                pac.checker.markFlag(X + 1);
                yield write(write(pac, ONE, X, 0), ONE, X + 1, 0);
            }
            case HAZ_INTR_UNFENCED -> write(pac, ONE, X, 0).c1(PortFaults::interrupt);
            default -> throw none(violation);
        };
    }

    private Port ofFiu(Violation violation) {
        return switch (violation) {
            case FIU_C0RX_MULTI_VALID ->
                    pac.rx0(c0 -> {
                        c0.mmioWrite(0, MmioLength.BYTES_8, 0);
                        c0.rspValid = true;
                    });
            case FIU_RSP_UNSOLICITED -> fenced(pac, 0, 0);
            case FIU_RSP_MISSING -> reads(pac, 1).idle(Checker.RESPONSE_CYCLES).finish();
            case FIU_RSP_EARLY -> written(write(pac, TWO, X, 0), VH0, 1);
            case FIU_RSP_COUNT -> written(written(write(pac, ONE, X, 0), VH0, 0), VH0, 0);
            case FIU_MDATA -> fenced(pac.c1(PortFaults::fence), 0, 1);
            case FIU_VC_USED -> written(write(pac, ONE, X, 0), VL0, 0);
            case FIU_CL_NUM -> written(write(pac, ONE, X, 0), VH0, 1);
            case FIU_FENCE_EARLY -> {
                fenced(write(pac, ONE, X, 0).c1(PortFaults::fence), 1, 0);
                pac.checker.linesWritten(0, 1, VH0.code());
                yield pac;
            }
            case FIU_READ_STALE -> {
                reads(pac, 1).c0(c0 -> c0.read(RDLINE_I, VA, ONE, X, 0));
                pac.checker.linesRead(0, 1, VH0.code());
                pac.checker.linesRead(1, 1, VH0.code());
                pac.answer0(1, c0 -> c0.readResponse(VH0, false, 0, 0));
                yield pac.answer0(0, c0 -> c0.readResponse(VH0, false, 0, 0));
            }
            case FIU_RESET_SHORT -> pac.reset(Checker.RESET_CYCLES - 1);
            case FIU_RESET_UNFLUSHED ->
                    written(write(pac, ONE, X, 0).reset(Checker.RESET_CYCLES), VH0, 0);
            case FIU_ACCEPT_AFTER_ERROR -> {
                pac.rx.error = true;
                yield pac.step();
            }
            default -> ofFiuOnMmio(violation);
        };
    }

    private Port ofFiuOnMmio(Violation violation) {
        return switch (violation) {
            case FIU_MMIO_LEN -> pac.rx0(c0 -> c0.mmioRead(1, MmioLength.BYTES_8, TID));
            case FIU_MMIO_ORDER -> {
                pac.checker.mmioArrived(true, 0, MmioLength.BYTES_8);
                yield pac.rx0(c0 -> c0.mmioRead(2, MmioLength.BYTES_8, TID));
            }
            case FIU_MMIO_OUTSTANDING -> {
                for (int tid = 0; tid <= Profile.MMIO_READS; tid++) {
                    mmioRead(tid);
                }
                yield pac;
            }
            case FIU_TID_REUSE -> {
                mmioRead(TID);
                yield mmioRead(TID);
            }
            default -> throw none(violation);
        };
    }

    private @Nullable Port ofRun(Violation violation) {
        return switch (violation) {
            case UMSG_TAKEN_FOR_DATA -> {
                integrated.rx0(c0 -> {
                    c0.umsg(true, 3);
                    c0.data[5] = 0xBAD;
                });
                yield integrated.c1(c1 -> {
                    c1.write(WRLINE_I, VA, ONE, X, 0);
                    c1.data[5] = 0xBAD;
                });
            }
            case TX_AFTER_ERROR -> {
                pac.rx.error = true;
                pac.rx.c0TxAlmFull = true;
                pac.rx.c1TxAlmFull = true;
                yield pac.step().c1(PortFaults::fence);
            }
            case PWR_NOT_REDUCED -> {
                pac.checker.severity(Violation.FIU_RSP_MISSING, Severity.OFF);
                for (int i = 0; i < 24_000; i++) {
                    pac.rx.powerState = i < 12_000 ? PowerState.AP0 : PowerState.AP1;
                    pac.c0(c0 -> c0.read(RDLINE_I, VA, ONE, X, 0));
                }
                yield pac.finish();
            }
            default -> null;
        };
    }

    private Port inReset() {
        pac.rx.softReset = true;
        return pac.idle(Checker.RESET_GRACE_CYCLES + 1);
    }

    private static Port reads(Port port, int count) {
        for (int i = 0; i < count; i++) {
            long line = X + i;
            port.c0(c0 -> c0.read(RDLINE_I, VA, ONE, line, 0));
        }
        return port;
    }

    private static Port beat(Port port, Consumer<C1Tx> beat, int bits) {
        return port.c1(beat.andThen(c1 -> c1.hdrHigh |= bits));
    }

    private static Port write(Port port, LineCount count, long line, int bits) {
        return beat(port, c1 -> c1.write(WRLINE_I, VA, count, line, 0), bits);
    }

    private static Port next(Port port, long line, int bits) {
        return beat(port, c1 -> c1.writeNext(WRLINE_I, line), bits);
    }

    private static Port written(Port port, VirtualChannel used, int line) {
        return port.answer1(0, c1 -> c1.writeResponse(used, false, line, 0));
    }

    private static Port fenced(Port port, long request, int mdata) {
        return port.answer1(request, c1 -> c1.fenceResponse(mdata));
    }

    private Port mmioRead(int tid) {
        return pac.rx0(c0 -> c0.mmioRead(0, MmioLength.BYTES_8, tid));
    }
}
