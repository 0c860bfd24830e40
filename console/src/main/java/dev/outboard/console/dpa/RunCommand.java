package dev.outboard.console.dpa;

import dev.outboard.dpa.checker.CheckReport;
import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.CycleCosts;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.MachineOptions.Timing;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.terminal.CommandException;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `outboard dpa run`: runs a host program on a device with a DPA.
@Command(
        name = "run",
        description = {
            "Run a host program that uses a DPA: the method"
                    + " 'public static void run(DpaDevice device, String[] arguments)' of a class.",
            "The device is what the options say, so that the same program runs at full speed, in"
                    + " weak memory, or with a checker that looks for missing fences.",
            "With --function, one function of a DPA program in C; with --bare, any static program"
                    + " in RV64IMAC code. gdb can debug both."
        },
        footer = {
            "",
            "Examples:",
            "  outboard dpa run ledger.jar com.example.Bookkeeper",
            "  outboard dpa run --mode weak --seed 7 ledger.jar com.example.Bookkeeper 100",
            "  outboard dpa run --function add kernel.elf 2 3",
            "  outboard dpa run --gdb 1234 --function add kernel.elf 2 3",
            "  outboard dpa run --bare rv64ui-p-add",
            "",
            "While it runs, 'outboard dpa ps' and 'outboard dpa trace' look at it.",
            "Ends with 1 if the program throws an exception or the checker finds anything, and with 2"
                    + " if it cannot be run; with --bare, with the code of the program.",
            "docs/guide/dpa-litmus.md shows a program, and docs/dpa.md a session of gdb."
        })
final class RunCommand implements Callable<Integer> {
    private static final String METHOD = "run";

    /// How kernels run.
    enum Mode {
        /// At once and at full speed.
        FAST,
        /// In turns, by the weak rules of a profile.
        WEAK,
        /// In turns, with a checker.
        CHECK
    }

    /// What accesses of memory cost.
    enum Costs {
        /// The same for all DPA memory, and for all external memory.
        FLAT,
        /// As measured on a BlueField-3.
        BF3;

        CycleCosts cycles() {
            return switch (this) {
                case FLAT -> CycleCosts.DEFAULT;
                case BF3 -> CycleCosts.BF3;
            };
        }
    }

    @Spec private CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "FILE",
            description =
                    "A JAR or a directory of classes; with --function or --bare, an ELF file.")
    private Path file = Path.of("");

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "CLASS",
            description =
                    "The class of the method, with its package; left out with --function and --bare.")
    private String program = "";

    @Parameters(
            index = "2..*",
            arity = "0..*",
            paramLabel = "ARGUMENT",
            description =
                    "What the method or the function is given; a function takes numbers. Those that"
                            + " begin with '-' come after '--'.")
    private List<String> arguments = new ArrayList<>();

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            defaultValue = "FAST",
            description =
                    "How kernels run: one of ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private Mode mode = Mode.FAST;

    @Option(
            names = "--profile",
            paramLabel = "PROFILE",
            defaultValue = "SEED",
            description =
                    "By which rules stores are delayed in mode WEAK, and fences judged in CHECK: one"
                            + " of ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private Profile profile = Profile.SEED;

    @Option(
            names = "--seed",
            paramLabel = "SEED",
            defaultValue = "1",
            description =
                    "What the run follows from in modes WEAK and CHECK, and what counters start with."
                            + " Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(
            names = "--timing",
            paramLabel = "TIMING",
            defaultValue = "FLAT",
            description =
                    "How many cycles loads and stores take in modes WEAK and CHECK: one of"
                            + " ${COMPLETION-CANDIDATES}. docs/dpa.md has the figures. Default:"
                            + " ${DEFAULT-VALUE}.")
    private Costs costs = Costs.FLAT;

    @Option(
            names = "--units",
            paramLabel = "CxN",
            converter = Units.class,
            defaultValue = "16x16",
            description =
                    "The execution units: C cores with N each, of which two are reserved. Default:"
                            + " ${DEFAULT-VALUE}.")
    private UnitGrid units = UnitGrid.DEFAULT;

    @Option(
            names = "--device",
            paramLabel = "URI",
            description = {
                "The device of the fabric that carries what queue pairs send, such as"
                        + " roce://127.0.0.2, in mode FAST. Without it they are connected with each"
                        + " other only."
            })
    private @Nullable String fabric;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description =
                    "Write a trace of the device to that file, which https://ui.perfetto.dev opens.")
    private Optional<Path> trace = Optional.empty();

    @Mixin private ElfOptions elf = new ElfOptions();

    /// Of all processes that the program makes, from whichever thread.
    private final List<Checker> checkers = Collections.synchronizedList(new ArrayList<>());

    @Override
    public Integer call() throws IOException {
        ElfRun ofElf = new ElfRun(spec, elf, file);
        List<String> words = new ArrayList<>(arguments);
        if (!program.isEmpty()) {
            words.addFirst(program);
        }
        if (elf.bare) {
            return ofElf.bare(words);
        }
        if (elf.function.isPresent()) {
            program = elf.function.get();
            int code = fabric == null ? function(ofElf, words) : refuseFabric();
            return report() ? code : ExitCode.SOFTWARE;
        }
        ofElf.refuseOptions();
        if (program.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "Missing required parameter: 'CLASS'");
        }
        return new ProgramFiles(spec.commandLine(), List.of(file)).with(program, this::run);
    }

    /// Who follows a program in turns sees one instruction after the other.
    private int function(ElfRun ofElf, List<String> words) throws IOException {
        boolean isModeGiven = spec.commandLine().getParseResult().hasMatchedOption("--mode");
        if (elf.follows() && isModeGiven) {
            throw new ParameterException(
                    spec.commandLine(),
                    "with --gdb and --instructions kernels run in turns, by the rules of FAST; leave --mode out");
        }
        DpaDevice device =
                elf.follows()
                        ? DpaDevice.of(options(), RunMode.check(Observer.NONE, seed))
                        : device();
        try (WatchedRun _ = new WatchedRun(spec, device, trace)) {
            return ofElf.function(device, words);
        }
    }

    private int refuseFabric() {
        throw new ParameterException(
                spec.commandLine(), "a function by itself has no peers; leave --device out");
    }

    private int run(Class<?> type) {
        Method method = method(type);
        if (fabric == null) {
            return run(method, device());
        }
        if (mode != Mode.FAST) {
            throw new ParameterException(
                    spec.commandLine(),
                    "in mode %s a program has no peers outside the machine; valid with --device: FAST"
                            .formatted(mode));
        }
        try (Device card = Fabric.open(fabric)) {
            return run(method, DpaDevice.of(options(), RunMode.fast(), card));
        }
    }

    private int run(Method method, DpaDevice device) {
        try (WatchedRun _ = new WatchedRun(spec, device, trace)) {
            method.invoke(null, device, arguments.toArray(String[]::new));
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        } catch (InvocationTargetException e) {
            report();
            Throwable thrown = Objects.requireNonNullElse(e.getCause(), e);
            throw new CommandException(
                    "%s failed: %s".formatted(program, ProgramFiles.reason(program, thrown)),
                    thrown);
        }
        return report() ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private Method method(Class<?> type) {
        try {
            Method method = type.getMethod(METHOD, DpaDevice.class, String[].class);
            if (Modifier.isStatic(method.getModifiers())) {
                method.setAccessible(true);
                return method;
            }
        } catch (NoSuchMethodException e) {
            // Said below.
        }
        throw new ParameterException(
                spec.commandLine(),
                "class %s has no method 'public static void %s(DpaDevice device, String[] arguments)'"
                        .formatted(program, METHOD));
    }

    private MachineOptions options() {
        return MachineOptions.DEFAULT
                .withUnits(units)
                .withSeed(seed)
                .withTiming(Timing.DEFAULT.withCosts(costs.cycles()));
    }

    private DpaDevice device() {
        return switch (mode) {
            case FAST -> DpaDevice.of(options(), RunMode.fast());
            case WEAK -> DpaDevice.of(options(), RunMode.weak(profile, seed));
            case CHECK ->
                    DpaDevice.of(options(), RunMode.check(Observer.NONE, seed), this::checker);
        };
    }

    private Observer checker() {
        Checker checker = new Checker(profile, false);
        checkers.add(checker);
        return checker;
    }

    /// @return whether nothing was found
    private boolean report() {
        if (mode != Mode.CHECK) {
            return true;
        }
        CheckReport report = new CheckReport(program, profile);
        report.add(checkers.stream().flatMap(each -> each.findings().stream()).toList(), seed);
        PrintWriter out = spec.commandLine().getOut();
        out.print(report);
        out.flush();
        return report.isClean();
    }
}
