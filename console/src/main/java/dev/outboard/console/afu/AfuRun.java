package dev.outboard.console.afu;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.checker.Checker;
import dev.outboard.ccip.checker.ViolationException;
import dev.outboard.ccip.host.Fpga;
import dev.outboard.ccip.host.FpgaException;
import dev.outboard.ccip.host.Simulation;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.rtl.RtlCheck;
import dev.outboard.ccip.rtl.RtlException;
import dev.outboard.ccip.rtl.VerilatedAfu;
import dev.outboard.ccip.trace.Statistics;
import dev.outboard.ccip.trace.TransactionLog;
import dev.outboard.ccip.trace.VcdWriter;
import dev.outboard.console.terminal.ConsoleException;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.security.NoSuchAlgorithmException;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/// One run of a host program with an AFU, from power-up. It owns the AFU and the files that are
/// written meanwhile.
final class AfuRun implements AutoCloseable {
    private final RunOptions options;
    private final Afu afu;
    private final Simulation simulation;
    private final Statistics statistics;
    private @Nullable RtlCheck rtlCheck;
    private @Nullable VcdWriter waves;
    private @Nullable Writer log;

    AfuRun(RunOptions options, Profile platform, Afu afu) {
        this.options = options;
        this.afu = afu;
        simulation =
                Simulation.of(platform, afu)
                        .mode(options.mode)
                        .seed(options.seed)
                        .policy(options.policy)
                        .build();
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
            waves = VcdWriter.open(options.waves, simulation.profile());
            simulation.monitor(waves);
        }
        if (options.log != null) {
            log = Files.newBufferedWriter(options.log);
            simulation.monitor(TransactionLog.to(log));
        }
    }

    void raiseAlmostFull(LongPredicate cycles) {
        simulation.raiseAlmostFull(cycles);
    }

    /// Runs the program to its end.
    ///
    /// @return what came out, or what went wrong
    Outcome execute(HostProgram program, byte[] input)
            throws IOException, NoSuchAlgorithmException {
        Outcome outcome = attempt(program, input);
        try {
            simulation.checker().finish(simulation.cycle());
        } catch (ViolationException _) {
            // It is among the reports of the checker.
        }
        statistics.finish(simulation.cycle());
        return outcome;
    }

    private Outcome attempt(HostProgram program, byte[] input)
            throws IOException, NoSuchAlgorithmException {
        try (Fpga fpga = Fpga.open(simulation)) {
            HostJob job = new HostJob(simulation, fpga, options.lines, input, options.limit);
            String text = program.run(job);
            simulation.stepUntil(simulation::isIdle, options.limit);
            // What the FIU drove last has still to be seen.
            simulation.step(1);
            if (options.output != null) {
                Files.write(options.output, job.result());
            }
            return new Outcome(text, true);
        } catch (ViolationException e) {
            return new Outcome("stopped in cycle " + e.report().cycle(), false);
        } catch (FpgaException | RtlException | ConsoleException e) {
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
