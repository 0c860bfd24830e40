package dev.outboard.doca;

import dev.outboard.fabric.FabricException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A control call of DOCA failed. The message names the object, the value and what would be valid;
/// the [DocaError] is for programs. Tasks never throw this: they complete with a status.
public final class DocaException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final DocaError error;

    /// What [Task#submitOrThrow] refused, if it did.
    private final transient @Nullable Task refused;

    /// A failure with code `error`, explained by `message`.
    public DocaException(DocaError error, String message) {
        this(error, message, (Task) null);
    }

    /// `refused` cannot be submitted.
    DocaException(DocaError error, String message, @Nullable Task refused) {
        super(nonNull(message, "message"));
        this.refused = refused;
        this.error = nonNull(error, "error");
    }

    /// A failure with code `error`, explained by `message`, that another exception caused.
    public DocaException(DocaError error, String message, Throwable cause) {
        super(nonNull(message, "message"), nonNull(cause, "cause"));
        this.error = nonNull(error, "error");
        refused = null;
    }

    /// What a failure of the fabric is called in DOCA.
    ///
    /// DCORE-DEV-6: what the layer below refuses is named, a failure of the system DRIVER.
    ///
    /// @param what what was being done, such as `opening roce://127.0.0.2`
    public static DocaException of(String what, FabricException cause) {
        nonNull(what, "what");
        nonNull(cause, "cause");
        DocaError error =
                switch (cause.reason()) {
                    case BAD_URI, INVALID_ARGUMENT -> DocaError.INVALID_VALUE;
                    case NOT_PERMITTED -> DocaError.NOT_PERMITTED;
                    case NO_PROVIDER -> DocaError.NOT_SUPPORTED;
                    case ADDRESS_NOT_AVAILABLE -> DocaError.NOT_FOUND;
                    case ADDRESS_IN_USE, SERVICE_IN_USE, IN_USE -> DocaError.IN_USE;
                    case INVALID_STATE, CLOSED -> DocaError.BAD_STATE;
                    case LIMIT_REACHED -> DocaError.NO_MEMORY;
                    case UNUSABLE_PATH, SYSTEM -> DocaError.DRIVER;
                };
        return new DocaException(error, what + ": " + cause.getMessage(), cause);
    }

    /// What [Task#submitOrThrow] refused, if it did.
    Optional<Task> refused() {
        return Optional.ofNullable(refused);
    }

    /// Refuses null, as each call of the API does where its parameter is not declared nullable.
    ///
    /// DJAVA-API-7: null is refused by name, unless a parameter is declared nullable.
    ///
    /// @param name of the parameter
    /// @return `value`
    /// @throws DocaException with INVALID_VALUE if it is null
    public static <T> T nonNull(@Nullable T value, String name) {
        if (value == null) {
            throw new DocaException(DocaError.INVALID_VALUE, name + " is null");
        }
        return value;
    }

    /// The code of the failure.
    ///
    /// DJAVA-API-5: calls that control throw it; those of the data path return it.
    public DocaError error() {
        return error;
    }
}
