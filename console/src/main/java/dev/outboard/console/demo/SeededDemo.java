package dev.outboard.console.demo;

import dev.outboard.dpa.machine.Observer;
import dev.outboard.node.datapath.SeededChain;
import dev.outboard.node.offload.KernelLanguage;
import dev.outboard.node.routine.EdgeDetection;
import dev.outboard.terminal.CommandException;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.BiConsumer;

/// `outboard demo --on chain --seed N`: the chain in one process and one virtual time, whose trace
/// is the same each time.
final class SeededDemo {
    private SeededDemo() {}

    /// Runs it.
    ///
    /// @param kernel what the handler is written in
    /// @param file where the trace goes
    /// @param says takes what is said, and about what
    /// @return a byte per pixel
    static byte[] run(
            long seed,
            KernelLanguage kernel,
            Picture picture,
            Path file,
            BiConsumer<String, String> says)
            throws IOException {
        byte[] pixels = picture.rgb().toArray(ValueLayout.JAVA_BYTE);
        SeededChain.Outcome outcome =
                SeededChain.run(
                        Observer.NONE,
                        seed,
                        kernel,
                        new EdgeDetection.Image(
                                picture.size().width(), picture.size().height(), Picture.CHANNELS),
                        pixels);
        if (outcome.code() != 0) {
            throw new CommandException(
                    "the function of the FPGA returned code 0x%02x".formatted(outcome.code()));
        }
        says.accept(
                "seed", "%d: the DPA, its NIC and the FPGA in one virtual time".formatted(seed));
        says.accept("function", "%,d cycles of pClk".formatted(outcome.cycles()));
        Files.write(file, outcome.trace());
        says.accept(
                "trace",
                "%s, SHA-256 %s".formatted(file, digest(outcome.trace()).substring(0, 16)));
        return outcome.edges();
    }

    private static String digest(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
