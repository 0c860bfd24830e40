package dev.outboard.dpa.kernel;

/// Host code.
final class Foreigner {
    private Foreigner() {}

    static long now() {
        return System.nanoTime();
    }
}
