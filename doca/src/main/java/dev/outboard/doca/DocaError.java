package dev.outboard.doca;

/// How a call or a task ended: the codes of `doca_error_t`. A value, for any thread.
///
/// DCORE-ERR-1: the constants stand in the order of their numbers.
public enum DocaError {
    /// The operation did what it should; every other code is a failure.
    SUCCESS("Success"),
    UNKNOWN("Unknown error"),
    NOT_PERMITTED("Operation is not permitted"),
    IN_USE("Resource is already in use"),
    NOT_SUPPORTED("Operation is not supported"),
    AGAIN("Resource is temporarily unavailable, try again"),
    INVALID_VALUE("Invalid input"),
    NO_MEMORY("Not enough memory or elements"),
    INITIALIZATION("Resource initialization failed"),
    TIME_OUT("Timer expired while waiting"),
    SHUTDOWN("Shut down in process or completed"),
    CONNECTION_RESET("Connection was reset by the peer"),
    CONNECTION_ABORTED("Connection was aborted"),
    CONNECTION_INPROGRESS("Connection is being established"),
    NOT_CONNECTED("Not connected"),
    NO_LOCK("Required lock could not be taken"),
    NOT_FOUND("Resource was not found"),
    IO_FAILED("Input or output failed"),
    BAD_STATE("Operation is not possible in the current state"),
    UNSUPPORTED_VERSION("Unsupported version"),
    OPERATING_SYSTEM("Operating system call failed"),
    DRIVER("Driver call failed"),
    UNEXPECTED("Unexpected situation"),
    ALREADY_EXIST("Resource already exists"),
    FULL("No space left in the resource"),
    EMPTY("Resource has no entry"),
    IN_PROGRESS("Operation is in progress"),
    TOO_BIG("Requested size or amount is too big"),
    AUTHENTICATION("Authentication failed"),
    BAD_CONFIG("Configuration is not valid"),
    SKIPPED("Operation was skipped");

    private static final DocaError[] BY_NUMBER = values();

    private final String description;

    DocaError(String description) {
        this.description = description;
    }

    /// The number that `doca_error_t` gives the code.
    public int number() {
        return ordinal();
    }

    /// One line that says what the code means.
    public String description() {
        return description;
    }

    /// The name in C: `DOCA_SUCCESS`, or `DOCA_ERROR_` and the name of the constant.
    public String docaName() {
        return this == SUCCESS ? "DOCA_SUCCESS" : "DOCA_ERROR_" + name();
    }

    /// The description of the code with this number.
    ///
    /// DCORE-ERR-2: for a number that no code has, a fixed text that says so.
    public static String describe(int number) {
        return number >= 0 && number < BY_NUMBER.length
                ? BY_NUMBER[number].description
                : "Unrecognized error code";
    }

    /// Of two results of consecutive steps the one to report (the `DOCA_ERROR_PROPAGATE` rule).
    ///
    /// DCORE-ERR-3: the earlier failure, if there is one.
    public static DocaError first(DocaError earlier, DocaError later) {
        DocaException.nonNull(earlier, "earlier");
        DocaException.nonNull(later, "later");
        return earlier == SUCCESS ? later : earlier;
    }
}
