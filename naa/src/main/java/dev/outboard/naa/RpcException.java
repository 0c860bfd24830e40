package dev.outboard.naa;

/// The server answered an RPC with an error code. The connection stays usable.
public final class RpcException extends NaaException {
    private static final long serialVersionUID = 1;

    private final int returnCode;

    /// The server answered a call of the function with `returnCode`.
    public RpcException(Where where, int functionCode, int returnCode) {
        super(
                where,
                "function %d ended with code %s%s"
                        .formatted(
                                functionCode, ReturnCode.explain(returnCode), advice(returnCode)));
        this.returnCode = returnCode;
    }

    private static String advice(int returnCode) {
        return switch (returnCode) {
            case ReturnCode.NOT_AVAILABLE ->
                    "; check the function code, or call an NAA that offers it";
            case ReturnCode.TIMEOUT -> "; give it less to do, or raise the server's limit";
            case ReturnCode.FIRST_APPLICATION -> "; the server's log says why";
            case ReturnCode.WRONG_ARGUMENTS -> "; compare them with the routine's description";
            case ReturnCode.BUSY, ReturnCode.SHUTTING_DOWN -> "";
            default -> "; the routine's description says what that means";
        };
    }

    /// See [ReturnCode].
    public int returnCode() {
        return returnCode;
    }
}
