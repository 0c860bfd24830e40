package dev.outboard.ccip.rtl;

import dev.outboard.ccip.checker.Answers;
import dev.outboard.ccip.checker.CacheLookup;
import dev.outboard.ccip.checker.Monitor;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.trace.VcdWriter;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/// The port as waveforms, as [VcdWriter] has them, and beside it the signals inside a design: one
/// file with one axis of time, in which what a register holds stands over the cycle of the port in
/// which it holds it. The design is one [RtlDesign#withSignals].
///
/// Until it is closed there are two files, this one with the port and `FILE.inside` with the rest,
/// which a run that is broken off leaves behind; each can be looked at for itself.
///
/// It is called by the thread that clocks the AFU, from any cycle on, and must be closed before the
/// AFU is.
///
/// ```java
/// try (VerilatedAfu afu = build.compile(design.withSignals(3)).open(profile, seed);
///         DesignWaves waves = DesignWaves.open(Path.of("run.vcd"), profile, afu)) {
///     simulation.monitor(waves);
///     …
/// }
/// ```
public final class DesignWaves implements Monitor, AutoCloseable {
    private final Path file;
    private final Path inside;
    private final VcdWriter port;
    private final VerilatedAfu afu;
    private boolean begun;
    private boolean closed;

    private DesignWaves(Path file, Profile profile, VerilatedAfu afu) throws IOException {
        this.file = file;
        this.afu = afu;
        inside = beside(file, ".inside");
        port = VcdWriter.open(file, profile);
    }

    /// Writes into a file, which is made anew.
    ///
    /// @throws IOException if it cannot be
    public static DesignWaves open(Path file, Profile profile, VerilatedAfu afu)
            throws IOException {
        return new DesignWaves(file, profile, afu);
    }

    private static Path beside(Path file, String suffix) {
        return file.resolveSibling(file.getFileName() + suffix);
    }

    @Override
    public void clock(long cycle, Tx tx, Rx rx, Answers answers) {
        if (!begun) {
            afu.beginTrace(inside.toAbsolutePath(), cycle);
            begun = true;
        }
        port.clock(cycle, tx, rx, answers);
    }

    @Override
    public void lookup(long cycle, CacheLookup lookup) {
        port.lookup(cycle, lookup);
    }

    @Override
    public long nextCycle(long cycle) {
        return port.nextCycle(cycle);
    }

    /// Completes the file.
    ///
    /// @throws RtlException if the signals inside could not be written
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        port.close();
        if (!begun) {
            return;
        }
        afu.endTrace(inside);
        try {
            Path both = beside(file, ".both");
            ValueChanges.merge(file, inside, both);
            Files.move(both, file, StandardCopyOption.REPLACE_EXISTING);
            Files.delete(inside);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
