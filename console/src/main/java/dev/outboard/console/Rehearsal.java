package dev.outboard.console;

import dev.outboard.node.routine.RoutineCatalog;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What Java watches when the launcher has it make a cache of classes and profiles (JEP 514, JEP
/// 515): a node and its clients in one process, so that the cache serves both.
final class Rehearsal {
    private static final int SHA_256 = 12;
    private static final int SMALL_BYTES = 64;
    private static final int LARGE_BYTES = 32 << 20;
    private static final int DIGEST_BYTES = 32;
    private static final Pattern READY = Pattern.compile("ready at (\\S+:\\d+),.*");

    private final Path directory;

    private Rehearsal(Path directory) {
        this.directory = directory;
    }

    /// Rehearses.
    ///
    /// @param words a directory for files that are left there
    public static void main(String[] words) throws Exception {
        new Rehearsal(Path.of(words[0])).run();
    }

    private void run() throws IOException, InterruptedException {
        outboard(Writer.nullWriter(), "help");
        outboard(Writer.nullWriter(), "help", "naa", "call");
        PipedReader said = new PipedReader();
        try (PipedWriter says = new PipedWriter(said);
                BufferedReader lines = new BufferedReader(said)) {
            Thread node = Thread.ofPlatform().unstarted(() -> serve(says));
            try (PipedOutputStream input = new PipedOutputStream()) {
                System.setIn(new PipedInputStream(input));
                node.start();
                String address = address(lines.readLine());
                call(address, SHA_256, SMALL_BYTES, DIGEST_BYTES, 1);
                call(address, RoutineCatalog.EMPTY, SMALL_BYTES, SMALL_BYTES, 10_000);
                call(address, RoutineCatalog.EMPTY, LARGE_BYTES, LARGE_BYTES, 4);
            }
            node.join();
        }
    }

    private static void serve(Writer out) {
        outboard(out, "naa", "serve", "--bind", "auto", "--port", "0", "--quiet", "--while-stdin");
    }

    private static String address(String line) {
        Matcher ready = READY.matcher(line);
        if (!ready.matches()) {
            throw new IllegalStateException("the node said: " + line);
        }
        return ready.group(1);
    }

    private void call(String address, int function, int sent, int returned, int times)
            throws IOException {
        Path input = Files.write(directory.resolve("input"), new byte[sent]);
        outboard(
                Writer.nullWriter(),
                "naa",
                "call",
                address,
                "--function",
                String.valueOf(function),
                "--repeat",
                String.valueOf(times),
                "--in",
                input.toString(),
                "--out",
                returned + ":" + directory.resolve("output"));
    }

    private static void outboard(Writer out, String... words) {
        int exitCode = Main.commandLine(words).setOut(new PrintWriter(out, true)).execute(words);
        if (exitCode != 0) {
            throw new IllegalStateException(
                    "outboard " + String.join(" ", words) + " ended with " + exitCode);
        }
    }
}
