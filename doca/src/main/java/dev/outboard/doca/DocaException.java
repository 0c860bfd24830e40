package dev.outboard.doca;

import dev.outboard.fabric.FabricException;
import java.util.Objects;

/// A control call of DOCA failed. The message names the object, the value and what would be valid;
/// the [DocaError] is for programs. Tasks never throw this: they complete with a status.
public final class DocaException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final DocaError error;

    /// A failure with code `error`, explained by `message`.
    public DocaException(DocaError error, String message) {
        super(Objects.requireNonNull(message, "message"));
        this.error = Objects.requireNonNull(error, "error");
    }

    /// A failure with code `error`, explained by `message`, that another exception caused.
    public DocaException(DocaError error, String message, Throwable cause) {
        super(Objects.requireNonNull(message, "message"), Objects.requireNonNull(cause, "cause"));
        this.error = Objects.requireNonNull(error, "error");
    }

    /// What a failure of the fabric is called in DOCA.
    ///
    /// @param what what was being done, such as `opening roce://127.0.0.2`
    public static DocaException of(String what, FabricException cause) {
        Objects.requireNonNull(what, "what");
        DocaError error =
                switch (cause.reason()) {
                    case BAD_URI, INVALID_ARGUMENT -> DocaError.INVALID_VALUE;
                    case NO_PROVIDER -> DocaError.NOT_SUPPORTED;
                    case ADDRESS_NOT_AVAILABLE -> DocaError.NOT_FOUND;
                    case ADDRESS_IN_USE, SERVICE_IN_USE, IN_USE -> DocaError.IN_USE;
                    case INVALID_STATE, CLOSED -> DocaError.BAD_STATE;
                    case LIMIT_REACHED -> DocaError.NO_MEMORY;
                    case UNUSABLE_PATH, SYSTEM -> DocaError.DRIVER;
                };
        return new DocaException(error, what + ": " + cause.getMessage(), cause);
    }

    /// The code of the failure.
    public DocaError error() {
        return error;
    }
}
