package dev.outboard.node.offload;

import dev.outboard.dpa.cc.CProgram;
import dev.outboard.dpa.cc.CompileException;
import dev.outboard.dpa.cc.DeviceCompiler;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.rv.Ecalls;
import dev.outboard.dpacc.DpaApp;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;

/// The node's own programs of the DPA in C.
public final class CKernels {
    private static final String RESOURCES = "/dev/outboard/node/kernels/";

    private CKernels() {}

    /// Compiles a program.
    ///
    /// @param name of the program; its source is `NAME.c`
    /// @param headers that the source includes
    /// @param calls serves its environment calls from number 0x1000 on
    /// @throws IllegalArgumentException if this machine cannot compile it, saying what to install
    public static DpaApp<DpaThread> compile(String name, Ecalls calls, String... headers) {
        Map<String, byte[]> files = new HashMap<>();
        files.put(name + ".c", read(name + ".c"));
        for (String header : headers) {
            files.put(header, read(header));
        }
        try {
            return CProgram.app(name, DeviceCompiler.onThisMachine().compile(files), calls);
        } catch (CompileException e) {
            throw new IllegalArgumentException("kernels in C: " + e.getMessage(), e);
        }
    }

    private static byte[] read(String file) {
        try (InputStream in = CKernels.class.getResourceAsStream(RESOURCES + file)) {
            if (in == null) {
                throw new IllegalStateException("resource %s is missing".formatted(file));
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
