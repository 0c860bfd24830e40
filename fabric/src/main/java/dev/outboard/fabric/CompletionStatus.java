package dev.outboard.fabric;

/// How a work request ended. Order and codes are those of the verbs (`ibv_wc_status`): the ordinal
/// is the code.
public enum CompletionStatus {
    SUCCESS("success"),
    LOCAL_LENGTH_ERROR(
            "local length error: the message does not fit the posted receive, or is no frame that fits the port"),
    LOCAL_QP_OPERATION_ERROR("local queue pair operation error"),
    LOCAL_EEC_OPERATION_ERROR("local end-to-end context operation error"),
    LOCAL_PROTECTION_ERROR(
            "local protection error: the request names memory that is not registered for it"),
    WORK_REQUEST_FLUSHED("flushed: the queue pair went to the error state first"),
    MEMORY_WINDOW_BIND_ERROR("memory window bind error"),
    BAD_RESPONSE_ERROR("bad response: the peer answered with something unexpected"),
    LOCAL_ACCESS_ERROR("local access error"),
    REMOTE_INVALID_REQUEST_ERROR("remote invalid request: the peer does not accept this operation"),
    REMOTE_ACCESS_ERROR("remote access error: wrong key, range or right at the peer"),
    REMOTE_OPERATION_ERROR("remote operation error: the peer could not complete it"),
    RETRY_EXCEEDED("transport retries exceeded: the peer does not answer"),
    RNR_RETRY_EXCEEDED("receiver-not-ready retries exceeded: the peer posts no receive"),
    LOCAL_RDD_VIOLATION_ERROR("local reliable datagram domain violation"),
    REMOTE_INVALID_RD_REQUEST("remote invalid reliable datagram request"),
    REMOTE_ABORTED("remote aborted"),
    INVALID_EECN("invalid end-to-end context number"),
    INVALID_EEC_STATE("invalid end-to-end context state"),
    FATAL("fatal error"),
    RESPONSE_TIMEOUT("response timeout"),
    GENERAL_ERROR("general error");

    private final String explanation;

    CompletionStatus(String explanation) {
        this.explanation = explanation;
    }

    /// The verbs' number.
    public int code() {
        return ordinal();
    }

    /// One line for people.
    public String explanation() {
        return explanation;
    }
}
