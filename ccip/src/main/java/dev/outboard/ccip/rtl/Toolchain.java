package dev.outboard.ccip.rtl;

import dev.outboard.ccip.rtl.RtlException.Reason;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Verilator and a C++ compiler, found on this machine and asked for their versions.
///
/// @param verilator the command
/// @param verilatorVersion as it prints it
/// @param include where Verilator keeps the sources of its library
/// @param compiler the C++ compiler's command
/// @param compilerVersion the first line that it prints
record Toolchain(
        Path verilator,
        String verilatorVersion,
        Path include,
        Path compiler,
        String compilerVersion) {
    /// The oldest Verilator that is known to build the examples: that of Debian 12.
    private static final int[] OLDEST = {5, 6};

    private static final Pattern VERSION = Pattern.compile("Verilator (\\d+)\\.(\\d+)");
    private static final long LONGEST_MINUTES = 15;
    private static final String INSTALL =
            "On Debian and Ubuntu: apt-get install verilator g++. Verilator has to be 5.006 or newer.";

    /// Looks for both where the shell would, and first where `VERILATOR` and `CXX` of the
    /// environment say.
    ///
    /// @throws RtlException if one is missing, too old, or does not run
    static Toolchain find(Map<String, String> environment) {
        Path verilator = command(environment, "VERILATOR", List.of("verilator"));
        String version = run(List.of(verilator.toString(), "--version"), Path.of("")).output();
        checkVersion(verilator, version);
        Path root =
                Path.of(
                        run(
                                        List.of(verilator.toString(), "--getenv", "VERILATOR_ROOT"),
                                        Path.of(""))
                                .output()
                                .strip());
        Path compiler = command(environment, "CXX", List.of("g++", "clang++", "c++"));
        String compilerVersion =
                run(List.of(compiler.toString(), "--version"), Path.of("")).output();
        return new Toolchain(
                verilator,
                version.strip(),
                root.resolve("include"),
                compiler,
                compilerVersion.lines().findFirst().orElse(""));
    }

    private static void checkVersion(Path verilator, String printed) {
        Matcher version = VERSION.matcher(printed);
        if (!version.find()) {
            throw new RtlException(
                    Reason.TOOL,
                    verilator
                            + " --version prints \""
                            + printed.strip()
                            + "\", no version. "
                            + INSTALL);
        }
        int major = Integer.parseInt(version.group(1));
        int minor = Integer.parseInt(version.group(2));
        if (major < OLDEST[0] || (major == OLDEST[0] && minor < OLDEST[1])) {
            throw new RtlException(
                    Reason.TOOL,
                    verilator + " is too old: it is " + version.group().strip() + ". " + INSTALL);
        }
    }

    /// CCIP-RTL-10c: what is missing is named, and how to install it.
    private static Path command(
            Map<String, String> environment, String variable, List<String> names) {
        String chosen = environment.get(variable);
        for (String name : chosen == null ? names : List.of(chosen)) {
            if (name.contains(File.separator)) {
                Path path = Path.of(name);
                if (Files.isExecutable(path)) {
                    return path;
                }
                continue;
            }
            for (String directory :
                    environment.getOrDefault("PATH", "").split(File.pathSeparator)) {
                Path path = Path.of(directory, name);
                if (Files.isExecutable(path)) {
                    return path.toAbsolutePath();
                }
            }
        }
        throw new RtlException(
                Reason.TOOL,
                (chosen == null
                                ? "no " + String.join(", ", names) + " on the PATH"
                                : variable + "=" + chosen + " names no command")
                        + ". "
                        + INSTALL
                        + " AFUs in Java need neither.");
    }

    /// What a command did.
    record Outcome(int status, String output) {}

    /// Runs a command to its end; what it prints to either stream is its output.
    static Outcome run(List<String> command, Path directory) {
        try {
            Path log = Files.createTempFile("outboard-rtl", ".log");
            try {
                Process process =
                        new ProcessBuilder(command)
                                .directory(directory.toAbsolutePath().toFile())
                                .redirectErrorStream(true)
                                .redirectOutput(log.toFile())
                                .start();
                process.getOutputStream().close();
                boolean ended = false;
                try {
                    ended = process.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES);
                } finally {
                    if (!ended) {
                        process.descendants().forEach(ProcessHandle::destroyForcibly);
                        process.destroyForcibly();
                    }
                }
                if (!ended) {
                    throw new RtlException(
                            Reason.TOOL,
                            command.getFirst()
                                    + " has run for "
                                    + LONGEST_MINUTES
                                    + " minutes and was ended");
                }
                return new Outcome(
                        process.exitValue(),
                        new String(Files.readAllBytes(log), StandardCharsets.UTF_8));
            } finally {
                Files.deleteIfExists(log);
            }
        } catch (IOException e) {
            throw new RtlException(
                    Reason.TOOL, command.getFirst() + " cannot be run: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RtlException(Reason.TOOL, command.getFirst() + " was interrupted", e);
        }
    }
}
