package dev.outboard.console.explain;

import dev.outboard.fabric.CompletionStatus;
import java.util.List;
import java.util.stream.Stream;

/// The statuses of work completions.
final class VerbsErrors {
    private VerbsErrors() {}

    static Stream<KnownError> all() {
        return Stream.of(CompletionStatus.values()).map(VerbsErrors::of);
    }

    private static KnownError of(CompletionStatus status) {
        String explanation = status.explanation();
        int colon = explanation.indexOf(':');
        String shortText = colon < 0 ? explanation : explanation.substring(0, colon);
        String remedy = remedy(status);
        return new KnownError(
                List.of(status.name(), ibvName(status), ibvText(status), explanation, shortText),
                "status %d of a completion, %s: %s"
                        .formatted(status.code(), ibvName(status), cause(status)),
                remedy);
    }

    /// The constant of libibverbs.
    private static String ibvName(CompletionStatus status) {
        String name =
                switch (status) {
                    case SUCCESS -> "SUCCESS";
                    case LOCAL_LENGTH_ERROR -> "LOC_LEN_ERR";
                    case LOCAL_QP_OPERATION_ERROR -> "LOC_QP_OP_ERR";
                    case LOCAL_EEC_OPERATION_ERROR -> "LOC_EEC_OP_ERR";
                    case LOCAL_PROTECTION_ERROR -> "LOC_PROT_ERR";
                    case WORK_REQUEST_FLUSHED -> "WR_FLUSH_ERR";
                    case MEMORY_WINDOW_BIND_ERROR -> "MW_BIND_ERR";
                    case BAD_RESPONSE_ERROR -> "BAD_RESP_ERR";
                    case LOCAL_ACCESS_ERROR -> "LOC_ACCESS_ERR";
                    case REMOTE_INVALID_REQUEST_ERROR -> "REM_INV_REQ_ERR";
                    case REMOTE_ACCESS_ERROR -> "REM_ACCESS_ERR";
                    case REMOTE_OPERATION_ERROR -> "REM_OP_ERR";
                    case RETRY_EXCEEDED -> "RETRY_EXC_ERR";
                    case RNR_RETRY_EXCEEDED -> "RNR_RETRY_EXC_ERR";
                    case LOCAL_RDD_VIOLATION_ERROR -> "LOC_RDD_VIOL_ERR";
                    case REMOTE_INVALID_RD_REQUEST -> "REM_INV_RD_REQ_ERR";
                    case REMOTE_ABORTED -> "REM_ABORT_ERR";
                    case INVALID_EECN -> "INV_EECN_ERR";
                    case INVALID_EEC_STATE -> "INV_EEC_STATE_ERR";
                    case FATAL -> "FATAL_ERR";
                    case RESPONSE_TIMEOUT -> "RESP_TIMEOUT_ERR";
                    case GENERAL_ERROR -> "GENERAL_ERR";
                };
        return "IBV_WC_" + name;
    }

    /// What `ibv_wc_status_str` answers, where that is not what its name says.
    private static String ibvText(CompletionStatus status) {
        return switch (status) {
            case RETRY_EXCEEDED -> "transport retry counter exceeded";
            case RNR_RETRY_EXCEEDED -> "RNR retry counter exceeded";
            case WORK_REQUEST_FLUSHED -> "Work Request Flushed Error";
            case MEMORY_WINDOW_BIND_ERROR -> "memory management operation error";
            case LOCAL_QP_OPERATION_ERROR -> "local QP operation error";
            case REMOTE_INVALID_REQUEST_ERROR -> "remote invalid request error";
            case REMOTE_ABORTED -> "aborted error";
            default -> status.name().replace('_', ' ');
        };
    }

    private static String cause(CompletionStatus status) {
        return switch (status) {
            case SUCCESS -> "nothing is wrong with the request";
            case LOCAL_LENGTH_ERROR ->
                    "a message is longer than the receive that was posted for it, or than the path allows";
            case LOCAL_QP_OPERATION_ERROR ->
                    "the queue pair could not carry out the request: it is malformed, or beyond what the queue pair was made for";
            case LOCAL_PROTECTION_ERROR ->
                    "the request names local memory that is not registered for it: a wrong key, a range outside the region, a region of another protection domain, or one without LOCAL_WRITE";
            case WORK_REQUEST_FLUSHED ->
                    "the queue pair was in the error state already: this is a consequence, not the cause";
            case MEMORY_WINDOW_BIND_ERROR ->
                    "a memory window could not be bound: the region lacks the right, or the range lies outside of it";
            case BAD_RESPONSE_ERROR -> "the peer answered with something that fits no request";
            case LOCAL_ACCESS_ERROR -> "a local key or range was refused while data arrived";
            case REMOTE_INVALID_REQUEST_ERROR ->
                    "the peer's queue pair does not accept the operation: not enabled there, too many READs at a time, a message too long for the posted receive, an atomic at an odd address";
            case REMOTE_ACCESS_ERROR ->
                    "the peer refused the remote key: unknown or invalidated, an address outside its region, or a region without the right to be written, read or changed atomically";
            case REMOTE_OPERATION_ERROR ->
                    "the peer could not complete it, for a reason on its side: its posted receive is too short or names memory that is not registered";
            case RETRY_EXCEEDED ->
                    "the peer did not answer, though packets were repeated as often as retry_count says: it is gone, its queue pair is in the error state or has another number, packets or answers get lost, or they are larger than the path carries";
            case RNR_RETRY_EXCEEDED ->
                    "the peer has no receive posted, and said 'receiver not ready' as often as rnr_retry allows";
            case RESPONSE_TIMEOUT -> "a response did not come in time";
            case FATAL -> "the device failed";
            case LOCAL_EEC_OPERATION_ERROR,
                    LOCAL_RDD_VIOLATION_ERROR,
                    REMOTE_INVALID_RD_REQUEST,
                    REMOTE_ABORTED,
                    INVALID_EECN,
                    INVALID_EEC_STATE ->
                    "an error of reliable datagrams, a transport that no device offers";
            case GENERAL_ERROR -> "an error that fits no other status";
        };
    }

    private static String remedy(CompletionStatus status) {
        return switch (status) {
            case SUCCESS -> "";
            case LOCAL_LENGTH_ERROR -> "Post receives as long as the longest message.";
            case LOCAL_PROTECTION_ERROR, LOCAL_ACCESS_ERROR ->
                    "Compare address, length and local key of the request with the region; is it still registered?";
            case WORK_REQUEST_FLUSHED ->
                    "Look for the first completion of this queue pair that is not flushed, and at the peer: it may have disconnected.";
            case MEMORY_WINDOW_BIND_ERROR ->
                    "Register the region with MEMORY_WINDOW_BIND, and bind inside of it.";
            case REMOTE_INVALID_REQUEST_ERROR ->
                    "Compare with what the peer's queue pair permits: access flags, max_dest_rd_atomic, the length of its receives.";
            case REMOTE_ACCESS_ERROR ->
                    "Compare key, address and length with what the peer has told; `outboard explain` of a capture shows the key that was refused and its history.";
            case REMOTE_OPERATION_ERROR -> "The completions and the log of the peer say why.";
            case RETRY_EXCEEDED ->
                    "`outboard doctor --peer ADDR` asks the peer for a sign of life; `outboard explain` of a capture says from which packet on it was silent, and whether it is.";
            case RNR_RETRY_EXCEEDED ->
                    "Post receives before the peer sends, and as many as messages may be under way; rnr_retry 7 tries for ever.";
            default -> "The log of the device or of the peer says more.";
        };
    }
}
