package dev.outboard.node.offload;

import dev.outboard.naa.server.RoutineException;

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

    RoutineException because(String why) {
        return new RoutineException(code, why);
    }
}
