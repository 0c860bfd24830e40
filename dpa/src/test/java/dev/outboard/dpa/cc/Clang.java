package dev.outboard.dpa.cc;

import org.junit.jupiter.api.Assumptions;

/// The compiler of this machine, for tests that need it.
final class Clang {
    private Clang() {}

    static DeviceCompiler orSkip() {
        try {
            return DeviceCompiler.onThisMachine();
        } catch (CompileException e) {
            Assumptions.abort(e.getMessage());
            throw e;
        }
    }
}
