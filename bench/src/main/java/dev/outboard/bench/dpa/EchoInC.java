package dev.outboard.bench.dpa;

import dev.outboard.bench.comparison.Contender.MeasurementException;
import dev.outboard.dpa.cc.CProgram;
import dev.outboard.dpa.cc.CompileException;
import dev.outboard.dpa.cc.DeviceCompiler;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaApp;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/// The device code of [EchoKernels] in C: the same functions, of an app of the same name.
final class EchoInC {
    private static final String SOURCE = "echo.c";

    private EchoInC() {}

    /// Compiles it.
    ///
    /// @throws MeasurementException if this machine cannot, saying what to install
    static DpaApp<DpaThread> app() {
        try (InputStream in = EchoInC.class.getResourceAsStream(SOURCE)) {
            if (in == null) {
                throw new IOException("resource %s is missing".formatted(SOURCE));
            }
            byte[] elf = DeviceCompiler.onThisMachine().compile(Map.of(SOURCE, in.readAllBytes()));
            return CProgram.app("echo", elf);
        } catch (IOException | CompileException e) {
            throw new MeasurementException(e.toString());
        }
    }
}
