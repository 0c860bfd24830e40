package dev.outboard.naa;

/// The regions could not be set up.
public final class MrspException extends NaaException {
    private static final long serialVersionUID = 1;

    /// Not enough memory, or address plus size beyond the NAA's memory.
    public static final int NO_MEMORY = 0x01;

    /// The requested NAA address lies outside the NAA's memory.
    public static final int INVALID_ADDRESS = 0x02;

    /// More regions than the NAA manages.
    public static final int TOO_MANY_REGIONS = 0x03;

    /// Malformed or unsupported: a code of our own that other implementations report as unknown.
    public static final int MALFORMED = 0xff;

    private final int code;

    /// @param code what the peer sent or is sent, 0..255
    public MrspException(Where where, int code, String what) {
        super(where, what);
        this.code = code;
    }

    /// The error code of the protocol, 0..255.
    public int code() {
        return code;
    }

    /// One line for people about any code, known or not.
    public static String explain(int code) {
        String meaning =
                switch (code) {
                    case NO_MEMORY -> "not enough memory";
                    case INVALID_ADDRESS -> "invalid NAA address";
                    case TOO_MANY_REGIONS -> "too many regions";
                    case MALFORMED -> "malformed or unsupported message";
                    default -> "unknown";
                };
        return "0x%02x (%s)".formatted(code, meaning);
    }
}
