package dev.outboard.naa.protocol;

/// What a server counts beside its connections: whom and what it turned away, and why.
public enum ServerCounter {
    REJECTED_FULL("rejected.full"),
    REJECTED_NOT_ALLOWED("rejected.not-allowed"),
    REJECTED_SHUTTING_DOWN("rejected.shutting-down"),
    REJECTED_RESOURCES("rejected.resources"),
    REJECTED_ADDRESS_FULL("rejected.address-full"),
    HALF_OPEN("rejected.half-open"),
    EVICTED_NO_REGIONS("evicted.no-regions"),
    EVICTED_STALLED("evicted.stalled"),
    EVICTED_IDLE("evicted.idle"),
    REFUSED_REGIONS("refused.regions"),
    REFUSED_ADDRESS("refused.address"),
    REFUSED_CLIENT_BYTES("refused.client-bytes"),
    REFUSED_ADDRESS_BYTES("refused.address-bytes"),
    REFUSED_TOTAL_BYTES("refused.total-bytes"),
    REFUSED_NOT_ALLOWED("refused.not-allowed"),
    REFUSED_MALFORMED("refused.malformed"),
    SETUP_TIME("limit.setup-time"),
    IDLE_TIME("limit.idle-time"),
    TRANSFER_TIME("limit.transfer-time"),
    ROUTINE_UNKNOWN("routines.unknown"),
    ROUTINE_ARGUMENTS("routines.wrong-arguments"),
    ROUTINE_BUSY("routines.busy"),
    ROUTINE_SHUTTING_DOWN("routines.shutting-down"),
    ROUTINE_TIME("routines.timeout"),
    ROUTINE_ABANDONED("routines.abandoned"),
    ROUTINES_FAILED("routines.failed"),
    ROUTINES_HUNG("routines.hung"),
    ROUTINES_OVERRUN("routines.overrun"),
    ROUTINES_MOVED("routines.moved");

    private final String label;

    ServerCounter(String label) {
        this.label = label;
    }

    /// The name under which it is shown.
    String label() {
        return label;
    }
}
