package dev.outboard.naa;

/// How an RPC ended, as the server tells it with the answer.
///
/// NAA-RET-10: the codes and their ranges.
public final class ReturnCode {
    /// The routine ran; the outputs were returned.
    public static final int SUCCESS = 0x00;

    /// "Socket not available": the server has no routine for the function code.
    public static final int NOT_AVAILABLE = 0x01;

    /// "Kernel timeout": the routine took longer than the server allows.
    public static final int TIMEOUT = 0x02;

    /// The first code routines choose the meaning of; also: the routine failed without a code. The
    /// next ones are the server's own, so a routine should choose from 0x20 on.
    public static final int FIRST_APPLICATION = 0x10;

    /// The server's own: the regions are not those that the routine takes.
    public static final int WRONG_ARGUMENTS = 0x11;

    /// The server's own: too many RPCs wait for a worker. The routine has not run; try again later.
    public static final int BUSY = 0x12;

    /// The server's own: it is shutting down. The routine has not run; try another server.
    public static final int SHUTTING_DOWN = 0x13;

    /// The last code routines choose the meaning of.
    public static final int LAST_APPLICATION = 0x7f;

    private ReturnCode() {}

    /// One line for people about any code, known or not.
    public static String explain(int returnCode) {
        String meaning =
                switch (returnCode) {
                    case SUCCESS -> "success";
                    case NOT_AVAILABLE -> "no such function at the server";
                    case TIMEOUT -> "the routine exceeded the server's time limit";
                    case FIRST_APPLICATION -> "the routine failed";
                    // Other servers leave these to their routines, and nothing tells whose it is.
                    case WRONG_ARGUMENTS ->
                            "from an Outboard server: the regions are not those that the routine"
                                    + " takes";
                    case BUSY ->
                            "from an Outboard server: too many calls are waiting; try again later";
                    case SHUTTING_DOWN -> "from an Outboard server: it is shutting down";
                    default -> isApplication(returnCode) ? "error of the routine" : "unknown";
                };
        return "0x%02x (%s)".formatted(returnCode, meaning);
    }

    private static boolean isApplication(int returnCode) {
        return returnCode > FIRST_APPLICATION && returnCode <= LAST_APPLICATION;
    }
}
