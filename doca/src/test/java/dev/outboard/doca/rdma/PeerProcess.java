package dev.outboard.doca.rdma;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.testkit.RunningProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;

/// An [RdmaPeerProgram] in a JVM of its own. Closing it kills it.
final class PeerProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Process process;
    private final RunningProgram program;

    /// Starts one on `device`.
    PeerProcess(DocaDevInfo device, String... how) {
        assumeFalse(device.uri().startsWith("sim:"), "a simulated network is in one process");
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                RdmaPeerProgram.class.getName(),
                                device.uri()));
        command.addAll(List.of(how));
        try {
            process = new ProcessBuilder(command).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        program = new RunningProgram("peer", process);
    }

    byte[] details() {
        return HexFormat.of().parseHex(line("details (.*)").group(1));
    }

    /// Where it listens.
    RdmaAddress address() {
        Matcher line = line("listens (.*) (.*)");
        return RdmaAddress.ipv4(line.group(1), Integer.parseInt(line.group(2)));
    }

    /// Its memory, for `end`.
    RemoteMmap memory(RdmaEnd end) {
        return RemoteMmap.fromExport(
                end.dev, HexFormat.of().parseHex(line("memory (.*)").group(1)));
    }

    /// Tells it what to do, see [#awaitDone].
    void tell(String command) {
        try {
            Writer out = process.outputWriter();
            out.write(command + "\n");
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(program.toString(), e);
        }
    }

    /// Waits until it says what it has done.
    void awaitDone(String said) {
        line(said);
    }

    private Matcher line(String regex) {
        return program.awaitLine(regex, PATIENCE);
    }

    void kill() {
        program.close();
    }

    @Override
    public void close() {
        kill();
    }
}
