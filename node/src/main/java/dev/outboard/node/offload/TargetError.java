package dev.outboard.node.offload;

import dev.outboard.naa.server.RoutineException;
import java.util.Arrays;

/// Why a target has not computed an RPC. Only the code travels to the client.
///
/// NAA-RET-10: 0x10 to 0x1F are the server's, which uses the first ones itself.
public enum TargetError {
    /// It broke its protocol, hung or faulted, and was reset.
    FAILED(0x18),
    /// It computes for others, for as long as the RPC may take.
    BUSY(0x19);

    private final int code;

    TargetError(int code) {
        this.code = code;
    }

    /// The return code.
    public int code() {
        return code;
    }

    /// Whether this is why a routine has thrown `failure`: that a target has not computed it. The
    /// routine itself may have any other reason.
    static boolean isCauseOf(RoutineException failure) {
        return Arrays.stream(values()).anyMatch(error -> error.code == failure.returnCode());
    }

    RoutineException because(String why) {
        return new RoutineException(code, why);
    }
}
