package dev.outboard.examples.dpa;

import dev.outboard.dpa.cc.CProgram;
import dev.outboard.dpa.cc.CompileException;
import dev.outboard.dpa.cc.DeviceCompiler;
import dev.outboard.dpa.cc.DeviceSources;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.testkit.Repository;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// The device programs in C of the examples.
final class InC {
    private static final Map<String, byte[]> COMPILED = new ConcurrentHashMap<>();

    private InC() {}

    /// The program of that name; empty where there is no compiler for it.
    static Optional<DpaApp<DpaThread>> app(String name) {
        DeviceCompiler compiler;
        try {
            compiler = DeviceCompiler.onThisMachine();
        } catch (CompileException e) {
            System.getLogger("test").log(System.Logger.Level.INFO, e.getMessage());
            return Optional.empty();
        }
        Path source = Repository.root().resolve("examples/dpa-c/" + name + ".c");
        byte[] elf =
                COMPILED.computeIfAbsent(name, _ -> compiler.compile(DeviceSources.of(source)));
        return Optional.of(CProgram.app(name, elf));
    }
}
