package dev.outboard.dpa.cc;

import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.dpacc.DpaFunction;
import dev.outboard.dpacc.DpaLayout;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Assumptions;
import org.opentest4j.TestAbortedException;

/// The compiler of this machine, for tests that need it.
public final class Clang {
    private static final Map<String, byte[]> COMPILED = new ConcurrentHashMap<>();

    /// A program in one of its forms, in a run mode.
    public record Form(RunMode mode, DpaApp<DpaThread> app) {
        @Override
        public String toString() {
            return "%s, %s".formatted(mode, app.image().isPresent() ? "C" : "Java");
        }
    }

    private Clang() {}

    /// The compiler; a test without one is skipped.
    public static DeviceCompiler orSkip() {
        try {
            return DeviceCompiler.onThisMachine();
        } catch (CompileException e) {
            Assumptions.abort(e.getMessage());
            throw e;
        }
    }

    /// A program in C among the resources.
    public static DpaApp<DpaThread> app(String name) {
        return CProgram.app(name, elf(name));
    }

    /// A program among the resources, which is compiled once.
    static byte[] elf(String name) {
        DeviceCompiler compiler = orSkip();
        return COMPILED.computeIfAbsent(name, _ -> compile(compiler, name));
    }

    /// Calls a function, each of whose parameters is a number.
    public static long call(
            FlexioProcess process, DpaApp<DpaThread> app, String function, long... values) {
        return process.call(of(app, function, values));
    }

    /// A call of a function, each of whose parameters is a number.
    public static DpaCall<DpaThread> of(DpaApp<DpaThread> app, String function, long... values) {
        DpaFunction<DpaThread> called = app.function(function);
        ByteBuffer bytes =
                ByteBuffer.allocate(called.arguments().bytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < values.length; i++) {
            DpaLayout.Field field = called.arguments().fields().get(i);
            switch (field.type().bytes()) {
                case 1 -> bytes.put(field.offset(), (byte) values[i]);
                case 2 -> bytes.putShort(field.offset(), (short) values[i]);
                case 4 -> bytes.putInt(field.offset(), (int) values[i]);
                default -> bytes.putLong(field.offset(), values[i]);
            }
        }
        return new DpaCall<>(called, bytes);
    }

    private static byte[] compile(DeviceCompiler compiler, String name) {
        try (InputStream in =
                Clang.class.getResourceAsStream("/dev/outboard/dpa/c/" + name + ".c")) {
            Path directory = Files.createTempDirectory("in-c-");
            Path source = directory.resolve(name + ".c");
            try {
                Files.copy(Objects.requireNonNull(in), source);
                return compiler.compile(DeviceSources.of(source));
            } finally {
                Files.deleteIfExists(source);
                Files.delete(directory);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A program in Java in each of the modes, and the one of its name in C, if it can be compiled
    /// here: what one of them does the other does.
    public static List<Form> forms(DpaApp<DpaThread> app, List<RunMode> modes) {
        List<Form> forms =
                new ArrayList<>(modes.stream().map(mode -> new Form(mode, app)).toList());
        try {
            DpaApp<DpaThread> inC = app(app.name());
            modes.forEach(mode -> forms.add(new Form(mode, inC)));
        } catch (TestAbortedException e) {
            System.getLogger("test").log(System.Logger.Level.INFO, e.getMessage());
        }
        return forms;
    }
}
