package dev.outboard.console.afu;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.checker.Channel;
import dev.outboard.ccip.checker.Checker;
import dev.outboard.ccip.checker.Report;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.rtl.VerilatedDesign;
import dev.outboard.console.afu.AfuRun.Outcome;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `outboard afu run`: a platform, an AFU and a host program, from power-up to the end of the
/// program; then what it moved, and what the checker found.
@Command(
        name = "run",
        description = {
            "Run an AFU with a host program, and check every cycle of its port.",
            "AFU is the name of an example in Java, or the files of a design as for 'afu build'."
                    + " The exit code is 1 if the program fails or the checker finds anything."
        })
final class RunCommand implements Callable<Integer> {
    private static final int ALMOST_FULL_CYCLES = 64;

    /// An AFU may look at the wire of the other channel, which both together do not show.
    private static final List<Set<Channel>> ALMOST_FULL_CHANNELS =
            List.of(
                    EnumSet.of(Channel.TX_C0),
                    EnumSet.of(Channel.TX_C1),
                    EnumSet.of(Channel.TX_C0, Channel.TX_C1));

    @Spec private CommandSpec spec;

    @Mixin private DesignOptions design;

    @Mixin private RunOptions options;

    @Parameters(
            paramLabel = "AFU",
            arity = "1..*",
            description = "An example (hello, copy, add, sha256, interrupt, bytes, umsg) or files.")
    private List<String> words = List.of();

    @Override
    public Integer call() throws IOException, NoSuchAlgorithmException {
        Optional<HostProgram> example = example();
        options.check(spec.commandLine(), example.flatMap(HostProgram::example).isEmpty());
        byte[] input = options.input == null ? new byte[0] : Files.readAllBytes(options.input);
        HostProgram program =
                options.program != null ? options.program : example.orElse(HostProgram.DISCOVER);
        Profile platform =
                (options.platform != null ? options.platform : program.platform())
                        .withMmioTimeout(options.mmioTimeout);
        Supplier<Afu> afu =
                example.flatMap(HostProgram::example).orElseGet(() -> compiled(platform));
        if (options.almostFull != null) {
            return sweep(
                    options.almostFull,
                    () -> new AfuRun(options, platform, afu.get()),
                    input,
                    program);
        }
        try (AfuRun run = new AfuRun(options, platform, afu.get())) {
            run.trace();
            Outcome outcome = run.execute(program, input);
            int exitCode = print(run, outcome);
            run.startedAtZero(program, input).ifPresent(spec.commandLine().getOut()::println);
            return exitCode;
        }
    }

    private Optional<HostProgram> example() {
        return Arrays.stream(HostProgram.values())
                .filter(program -> words.size() == 1 && program.example().isPresent())
                .filter(program -> program.word().equals(words.getFirst()))
                .findFirst();
    }

    private Supplier<Afu> compiled(Profile platform) {
        String word = words.getFirst();
        if (words.size() == 1 && !word.contains(".") && !Files.exists(Path.of(word))) {
            throw new ParameterException(
                    spec.commandLine(), "no AFU '" + word + "': neither an example nor a file");
        }
        VerilatedDesign built =
                design.compile(
                        words.stream().map(Path::of).toList(),
                        options.wavesInside,
                        spec.commandLine().getErr());
        return () -> built.open(platform, options.seed, options.initialValues());
    }

    private int print(AfuRun run, Outcome outcome) {
        PrintWriter out = spec.commandLine().getOut();
        if (outcome.done()) {
            out.println(outcome.text());
        }
        out.print(run.statistics());
        Checker checker = run.checker();
        // The first of each kind tells most.
        Set<String> shown = new HashSet<>();
        for (Report report : checker.reports()) {
            if (shown.add(kind(report))) {
                out.println(report);
            }
        }
        checker.counts().forEach((violation, count) -> out.println(count + " x " + violation));
        out.flush();
        if (!outcome.done()) {
            return fail(outcome.text());
        }
        return shown.isEmpty() ? ExitCode.OK : fail("the checker has found something");
    }

    /// Wires that nothing sets may be harmless on one channel and fatal on another.
    private static String kind(Report report) {
        boolean undefined = report.violation() == Violation.TX_UNDEFINED;
        return report.violation() + " " + report.channel() + (undefined ? report.detail() : "");
    }

    /// For each cycle three runs, in which almost-full rises on one channel, on the other, and on
    /// both; says which of them show something.
    private int sweep(CycleRange cycles, Supplier<AfuRun> runs, byte[] input, HostProgram program)
            throws IOException, NoSuchAlgorithmException {
        PrintWriter out = spec.commandLine().getOut();
        long bad = 0;
        long badCycles = 0;
        for (long from = cycles.from(); from <= cycles.to(); from++) {
            long badBefore = bad;
            for (Set<Channel> channels : ALMOST_FULL_CHANNELS) {
                try (AfuRun run = runs.get()) {
                    bad += isSound(run, channels, from, input, program) ? 0 : 1;
                }
            }
            badCycles += bad == badBefore ? 0 : 1;
        }
        long all = cycles.to() - cycles.from() + 1;
        long allRuns = all * ALMOST_FULL_CHANNELS.size();
        out.println(allRuns + " runs, " + (allRuns - bad) + " without a finding");
        out.flush();
        return bad == 0
                ? ExitCode.OK
                : fail("almost-full shows a fault in " + badCycles + " of " + all + " cycles");
    }

    private boolean isSound(
            AfuRun run, Set<Channel> channels, long from, byte[] input, HostProgram program)
            throws IOException, NoSuchAlgorithmException {
        long to = from + ALMOST_FULL_CYCLES;
        run.raiseAlmostFull(channels, cycle -> cycle >= from && cycle < to);
        Outcome outcome = run.execute(program, input);
        List<Report> reports = run.checker().reports();
        if (outcome.done() && reports.isEmpty()) {
            return true;
        }
        String names =
                channels.stream().map(Channel::toString).collect(Collectors.joining(" and "));
        String what = reports.isEmpty() ? outcome.text() : reports.getFirst().toString();
        spec.commandLine()
                .getOut()
                .println("almost full on " + names + " from cycle " + from + ": " + what);
        return false;
    }

    private int fail(String why) {
        PrintWriter err = spec.commandLine().getErr();
        err.println("outboard: " + why);
        err.flush();
        return ExitCode.SOFTWARE;
    }
}
