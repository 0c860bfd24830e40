package dev.outboard.console.dpacc;

import dev.outboard.dpa.cc.CStub;
import dev.outboard.dpa.cc.CompileException;
import dev.outboard.dpa.cc.DeviceBuild;
import dev.outboard.dpa.cc.DeviceCompiler;
import dev.outboard.dpa.cc.DeviceSources;
import dev.outboard.terminal.CommandException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import javax.lang.model.SourceVersion;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `outboard dpacc`: builds a device program in C.
///
/// DPA-CC-12: the options of dpacc, in its spelling.
@Command(
        name = "dpacc",
        description = {
            "Build a program in C for the DPA: compile it with clang for the processors of the DPA,"
                    + " link it, and write a JAR with the class that host programs in Java call it by.",
            "Functions that the host calls are marked __dpa_rpc__, event handlers and kernels"
                    + " __dpa_global__."
        },
        footer = {
            "",
            "Examples:",
            "  outboard dpacc echo.c --app-name echo -o echo.jar",
            "  outboard dpacc echo.c helper.c -I include --devicecc-options=\"-O1 -DROUNDS=3\"",
            "  outboard dpacc objdump echo.jar",
            "",
            "Needs clang and ld.lld; on Debian and Ubuntu: apt-get install clang lld.",
            "docs/guide/dpa-c.md goes from a C file to a running handler."
        },
        subcommands = {NmCommand.class, ObjdumpCommand.class, ExtractCommand.class})
@SuppressWarnings("UnusedVariable") // Some options are taken and change nothing.
public final class DpaccCommand implements Callable<Integer> {
    /// What every program is linked with.
    private static final Set<String> OWN_LIBRARIES =
            Set.of(
                    "doca_dpa_dev",
                    "doca_dpa_dev_comm",
                    "dpa_dev",
                    "flexio-dev",
                    "flexio-libc",
                    "flexio_dev",
                    "flexio_libc",
                    "c",
                    "gcc");

    @Spec private CommandSpec spec;

    @Parameters(
            paramLabel = "FILE",
            arity = "0..*",
            description = "Sources, *.c; any other file is linked as an object for the device.")
    private List<Path> files = List.of();

    @Option(
            names = {"-o", "--output-file"},
            paramLabel = "FILE",
            description =
                    "What to write: FILE.jar with stub and executable, FILE.elf with the executable"
                            + " alone, or a directory for both as files. Default: NAME.jar.")
    private Optional<Path> output = Optional.empty();

    @Option(
            names = {"-app-name", "--app-name"},
            paramLabel = "NAME",
            defaultValue = "__dpa_a_out",
            description =
                    "The name of the program, unique among those of a host program; NAME echo_all has"
                            + " the stub EchoAllStub. Default: ${DEFAULT-VALUE}.")
    private String app = "";

    @Option(
            names = "--package",
            paramLabel = "PACKAGE",
            defaultValue = "",
            description = "The Java package of the stub. Default: none.")
    private String packageName = "";

    @Option(
            names = {"-output-libname", "--output-libname"},
            paramLabel = "NAME",
            description = "Without -o, write NAME.jar. Default: that of the program.")
    private Optional<String> libraryName = Optional.empty();

    @Option(
            names = {"-I", "--include-path"},
            paramLabel = "DIRECTORY",
            description = "Look for headers there, too.")
    private List<Path> includes = List.of();

    @Option(
            names = {"-devicecc-options", "--devicecc-options"},
            paramLabel = "OPTIONS",
            description =
                    "Options for clang, between blanks or commas. It gets -O2 -g before them.")
    private List<String> compilerOptions = List.of();

    @Option(
            names = {"-device-libs", "--device-libs"},
            paramLabel = "OPTIONS",
            description =
                    "Libraries for the device: -Ldirectory, -lname. Those of FlexIO and DOCA DPA are"
                            + " always there and need no -l.")
    private List<String> libraries = List.of();

    @Option(
            names = {"-mcpu", "--mcpu"},
            paramLabel = "TARGET",
            defaultValue = "nv-dpa-bf3",
            description =
                    "What the macro __NV_DPA stands for: one of ${COMPLETION-CANDIDATES}. The code is"
                            + " the same. Default: ${DEFAULT-VALUE}.")
    private Target target = Target.BF3;

    @Option(
            names = {"-keep", "--keep"},
            description = "Keep what is made on the way, in the current directory.")
    private boolean keep;

    @Option(
            names = {"-keep-dir", "--keep-dir"},
            paramLabel = "DIRECTORY",
            description = "Keep what is made on the way, in that directory.")
    private Optional<Path> keepDirectory = Optional.empty();

    @Option(
            names = {"-dryrun", "--dryrun"},
            description = "Only list the commands that would run.")
    private boolean dry;

    @Option(names = "-v", description = "List the commands that run.")
    private boolean verbose;

    @Option(
            names = {"-optf", "--options-file"},
            paramLabel = "FILES",
            preprocessor = OptionsFile.class,
            description = "Take options from these files, with commas between.")
    private List<String> optionsFiles = List.of();

    @Option(
            names = {"-V", "--version"},
            description = "Print the version of clang; 'outboard version' prints that of Outboard.")
    private boolean version;

    @Option(
            names = {"-hostcc", "--hostcc"},
            paramLabel = "PATH",
            description = "Ignored: the host's side is Java.")
    private Optional<String> hostCompiler = Optional.empty();

    @Option(
            names = {"-hostcc-options", "--hostcc-options"},
            paramLabel = "OPTIONS",
            description = "Ignored: the host's side is Java.")
    private List<String> hostOptions = List.of();

    @Option(
            names = {"-flto", "--flto"},
            description = "Ignored: programs are small.")
    private boolean linkTime;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (version) {
            out.println(DeviceCompiler.onThisMachine().version());
            out.flush();
            return ExitCode.OK;
        }
        checkInput();
        PrintWriter err = spec.commandLine().getErr();
        try {
            Optional<byte[]> elf =
                    DeviceCompiler.onThisMachine()
                            .build(
                                    sources(),
                                    new DeviceBuild(
                                            keepDirectory.or(() ->
                                                    keep
                                                            ? Optional.of(Path.of(""))
                                                            : Optional.empty()),
                                            dry,
                                            command -> tell(dry || verbose, out, command),
                                            warning -> tell(true, err, warning)));
            if (elf.isPresent()) {
                write(elf.get());
            }
            return ExitCode.OK;
        } catch (CompileException e) {
            String message = String.valueOf(e.getMessage());
            if (message.lines().count() == 1) {
                throw new CommandException(message, e);
            }
            // As a compiler says it: everything that is wrong.
            tell(true, err, message);
            return ExitCode.SOFTWARE;
        }
    }

    private static void tell(boolean isWanted, PrintWriter to, String text) {
        if (isWanted) {
            to.println(text);
            to.flush();
        }
    }

    private void checkInput() {
        if (files.isEmpty()) {
            throw usage("no source file is named");
        }
        for (Path file : files) {
            if (!Files.isRegularFile(file)) {
                throw usage("%s is no file".formatted(file));
            }
        }
        if (!packageName.isEmpty() && !SourceVersion.isName(packageName)) {
            throw usage("--package %s is no name of a Java package".formatted(packageName));
        }
    }

    private ParameterException usage(String problem) {
        return new ParameterException(spec.commandLine(), problem);
    }

    private DeviceSources sources() {
        List<String> options = new ArrayList<>(target.options());
        compilerOptions.forEach(text -> options.addAll(Words.of(text)));
        List<String> linked =
                libraries.stream()
                        .flatMap(text -> Words.of(text).stream())
                        .filter(word ->
                                !word.startsWith("-l")
                                        || !OWN_LIBRARIES.contains(word.substring(2)))
                        .toList();
        return new DeviceSources(files, includes, options, linked);
    }

    private void write(byte[] elf) throws IOException {
        Path to = output.orElseGet(() -> Path.of(libraryName.orElse(app) + ".jar"));
        CStub stub = new CStub(app, packageName, elf);
        if (to.toString().endsWith(".elf")) {
            Files.write(to, elf);
        } else if (to.toString().endsWith(".jar")) {
            StubJar.write(stub, packageName, elf, to);
        } else if (Files.isDirectory(to) || !to.getFileName().toString().contains(".")) {
            Path directory = to;
            for (String part : packageName.split("\\.")) {
                directory = directory.resolve(part);
            }
            Files.createDirectories(directory);
            Files.writeString(directory.resolve(stub.className() + ".java"), stub.source());
            Files.write(directory.resolve(stub.resource()), elf);
        } else {
            throw usage("-o %s: valid are FILE.jar, FILE.elf and a directory".formatted(to));
        }
    }
}
