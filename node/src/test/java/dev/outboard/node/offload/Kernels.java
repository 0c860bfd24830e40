package dev.outboard.node.offload;

import static org.assertj.core.api.Assumptions.assumeThatCode;

import dev.outboard.dpa.cc.DeviceCompiler;

/// Which programs of the DPA this machine has.
public final class Kernels {
    private Kernels() {}

    /// Skips a test for which it lacks a compiler.
    public static void assumeIn(KernelLanguage language) {
        if (language == KernelLanguage.C) {
            assumeThatCode(DeviceCompiler::onThisMachine).doesNotThrowAnyException();
        }
    }
}
