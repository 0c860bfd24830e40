package dev.outboard.node.offload;

import static org.junit.jupiter.api.Assumptions.abort;

import dev.outboard.dpa.cc.CompileException;
import dev.outboard.dpa.cc.DeviceCompiler;

/// Which programs of the DPA this machine has.
public final class Kernels {
    private Kernels() {}

    /// Skips a test for which it lacks a compiler.
    public static void assumeIn(KernelLanguage language) {
        if (language == KernelLanguage.C) {
            try {
                DeviceCompiler.onThisMachine();
            } catch (CompileException e) {
                abort(e.getMessage());
            }
        }
    }
}
