package dev.outboard.ccip.rtl;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.platform.Clocks;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.rtl.RtlException.Reason;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// An AFU in SystemVerilog behind the same port as one in Java (CCI-P manual 1.3.1): its model runs
/// in native memory, from the shared library of a [VerilatedDesign].
///
/// One thread at a time clocks it. It must be closed; clocked afterwards it throws.
public final class VerilatedAfu implements Afu, AutoCloseable {
    private static final int C0_VALID = 1;
    private static final int C1_VALID = 1 << 1;
    private static final int C2_VALID = 1 << 2;
    private static final int NOT_COMPILED_IN = -1;
    private static final long PICOSECONDS_PER_MICROSECOND = 1_000_000;

    private final VerilatedDesign design;
    private final Shim shim;
    private final MemorySegment rxWires;
    private final MemorySegment txWires;
    private final Profile profile;
    private final long seed;
    private final InitialValues values;
    private final @Nullable Clocks clocks;

    /// From the time of the clocks to that of the waveforms.
    private long traceOffset;

    private boolean closed;

    /// What is wrong with a design and no reason to end it.
    enum FindingKind {
        /// An assertion failed, or the design called `$error`.
        ASSERTION,
        /// The design called `$finish` before its first reset had ended.
        FINISH,
        /// An output changed at an edge of another clock than pClk.
        OTHER_CLOCK
    }

    /// One of them, reported once per place of the design.
    record Finding(FindingKind kind, String text) {}

    VerilatedAfu(VerilatedDesign design, Profile profile, long seed, InitialValues values) {
        this(design, profile, seed, values, true);
    }

    private VerilatedAfu(
            VerilatedDesign design,
            Profile profile,
            long seed,
            InitialValues values,
            boolean prints) {
        this.design = design;
        this.profile = profile;
        this.seed = seed;
        this.values = values;
        shim = new Shim(design.library(), values, prints);
        rxWires = shim.rx;
        txWires = shim.tx;
        clocks = shim.userClocks ? clocks(design, profile, seed) : null;
    }

    /// The same AFU as it was when opened, but for what its registers and memories hold at first.
    /// It displays nothing.
    VerilatedAfu twin() {
        return new VerilatedAfu(design, profile, seed, values.other(), false);
    }

    /// The same AFU as it was when opened, but that its registers and memories hold zero at first.
    /// It displays nothing.
    public VerilatedAfu startedAtZero() {
        return new VerilatedAfu(design, profile, seed, InitialValues.ZERO, false);
    }

    /// What its registers and memories held at first.
    InitialValues initialValues() {
        return values;
    }

    /// Whether there are findings that nobody has taken.
    boolean hasFindings() {
        return txWires.get(JAVA_INT, Shim.TX_FINDINGS) != 0;
    }

    /// The oldest finding. Not to be called when there is none.
    Finding takeFinding() {
        FindingKind kind = FindingKind.values()[shim.takeFinding()];
        String text = shim.finding();
        return new Finding(
                kind,
                switch (kind) {
                    case ASSERTION -> text;
                    case FINISH -> text + " calls $finish";
                    case OTHER_CLOCK -> field(Integer.parseInt(text)) + " changes";
                });
    }

    /// How often the model was evaluated since it was opened.
    long evaluations() {
        return shim.evaluations();
    }

    /// CCIP-CLK-7: only who has logic on a user clock pays for it.
    private static Clocks clocks(VerilatedDesign design, Profile profile, long seed) {
        double pClk = profile.pClkMegahertz();
        double user = design.userClockMegahertz();
        return design.userClockDiv2Megahertz()
                .filter(half -> half * 2 != user)
                .map(half -> new Clocks(pClk, user, half, seed))
                .orElseGet(() -> new Clocks(pClk, user, seed));
    }

    /// One rising edge of pClk, and all edges of the user clocks since the one before.
    ///
    /// CCIP-RTL-3, CCIP-RTL-4: one edge.
    ///
    /// @throws RtlException if the design ends its simulation, with `$fatal` for example
    @Override
    public void clock(Rx rx, Tx tx) {
        drive(rx);
        sample(clocks == null ? shim.step() : stepWith(clocks), tx);
    }

    /// CCIP-RTL-3: or many, until something is driven.
    @Override
    public long clockQuiet(Rx rx, Tx tx, long cycles) {
        if (clocks != null) {
            clock(rx, tx);
            return 1;
        }
        drive(rx);
        long passed = shim.idle(cycles);
        sample(passed < 0 ? Shim.ENDED : txWires.get(JAVA_INT, Shim.TX_VALID), tx);
        return passed;
    }

    private int stepWith(Clocks clocks) {
        int valid;
        do {
            clocks.advance();
            valid = shim.clocks(clocks.levels(), traceOffset + picoseconds(clocks));
        } while (valid >= 0 && !clocks.rises(Clocks.P_CLK));
        return valid;
    }

    private static long picoseconds(Clocks clocks) {
        return clocks.timeFemtoseconds() / 1000;
    }

    /// CCIP-SIG-10, CCIP-SIG-20: t_if_ccip_Rx, every bit of it.
    private void drive(Rx rx) {
        requireOpen();
        // Of a slice the JIT compiler knows how long it is, and checks no bounds.
        MemorySegment wires = rxWires.asSlice(0, Shim.RX_BYTES);
        for (int i = 0; i < Line.LONGS; i++) {
            wires.set(JAVA_LONG, Shim.RX_C0_DATA + 8L * i, rx.c0.data[i]);
        }
        wires.set(JAVA_INT, Shim.RX_C0_HDR, rx.c0.hdr);
        wires.set(JAVA_INT, Shim.RX_C1_HDR, rx.c1.hdr);
        wires.set(
                JAVA_INT,
                Shim.RX_WIRES,
                bit(rx.c0TxAlmFull, 0)
                        | bit(rx.c1TxAlmFull, 1)
                        | bit(rx.c0.rspValid, 2)
                        | bit(rx.c0.mmioRdValid, 3)
                        | bit(rx.c0.mmioWrValid, 4)
                        | bit(rx.c1.rspValid, 5)
                        | bit(rx.softReset, 6)
                        | bit(rx.error, 7)
                        | rx.powerState.code() << 8);
    }

    private static int bit(boolean value, int position) {
        return value ? 1 << position : 0;
    }

    /// CCIP-SIG-10, CCIP-SIG-20: t_if_ccip_Tx, every bit of what is valid.
    private void sample(int valid, Tx tx) {
        if (valid == 0) {
            return;
        }
        if (valid == Shim.ENDED) {
            throw new RtlException(Reason.ENDED, shim.reason());
        }
        MemorySegment wires = txWires.asSlice(0, Shim.TX_BYTES);
        if ((valid & C0_VALID) != 0) {
            tx.c0.valid = true;
            tx.c0.hdrLow = wires.get(JAVA_LONG, Shim.TX_C0_HDR_LOW);
            tx.c0.hdrHigh = wires.get(JAVA_INT, Shim.TX_C0_HDR_HIGH);
        }
        if ((valid & C1_VALID) != 0) {
            tx.c1.valid = true;
            tx.c1.hdrLow = wires.get(JAVA_LONG, Shim.TX_C1_HDR_LOW);
            tx.c1.hdrHigh = wires.get(JAVA_INT, Shim.TX_C1_HDR_HIGH);
            for (int i = 0; i < Line.LONGS; i++) {
                tx.c1.data[i] = wires.get(JAVA_LONG, Shim.TX_C1_DATA + 8L * i);
            }
        }
        if ((valid & C2_VALID) != 0) {
            tx.c2.respond(
                    wires.get(JAVA_INT, Shim.TX_C2_TID), wires.get(JAVA_LONG, Shim.TX_C2_DATA));
        }
    }

    /// Looks whether an output follows an input without an edge of pClk, which registered outputs
    /// never do (CCI-P manual 1.3.1): all wires of `t_if_ccip_Rx` are changed and put back. What is
    /// found depends on the state the design is in; look in many cycles.
    ///
    /// CCIP-RTL-7, CCIP-SIG-3: outputs are registered.
    ///
    /// @return the field of `t_if_ccip_Tx` that does, such as `c1.valid`
    public Optional<String> combinationalPath() {
        requireOpen();
        int bit = shim.combinationalPath();
        if (bit == Shim.ENDED) {
            throw new RtlException(Reason.ENDED, shim.reason());
        }
        return bit < 0 ? Optional.empty() : Optional.of(field(bit));
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the AFU of " + design.top() + " is closed");
        }
    }

    /// Writes a value change dump of the signals inside from this cycle on, with which the next
    /// edge ends, in picoseconds since cycle 0.
    void beginTrace(Path file, long cycle) {
        requireOpen();
        long megahertz = profile.pClkMegahertz();
        if (clocks != null) {
            // The first of all edges is at their time 0, and ends the cycle.
            long begins = clocks.levels() == 0 ? cycle + 1 : cycle;
            traceOffset = begins * PICOSECONDS_PER_MICROSECOND / megahertz - picoseconds(clocks);
        }
        int error = shim.beginTrace(file, cycle, megahertz);
        if (error == Shim.ENDED) {
            throw new RtlException(Reason.ENDED, shim.reason());
        }
        if (error == NOT_COMPILED_IN) {
            throw new IllegalStateException(
                    design.top() + " was compiled without its signals: see RtlDesign.withSignals");
        }
        requireWritten(error, file);
    }

    /// Completes that file.
    void endTrace(Path file) {
        requireOpen();
        requireWritten(shim.endTrace(), file);
    }

    private void requireWritten(int error, Path file) {
        if (error != 0) {
            throw new RtlException(
                    Reason.INPUT, file + " cannot be written: " + shim.errorText(error));
        }
    }

    /// Which field of `t_if_ccip_Tx` a bit of its image belongs to.
    private static String field(int bit) {
        if (bit >= 668) {
            return "c0.hdr";
        }
        if (bit == 667) {
            return "c0.valid";
        }
        if (bit >= 587) {
            return "c1.hdr";
        }
        if (bit >= 75) {
            return "c1.data";
        }
        if (bit == 74) {
            return "c1.valid";
        }
        if (bit >= 65) {
            return "c2.hdr";
        }
        return bit == 64 ? "c2.mmioRdValid" : "c2.data";
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            shim.close();
        }
    }
}
