package dev.outboard.console.afu;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.checker.Channel;
import dev.outboard.ccip.checker.Checker;
import dev.outboard.ccip.checker.Monitor;
import dev.outboard.ccip.checker.Report;
import dev.outboard.ccip.checker.Severity;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.checker.ViolationException;
import dev.outboard.ccip.host.Fpga;
import dev.outboard.ccip.host.FpgaException;
import dev.outboard.ccip.host.Simulation;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.rtl.DesignWaves;
import dev.outboard.ccip.rtl.RtlCheck;
import dev.outboard.ccip.rtl.RtlException;
import dev.outboard.ccip.rtl.VerilatedAfu;
import dev.outboard.ccip.trace.OnError;
import dev.outboard.ccip.trace.Statistics;
import dev.outboard.ccip.trace.TransactionLog;
import dev.outboard.ccip.trace.VcdWriter;
import dev.outboard.terminal.CommandException;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/// One run of a host program with an AFU, from power-up. It owns the AFU and the files that are
/// written meanwhile.
final class AfuRun implements AutoCloseable {
    private final RunOptions options;
    private final Profile platform;
    private final Afu afu;
    private final Simulation simulation;
    private final Statistics statistics;
    private @Nullable RtlCheck rtlCheck;
    private @Nullable Closeable waves;
    private @Nullable Writer log;
    private byte[] result = new byte[0];

    AfuRun(RunOptions options, Profile platform, Afu afu) {
        this.options = options;
        this.platform = platform;
        this.afu = afu;
        simulation =
                Simulation.of(platform, afu)
                        .mode(options.mode)
                        .memoryModel(options.model)
                        .seed(options.seed)
                        .policy(options.policy)
                        .build();
        if (!options.flags.isEmpty()) {
            simulation.checker().severity(Violation.HAZ_FLAG_UNFENCED, Severity.WARNING);
        }
        options.severities.forEach(simulation.checker()::severity);
        statistics = new Statistics(platform);
        simulation.monitor(statistics);
        if (afu instanceof VerilatedAfu verilated) {
            rtlCheck = new RtlCheck(verilated, simulation.checker());
            simulation.monitor(rtlCheck);
        }
    }

    /// Writes the files that were asked for.
    void trace() throws IOException {
        if (options.waves != null) {
            simulation.monitor(
                    options.wavesOnError ? onError(options.waves) : waves(options.waves));
        }
        if (options.log != null) {
            log = Files.newBufferedWriter(options.log);
            simulation.monitor(TransactionLog.to(log));
        }
    }

    private Monitor waves(Path file) throws IOException {
        if (options.wavesInside > 0 && afu instanceof VerilatedAfu verilated) {
            DesignWaves opened = DesignWaves.open(file, simulation.profile(), verilated);
            waves = opened::close;
            return opened;
        }
        VcdWriter opened = VcdWriter.open(file, simulation.profile());
        waves = opened::close;
        return opened;
    }

    private Monitor onError(Path file) throws IOException {
        Files.deleteIfExists(file);
        return new OnError(() -> {
            try {
                return waves(file);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    void raiseAlmostFull(Set<Channel> channels, LongPredicate cycles) {
        channels.forEach(channel -> simulation.raiseAlmostFull(channel, cycles));
    }

    /// Runs the program to its end.
    ///
    /// @return what came out, or what went wrong
    Outcome execute(HostProgram program, byte[] input)
            throws IOException, NoSuchAlgorithmException {
        Outcome outcome = attempt(program, input);
        if (outcome.done() && options.output != null) {
            Files.write(options.output, result);
        }
        return finished(outcome);
    }

    private Outcome finished(Outcome outcome) {
        try {
            simulation.checker().finish(simulation.cycle());
        } catch (ViolationException _) {
            // It is among the reports of the checker.
        }
        statistics.finish(simulation.cycle());
        return outcome;
    }

    /// CCIP-RTL-11: after a run in which the port depended on what registers held at first, how the
    /// same program ends with an AFU whose registers start at zero.
    Optional<String> startedAtZero(HostProgram program, byte[] input)
            throws IOException, NoSuchAlgorithmException {
        if (!(afu instanceof VerilatedAfu verilated)
                || simulation.checker().count(Violation.TX_UNDEFINED) == 0) {
            return Optional.empty();
        }
        try (AfuRun run = new AfuRun(options, platform, verilated.startedAtZero())) {
            Outcome outcome = run.finished(run.attempt(program, input));
            if (!outcome.done()) {
                return Optional.of("started at zero it fails too: " + outcome.text());
            }
            List<Report> reports = run.checker().reports();
            return Optional.of(
                    reports.isEmpty()
                            ? "started at zero, as most boards do, it ends well: this design needs"
                                    + " --init zero"
                            : "started at zero it ends, and the checker finds "
                                    + reports.getFirst());
        }
    }

    private Outcome attempt(HostProgram program, byte[] input)
            throws IOException, NoSuchAlgorithmException {
        try (Fpga fpga = Fpga.open(simulation)) {
            HostJob job = new HostJob(simulation, fpga, options.lines, input, options.limit);
            options.flags.forEach(job::markFlag);
            String text = program.run(job);
            simulation.stepUntil(simulation::isIdle, options.limit);
            // What the FIU drove last has still to be seen.
            simulation.step(1);
            result = options.output == null ? result : job.result();
            return new Outcome(text, true);
        } catch (ViolationException e) {
            return new Outcome("stopped in cycle " + e.report().cycle(), false);
        } catch (FpgaException | RtlException | CommandException e) {
            return new Outcome(String.valueOf(e.getMessage()), false);
        }
    }

    Checker checker() {
        return simulation.checker();
    }

    Statistics statistics() {
        return statistics;
    }

    @Override
    public void close() throws IOException {
        if (waves != null) {
            waves.close();
        }
        if (log != null) {
            log.close();
        }
        if (rtlCheck != null) {
            rtlCheck.close();
        }
        if (afu instanceof VerilatedAfu verilated) {
            verilated.close();
        }
    }

    /// How a program ended.
    ///
    /// @param text what came out, or what went wrong
    record Outcome(String text, boolean done) {}
}
