package dev.outboard.ccip.trace;

import dev.outboard.ccip.checker.Answers;
import dev.outboard.ccip.checker.CacheLookup;
import dev.outboard.ccip.checker.Monitor;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A trigger as of a logic analyser: makes another monitor, such as a [VcdWriter], when
/// `pck_cp2af_error` rises (CCI-P manual 1.2.2.3), and shows it the cycles before, too. Until then
/// nothing is written, however long the run.
///
/// It is called by the thread that clocks the port; what it makes belongs to whoever gave the way
/// to make it. Nothing is allocated per cycle.
///
/// ```java
/// simulation.monitor(new OnError(() -> VcdWriter.open(file, profile)));
/// ```
///
/// CCIP-PLT-4: the trigger of remote debugging.
public final class OnError implements Monitor {
    /// How many cycles before the error are shown.
    public static final int CYCLES = 256;

    private final Supplier<Monitor> monitor;
    private final long[] cycles = new long[CYCLES];
    private final Tx[] txs = new Tx[CYCLES];
    private final Rx[] rxs = new Rx[CYCLES];
    private final Answers[] answers = new Answers[CYCLES];
    private long kept;
    private @Nullable Monitor triggered;

    /// @param monitor makes the monitor
    public OnError(Supplier<Monitor> monitor) {
        this.monitor = monitor;
        for (int i = 0; i < CYCLES; i++) {
            txs[i] = new Tx();
            rxs[i] = new Rx();
            answers[i] = new Answers();
        }
    }

    @Override
    public void clock(long cycle, Tx tx, Rx rx, Answers answers) {
        if (triggered == null && rx.error) {
            triggered = replayed(monitor.get());
        }
        if (triggered != null) {
            triggered.clock(cycle, tx, rx, answers);
            return;
        }
        int at = (int) (kept++ % CYCLES);
        cycles[at] = cycle;
        copy(tx, txs[at]);
        copy(rx, rxs[at]);
        this.answers[at].c0Request = answers.c0Request;
        this.answers[at].c1Request = answers.c1Request;
    }

    private Monitor replayed(Monitor made) {
        for (long i = Math.max(0, kept - CYCLES); i < kept; i++) {
            int at = (int) (i % CYCLES);
            made.clock(cycles[at], txs[at], rxs[at], answers[at]);
        }
        return made;
    }

    private static void copy(Tx from, Tx to) {
        to.c0.valid = from.c0.valid;
        to.c0.hdrLow = from.c0.hdrLow;
        to.c0.hdrHigh = from.c0.hdrHigh;
        to.c1.valid = from.c1.valid;
        to.c1.hdrLow = from.c1.hdrLow;
        to.c1.hdrHigh = from.c1.hdrHigh;
        Line.copy(from.c1.data, to.c1.data);
        to.c2.mmioRdValid = from.c2.mmioRdValid;
        to.c2.tid = from.c2.tid;
        to.c2.data = from.c2.data;
    }

    private static void copy(Rx from, Rx to) {
        to.c0TxAlmFull = from.c0TxAlmFull;
        to.c1TxAlmFull = from.c1TxAlmFull;
        to.softReset = from.softReset;
        to.powerState = from.powerState;
        to.error = from.error;
        to.c0.rspValid = from.c0.rspValid;
        to.c0.mmioRdValid = from.c0.mmioRdValid;
        to.c0.mmioWrValid = from.c0.mmioWrValid;
        to.c0.hdr = from.c0.hdr;
        Line.copy(from.c0.data, to.c0.data);
        to.c1.rspValid = from.c1.rspValid;
        to.c1.hdr = from.c1.hdr;
    }

    @Override
    public void lookup(long cycle, CacheLookup lookup) {
        if (triggered != null) {
            triggered.lookup(cycle, lookup);
        }
    }

    @Override
    public long nextCycle(long cycle) {
        return triggered == null ? Long.MAX_VALUE : triggered.nextCycle(cycle);
    }
}
