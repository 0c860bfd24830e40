package dev.outboard.dpa.doca;

import dev.outboard.dpa.flexio.FlexioException;
import dev.outboard.dpa.flexio.FlexioProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// DPA-DC-3: what a fault leaves beside the log: a text and a core file.
final class CrashFiles {
    private static final System.Logger LOGGER = System.getLogger(CrashFiles.class.getName());

    private final FlexioProcess process;
    private final Optional<Path> log;
    private boolean written;

    CrashFiles(FlexioProcess process, Optional<Path> log) {
        this.process = process;
        this.log = log;
    }

    /// Writes them, once. Comes back when they are there.
    synchronized void write() {
        if (!written && log.isPresent()) {
            written = true;
            try {
                Files.writeString(beside(log.get(), ".crash"), process.errorState().text() + "\n");
                process.coreDump(beside(log.get(), ".core"));
            } catch (IOException | FlexioException e) {
                LOGGER.log(
                        System.Logger.Level.WARNING,
                        "What a fault leaves could not be written beside " + log.get(),
                        e);
            }
        }
    }

    private static Path beside(Path log, String ending) {
        return log.resolveSibling(log.getFileName() + ending);
    }
}
