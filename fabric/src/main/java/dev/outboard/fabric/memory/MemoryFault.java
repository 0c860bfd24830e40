package dev.outboard.fabric.memory;

/// Registered memory could not be read or written although its key, range and rights are in order:
/// what stands behind it refused, or the arena was closed at this moment. Where it came from has
/// been logged or counted.
public final class MemoryFault extends RuntimeException {
    private static final long serialVersionUID = 1;

    MemoryFault(Throwable cause) {
        super("registered memory cannot be accessed: " + cause, cause, false, false);
    }
}
