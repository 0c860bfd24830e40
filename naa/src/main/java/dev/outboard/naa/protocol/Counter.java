package dev.outboard.naa.protocol;

import dev.outboard.naa.MrspException;
import dev.outboard.naa.NaaConnectException;
import dev.outboard.naa.NaaException;
import dev.outboard.naa.NaaTimeoutException;
import dev.outboard.naa.NaaTransferException;
import dev.outboard.naa.RpcException;

/// NAA-ROB-6: what a connection counts.
public enum Counter {
    RPCS("rpcs"),
    BYTES_SENT("bytes.sent"),
    BYTES_RECEIVED("bytes.received"),
    HOST_ERRORS("errors.host"),
    RETURN_CODES("errors.return-code"),
    MRSP_ERRORS("errors.mrsp"),
    TRANSFER_ERRORS("errors.transfer"),
    TIMEOUTS("errors.timeout"),
    CONNECTION_ERRORS("errors.connection"),
    PROBES("probes"),
    MRSP_NANOS("nanos.mrsp"),
    TRANSFER_NANOS("nanos.transfer"),
    CALCULATION_NANOS("nanos.calculation");

    private final String label;

    Counter(String label) {
        this.label = label;
    }

    /// The name under which it is shown.
    String label() {
        return label;
    }

    /// The counter of failures like `failure`.
    static Counter of(NaaException failure) {
        return switch (failure) {
            case MrspException _ -> MRSP_ERRORS;
            case NaaTransferException _ -> TRANSFER_ERRORS;
            case NaaTimeoutException _ -> TIMEOUTS;
            case RpcException _ -> RETURN_CODES;
            case NaaConnectException _ -> CONNECTION_ERRORS;
            case NaaException _ -> CONNECTION_ERRORS;
        };
    }
}
