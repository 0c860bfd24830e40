package dev.outboard.node.routine;

import dev.outboard.naa.RoutineException;
import java.util.Arrays;
import java.util.Optional;

/// Why a routine of this project refuses its arguments. Only the code travels to the client
/// (`spec/naaice.md`, NAA-RET-10: 0x10 to 0x7F are the application's); every constant has its own,
/// so that a client can look up the text.
public enum RoutineError {
    REGION_COUNT(0x11, "the number of regions is wrong"),
    VECTOR_SIZE(0x12, "the three regions must have the same size, a multiple of 4 bytes"),
    SGEMM_HEADER(
            0x13, "the first region must have 20 bytes: int32 m, n, k and float32 alpha, beta"),
    SGEMM_DIMENSIONS(0x14, "m, n and k must be positive"),
    SGEMM_SIZE(0x15, "the regions behind the first must hold m*k, k*n and m*n float32"),
    DIGEST_SIZE(0x16, "the second region must have 32 bytes"),
    IMAGE_HEADER(0x17, "the first region must have 12 bytes: int32 width, height, channels"),
    IMAGE_DIMENSIONS(0x18, "width and height must be 1 to 65536, channels 1 or 3"),
    IMAGE_SIZE(
            0x19,
            "the second region must hold width*height*channels bytes, the third width*height"),
    TRANSFORM_SIZE(0x1a, "both regions must have the same size: 16 bytes times a power of two");

    private final int code;
    private final String text;

    RoutineError(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /// The return code, above [ReturnCode#FIRST_APPLICATION], which means failures of any kind.
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
