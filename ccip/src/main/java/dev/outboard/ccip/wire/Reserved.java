package dev.outboard.ccip.wire;

/// The complaint about a code that CCI-P reserves.
final class Reserved {
    private Reserved() {}

    static IllegalArgumentException code(String field, int code, String valid) {
        return new IllegalArgumentException(
                field + " " + code + " is reserved; valid are " + valid);
    }
}
