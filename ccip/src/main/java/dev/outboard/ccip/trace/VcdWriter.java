package dev.outboard.ccip.trace;

import dev.outboard.ccip.checker.Answers;
import dev.outboard.ccip.checker.Monitor;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/// The port as waveforms for GTKWave: a value change dump in which each field of each header is a
/// signal of its own. What means nothing in a cycle is idle (`z`), whatever the wires carry: `x` on
/// so many signals would cover the others in red.
///
/// Cycle n begins with the rising edge of pClk at n periods, in picoseconds. A while after the last
/// change `pClk` and `cycle` become idle until the next: long quiet times take no room.
///
/// It is called by the thread that clocks the port; closing it completes and closes the file.
///
/// ```java
/// try (VcdWriter waves = VcdWriter.open(Path.of("run.vcd"), profile)) {
///     simulation.monitor(waves);
///     …
/// }
/// ```
public final class VcdWriter implements Monitor, AutoCloseable {
    /// Cycles for which the clock is still drawn after a change.
    private static final int CLOCK_CYCLES = 4;

    private static final long PICOSECONDS_PER_MICROSECOND = 1_000_000;

    private final ValueChangeDump dump;
    private final long megahertz;
    private final ValueChangeDump.Wire pClk;
    private final ValueChangeDump.Wire cycleNumber;
    private final ValueChangeDump.Wire softReset;
    private final ValueChangeDump.Word powerState;
    private final ValueChangeDump.Wire error;
    private final TxWaves txWaves;
    private final RxWaves rxWaves;
    private long clocked = -1;
    private long changed = -1;
    private boolean closed;

    /// Writes into a stream, which closing this closes.
    public VcdWriter(OutputStream out, Profile profile) {
        dump = new ValueChangeDump(out);
        megahertz = profile.pClkMegahertz();
        dump.declare("$comment CCI-P port of " + profile.name().replace('$', '_') + " $end");
        dump.declare("$timescale 1ps $end");
        dump.declare("$scope module port $end");
        pClk = dump.wire("pClk", 1);
        cycleNumber = dump.number("cycle");
        softReset = dump.wire("softReset", 1);
        powerState = dump.word("pwrState");
        error = dump.wire("error", 1);
        txWaves = new TxWaves(dump);
        rxWaves = new RxWaves(dump);
        dump.declare("$upscope $end");
        dump.declare("$enddefinitions $end");
    }

    /// Writes into a file, which is made anew.
    ///
    /// @throws IOException if it cannot be
    public static VcdWriter open(Path file, Profile profile) throws IOException {
        return new VcdWriter(Files.newOutputStream(file), profile);
    }

    @Override
    public void clock(long cycle, Tx tx, Rx rx, Answers answers) {
        if (clocked < 0) {
            clocked = cycle - 1;
            changed = cycle;
        }
        clockUpTo(cycle - 1);
        dump.time(picoseconds(2 * cycle));
        long before = dump.changes();
        softReset.set(rx.softReset);
        powerState.set(rx.powerState.name());
        error.set(rx.error);
        txWaves.draw(tx);
        rxWaves.draw(rx, answers);
        if (dump.changes() != before) {
            changed = cycle;
        }
        tick(cycle);
    }

    /// Draws the clock of cycles in which nothing changed.
    private void clockUpTo(long cycle) {
        long last = Math.min(cycle, changed + CLOCK_CYCLES);
        while (clocked < last) {
            dump.time(picoseconds(2 * (clocked + 1)));
            tick(clocked + 1);
        }
        clocked = cycle;
    }

    private void tick(long cycle) {
        if (cycle - changed < CLOCK_CYCLES) {
            cycleNumber.set(cycle);
            pClk.set(true);
            dump.time(picoseconds(2 * cycle + 1));
            pClk.set(false);
        } else {
            cycleNumber.idle();
            pClk.idle();
        }
        clocked = cycle;
    }

    private long picoseconds(long halfPeriods) {
        return halfPeriods * (PICOSECONDS_PER_MICROSECOND / 2) / megahertz;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            clockUpTo(changed + CLOCK_CYCLES);
            dump.close();
        }
    }
}
