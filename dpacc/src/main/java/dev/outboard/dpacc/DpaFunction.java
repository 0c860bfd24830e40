package dev.outboard.dpacc;

import java.nio.ByteBuffer;

/// DPA-JK-1: an entry point of a program. Stubs hold one per marked method.
///
/// @param <T> the thread of a kernel: `dev.outboard.dpa.machine.DpaThread`
/// @param program name of its app
/// @param name of the method
/// @param arguments all parameters but the thread
/// @param body runs the method
public record DpaFunction<T>(
        String program, String name, Kind kind, DpaLayout arguments, Body<T> body) {

    /// How a function is entered.
    public enum Kind {
        /// By an event or a launch, marked with [DpaGlobal].
        GLOBAL,
        /// By a call that waits for it, marked with [DpaRpc].
        RPC
    }

    /// The device's side of a stub. Any thread may run it.
    @FunctionalInterface
    public interface Body<T> {
        /// Takes the arguments out of their bytes and runs the method with them.
        ///
        /// @param arguments little-endian, laid out as the function says, from index 0
        /// @return the result of an RPC, 0 of any other function
        long run(T thread, ByteBuffer arguments);
    }

    @Override
    public String toString() {
        return program + "." + name;
    }
}
