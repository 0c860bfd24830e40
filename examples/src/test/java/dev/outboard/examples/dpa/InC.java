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
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// The device programs in C of the examples. Each has the name and the functions of one in Java.
final class InC {
    private static final Map<String, byte[]> COMPILED = new ConcurrentHashMap<>();

    private InC() {}

    /// A program in Java and the one in C, where there is a compiler for it.
    static Stream<DpaApp<DpaThread>> andJava(DpaApp<DpaThread> inJava) {
        return andJava(inJava, () -> app(inJava));
    }

    /// The same of what runs them.
    static <T> Stream<T> andJava(T inJava, Supplier<T> inC) {
        return hasCompiler() ? Stream.of(inJava, inC.get()) : Stream.of(inJava);
    }

    private static boolean hasCompiler() {
        try {
            DeviceCompiler.onThisMachine();
            return true;
        } catch (CompileException e) {
            System.getLogger("test").log(System.Logger.Level.INFO, e.getMessage());
            return false;
        }
    }

    /// The program in C that has the name and the functions of that one.
    static DpaApp<DpaThread> app(DpaApp<DpaThread> inJava) {
        String name = inJava.name();
        Path source = Repository.root().resolve("examples/dpa-c/" + name + ".c");
        byte[] elf =
                COMPILED.computeIfAbsent(
                        name,
                        _ -> DeviceCompiler.onThisMachine().compile(DeviceSources.of(source)));
        return CProgram.app(name, elf);
    }
}
