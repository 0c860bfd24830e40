package dev.outboard.ccip.fiu;

import dev.outboard.ccip.checker.Report;
import dev.outboard.ccip.checker.Violation;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The port error register: which protocol errors were seen since it was cleared, and the first of
/// them in full (CCI-P manual 1.3.11). Guarded by the lock of the simulation.
public final class PortErrors {
    private final Set<Violation> seen = EnumSet.noneOf(Violation.class);
    private @Nullable Report first;

    /// No error was seen.
    public PortErrors() {}

    /// A protocol error was seen: the first is kept with its details, later ones set their bit.
    ///
    /// CCIP-ERR-4: the first error is kept whole, of later ones the kind.
    public void record(Report report) {
        if (first == null) {
            first = report;
        }
        seen.add(report.violation());
    }

    /// The first error since the register was cleared.
    public Optional<Report> first() {
        return Optional.ofNullable(first);
    }

    /// The errors since the register was cleared.
    public Set<Violation> seen() {
        return Set.copyOf(seen);
    }

    /// Forgets all errors.
    ///
    /// CCIP-ERR-5: the host clears the register.
    public void clear() {
        seen.clear();
        first = null;
    }
}
