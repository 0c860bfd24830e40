package dev.outboard.console.dpa;

import dev.outboard.dpa.cc.CProgram;
import dev.outboard.dpa.cc.CompileException;
import dev.outboard.dpa.debug.ProgramView;
import dev.outboard.dpa.elf.DeviceElf;
import dev.outboard.dpa.elf.ElfException;
import dev.outboard.dpa.elf.ElfProgram;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioException;
import dev.outboard.dpa.flexio.FlexioMsgStream;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Messages;
import dev.outboard.dpa.rv.BareRun;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.dpacc.DpaFunction;
import dev.outboard.dpacc.DpaLayout;
import dev.outboard.terminal.CommandException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/// Runs a program in RV64 code: a bare one, or a function of one for the DPA.
final class ElfRun {
    /// The largest file that is read.
    private static final long MOST_FILE_BYTES = 512L << 20;

    /// What has no meaning without a device.
    private static final List<String> OF_DEVICES =
            List.of("--mode", "--profile", "--seed", "--timing", "--units", "--device", "--trace");

    private final CommandSpec spec;
    private final ElfOptions options;
    private final Path file;

    ElfRun(CommandSpec spec, ElfOptions options, Path file) {
        this.spec = spec;
        this.options = options;
        this.file = file;
    }

    /// Runs it as a bare program.
    ///
    /// @return its exit code
    int bare(List<String> arguments) throws IOException {
        refuse(OF_DEVICES, "a bare program has no device; leave %s out");
        refuse(List.of(ElfOptions.FUNCTION), "a bare program runs from its begin; leave %s out");
        if (!arguments.isEmpty()) {
            throw usage(
                    "a bare program takes no arguments, such as '%s'"
                            .formatted(arguments.getFirst()),
                    null);
        }
        if (options.limit < 1) {
            throw usage(
                    "a program runs at least 1 instruction, not %d".formatted(options.limit), null);
        }
        try {
            ElfProgram program = ElfProgram.parse(content());
            BareRun run = BareRun.of(program);
            if (!options.follows()) {
                return ended(run.run(options.limit));
            }
            try (FollowedRun followed =
                    new FollowedRun(spec, options, file, new ProgramView(program))) {
                run.follow(followed.debugger());
                followed.begin();
                BareRun.Result result = run.run(options.limit);
                result.exitCode().ifPresentOrElse(followed::exited, followed::crashed);
                return ended(result);
            }
        } catch (ElfException e) {
            throw usage("%s: %s".formatted(file, e.getMessage()), e);
        }
    }

    private int ended(BareRun.Result result) {
        if (result.exitCode().isPresent()) {
            return result.exitCode().getAsInt();
        }
        PrintWriter err = spec.commandLine().getErr();
        err.println(
                result.crash()
                        .map(crash -> "outboard: " + crash.text())
                        .orElse("outboard: gdb has ended the program"));
        err.flush();
        return ExitCode.SOFTWARE;
    }

    /// Runs a function of it.
    ///
    /// @param arguments numbers, one for each value that it takes
    int function(DpaDevice device, List<String> arguments) throws IOException {
        refuse(
                List.of(ElfOptions.LIMIT),
                "the watchdog of the device ends functions; leave %s out");
        byte[] elf = content();
        try {
            if (!options.follows()) {
                return run(device, CProgram.app(name(), elf), arguments, null);
            }
            ElfProgram program = DeviceElf.parse(elf).program();
            try (FollowedRun followed =
                    new FollowedRun(spec, options, file, new ProgramView(program))) {
                return run(
                        device,
                        CProgram.app(name(), elf, followed.debugger()),
                        arguments,
                        followed);
            }
        } catch (ElfException | CompileException e) {
            throw usage("%s: %s".formatted(file, e.getMessage()), e);
        }
    }

    private int run(
            DpaDevice device,
            DpaApp<DpaThread> app,
            List<String> arguments,
            @Nullable FollowedRun followed)
            throws IOException {
        DpaFunction<DpaThread> function = chosen(app);
        DpaCall<DpaThread> call = new DpaCall<>(function, bytes(function, arguments));
        PrintWriter out = spec.commandLine().getOut();
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = FlexioProcess.create(host, device, app)) {
            FlexioMsgStream.create(
                    process,
                    FlexioMsgStream.Attributes.of(Messages.Level.DEBUG, FlexioMsgStream.Mode.SYNC),
                    out::print);
            if (followed != null) {
                followed.begin();
            }
            long result = process.call(call);
            if (followed != null) {
                followed.exited(ExitCode.OK);
            }
            out.println("%s returned %d (0x%x)".formatted(function.name(), result, result));
            out.flush();
            return ExitCode.OK;
        } catch (FlexioException e) {
            if (followed != null && followed.isEndedByGdb()) {
                throw new CommandException("gdb has ended the program", e);
            }
            if (followed != null) {
                followed.crashed();
            }
            throw new CommandException(
                    "%s failed: %s".formatted(function.name(), e.getMessage()), e);
        }
    }

    private DpaFunction<DpaThread> chosen(DpaApp<DpaThread> app) {
        String wanted = options.function.orElseThrow();
        Optional<DpaFunction<DpaThread>> found =
                app.functions().stream()
                        .filter(each -> each.name().equals(wanted))
                        .filter(each -> each.kind() == DpaFunction.Kind.RPC)
                        .findFirst();
        return found.orElseThrow(() ->
                usage(
                        "%s has no __dpa_rpc__ function %s; it has: %s"
                                .formatted(file, wanted, callable(app)),
                        null));
    }

    private static String callable(DpaApp<DpaThread> app) {
        String names =
                app.functions().stream()
                        .filter(each -> each.kind() == DpaFunction.Kind.RPC)
                        .map(DpaFunction::name)
                        .collect(Collectors.joining(", "));
        return names.isEmpty() ? "none" : names;
    }

    private ByteBuffer bytes(DpaFunction<DpaThread> function, List<String> arguments) {
        DpaLayout layout = function.arguments();
        List<DpaLayout.Field> fields = layout.fields();
        if (fields.size() != arguments.size()) {
            throw usage(
                    "%s takes %d numbers (%s), not %d"
                            .formatted(
                                    function.name(),
                                    fields.size(),
                                    fields.stream()
                                            .map(DpaLayout.Field::name)
                                            .collect(Collectors.joining(", ")),
                                    arguments.size()),
                    null);
        }
        ByteBuffer bytes = ByteBuffer.allocate(layout.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < fields.size(); i++) {
            DpaLayout.Field field = fields.get(i);
            put(bytes, field, number(field, arguments.get(i)));
        }
        return bytes;
    }

    private static void put(ByteBuffer bytes, DpaLayout.Field field, long value) {
        for (int i = 0; i < field.type().bytes(); i++) {
            bytes.put(field.offset() + i, (byte) (value >> (i * Byte.SIZE)));
        }
    }

    private long number(DpaLayout.Field field, String word) {
        try {
            boolean isHex = word.startsWith("0x");
            long value = isHex ? Long.parseUnsignedLong(word, 2, word.length(), 16) : decimal(word);
            int bits = field.type().bytes() * Byte.SIZE;
            boolean fits = bits == Long.SIZE || (value >> bits) == 0 || (value >> (bits - 1)) == -1;
            if (fits) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw usage(
                "%s takes a number of %d bytes, such as 42 or 0x2a, not '%s'"
                        .formatted(field.name(), field.type().bytes(), word),
                null);
    }

    private static long decimal(String word) {
        return word.startsWith("-") ? Long.parseLong(word) : Long.parseUnsignedLong(word);
    }

    /// What only programs in RV64 code have.
    void refuseOptions() {
        refuse(
                List.of(ElfOptions.GDB, "--gdb-wait", ElfOptions.INSTRUCTIONS, ElfOptions.LIMIT),
                "%s is for programs in RV64 code: give --function or --bare, too");
    }

    private void refuse(List<String> names, String message) {
        for (String name : names) {
            if (spec.commandLine().getParseResult().hasMatchedOption(name)) {
                throw usage(message.formatted(name), null);
            }
        }
    }

    private byte[] content() throws IOException {
        try {
            if (Files.isDirectory(file) || Files.size(file) > MOST_FILE_BYTES) {
                throw usage(
                        "%s is no ELF file of at most %d MiB"
                                .formatted(file, MOST_FILE_BYTES >> 20),
                        null);
            }
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw usage("no such file: " + file, e);
        }
    }

    private String name() {
        return file.getFileName().toString();
    }

    private ParameterException usage(String problem, @Nullable Throwable cause) {
        return new ParameterException(spec.commandLine(), problem, cause);
    }
}
