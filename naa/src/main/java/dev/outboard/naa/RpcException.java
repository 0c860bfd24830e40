package dev.outboard.naa;

/// The server answered an RPC with an error code. The connection stays usable.
public final class RpcException extends NaaException {
    private static final long serialVersionUID = 1;

    private final int returnCode;

    /// The server answered with `returnCode`.
    RpcException(Where where, int returnCode, String what) {
        super(where, what);
        this.returnCode = returnCode;
    }

    /// See [ReturnCode].
    public int returnCode() {
        return returnCode;
    }
}
