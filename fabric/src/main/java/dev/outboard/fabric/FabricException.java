package dev.outboard.fabric;

/// A control call of the fabric failed. The message names the object, the value and what would be
/// valid or what to do; the reason is for programs. The data path never throws this: it completes
/// with a [CompletionStatus].
public final class FabricException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /// Why a control call failed.
    public enum Reason {
        /// The device URI cannot be understood.
        BAD_URI,
        /// No provider answers for the scheme.
        NO_PROVIDER,
        /// Another process or the kernel holds the address.
        ADDRESS_IN_USE,
        /// The address does not belong to this machine, or cannot be used as a device.
        ADDRESS_NOT_AVAILABLE,
        /// The service (port) has a listener already.
        SERVICE_IN_USE,
        /// An argument is out of range.
        INVALID_ARGUMENT,
        /// The process has not the role that it takes.
        NOT_PERMITTED,
        /// The object is in a state that does not allow the call.
        INVALID_STATE,
        /// A limit of the device or of the process is reached.
        LIMIT_REACHED,
        /// Something still uses the object.
        IN_USE,
        /// The object is closed.
        CLOSED,
        /// The IP path does not do what RoCE needs of it.
        UNUSABLE_PATH,
        /// The operating system refused; the message has the errno.
        SYSTEM
    }

    private final Reason reason;

    /// A failure for `reason`, explained by `message`.
    public FabricException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /// A failure for `reason`, explained by `message`, that another exception caused.
    public FabricException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /// Why the call failed.
    public Reason reason() {
        return reason;
    }
}
