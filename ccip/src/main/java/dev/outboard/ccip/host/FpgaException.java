package dev.outboard.ccip.host;

/// A call of the host failed. The message names the address, the cycle and what would be valid; the
/// reason is for programs.
public final class FpgaException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /// Why a call failed.
    public enum Reason {
        /// The AFU behind the port is another one, or shows no AFU_ID.
        NOT_FOUND,
        /// The AFU does not answer MMIO reads.
        NO_ANSWER,
        /// An MMIO address is no multiple of the length of the access (CCI-P manual 1.3.5).
        MMIO_MISALIGNED,
        /// An MMIO address is outside the 256 KiB of an AFU (CCI-P manual 1.3).
        MMIO_RANGE,
        /// Registers are read with 4 or 8 bytes, never with 64 (CCI-P manual 1.3.13.2).
        MMIO_READ_64,
        /// A buffer cannot be had as asked for.
        BAD_BUFFER,
        /// An argument is out of range.
        INVALID_ARGUMENT,
        /// This platform does not have it.
        UNSUPPORTED,
        /// What was waited for did not happen in time.
        TIMEOUT,
        /// What was waited for did not happen, and nothing moves at the port any more.
        STALLED,
        /// The thread that clocks the simulation has ended; the cause tells why.
        RUN_ENDED,
        /// The handle, buffer or simulation is in a state that does not allow the call.
        INVALID_STATE
    }

    private final Reason reason;

    /// A failure for `reason`, explained by `message`.
    public FpgaException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /// A failure for `reason`, explained by `message`, that another exception caused.
    public FpgaException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /// Why the call failed.
    public Reason reason() {
        return reason;
    }
}
