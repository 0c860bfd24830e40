package dev.outboard.dpa.cc;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaApp;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Assumptions;

/// The compiler of this machine, for tests that need it.
public final class Clang {
    private static final Map<String, DpaApp<DpaThread>> COMPILED = new ConcurrentHashMap<>();

    /// A program in one of its forms, in a run mode.
    public record Form(RunMode mode, DpaApp<DpaThread> app) {
        @Override
        public String toString() {
            return "%s, %s".formatted(mode, app.image().isPresent() ? "C" : "Java");
        }
    }

    private Clang() {}

    static DeviceCompiler orSkip() {
        try {
            return DeviceCompiler.onThisMachine();
        } catch (CompileException e) {
            Assumptions.abort(e.getMessage());
            throw e;
        }
    }

    /// A program in C among the resources, which is compiled once.
    public static DpaApp<DpaThread> app(String name) {
        DeviceCompiler compiler = orSkip();
        return COMPILED.computeIfAbsent(name, _ -> CProgram.app(name, compile(compiler, name)));
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
        } catch (org.opentest4j.TestAbortedException e) {
            System.getLogger("test").log(System.Logger.Level.INFO, e.getMessage());
        }
        return forms;
    }
}
