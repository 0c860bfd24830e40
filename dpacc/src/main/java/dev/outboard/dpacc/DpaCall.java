package dev.outboard.dpacc;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// A function and the arguments to run it with.
///
/// DPA-CC-9: the arguments are copied when the call is made.
///
/// @param <T> the thread of a kernel: `dev.outboard.dpa.machine.DpaThread`
/// @param arguments read-only and little-endian; nobody moves its position
public record DpaCall<T>(DpaFunction<T> function, ByteBuffer arguments) {
    /// Copies the arguments: all bytes between position and limit.
    ///
    /// @throws IllegalArgumentException if the function takes another number of bytes
    public DpaCall {
        int bytes = function.arguments().bytes();
        if (arguments.remaining() != bytes) {
            throw new IllegalArgumentException(
                    "The arguments of function %s are %d bytes, not %d"
                            .formatted(function, bytes, arguments.remaining()));
        }
        arguments =
                ByteBuffer.allocate(bytes)
                        .put(0, arguments, arguments.position(), bytes)
                        .asReadOnlyBuffer()
                        .order(ByteOrder.LITTLE_ENDIAN);
    }

    /// Runs the function on the thread.
    ///
    /// @return the result of an RPC, 0 of any other function
    public long run(T thread) {
        return function.body().run(thread, arguments);
    }
}
