package dev.outboard.ccip.host;

import dev.outboard.ccip.checker.Violation;

/// Something about the registers of an AFU that is not as it should be.
///
/// @param violation what
/// @param detail where, and what was found: a clause without a full stop
public record Finding(Violation violation, String detail) {
    /// As one line.
    @Override
    public String toString() {
        return violation + ": " + detail;
    }
}
