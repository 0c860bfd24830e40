package dev.outboard.node.routine;

import dev.outboard.naa.server.RoutineException;
import java.util.Arrays;
import java.util.Optional;

/// Why a routine of this project refuses its arguments. Only the code travels to the client; every
/// constant has its own, so that a client can look up the text.
///
/// NAA-RET-10: 0x10 to 0x7F are the application's, the first of which the server uses.
public enum RoutineError {
    VECTOR_SIZE(0x20, "the three regions must have the same size, a multiple of 4 bytes"),
    SGEMM_DIMENSIONS(0x21, "m, n and k must be positive"),
    SGEMM_SIZE(0x22, "the regions behind the first must hold m*k, k*n and m*n float32"),
    IMAGE_DIMENSIONS(0x23, "width and height must be 1 to 65536, channels 1 or 3"),
    IMAGE_SIZE(
            0x24,
            "the second region must hold width*height*channels bytes, the third width*height"),
    TRANSFORM_SIZE(0x25, "both regions must have the same size: 16 bytes times a power of two");

    private final int code;
    private final String text;

    RoutineError(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /// The return code, 0x20 or more: those below are the server's.
    public int code() {
        return code;
    }

    /// What the arguments must be, without the routine's name.
    public String text() {
        return text;
    }

    /// The error with this return code.
    public static Optional<RoutineError> of(int returnCode) {
        return Arrays.stream(values()).filter(error -> error.code == returnCode).findAny();
    }

    /// Ends the RPC with this error unless `valid`.
    void unless(boolean valid) throws RoutineException {
        if (!valid) {
            throw new RoutineException(code, text);
        }
    }
}
