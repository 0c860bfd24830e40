package dev.outboard.naa.server;

import dev.outboard.naa.Dialect;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// A [Routine] as a server offers it: the function code it is called by, the regions it takes and
/// the time it may take. The server checks the regions of every call, so the routine need not.
///
/// ```java
/// RoutineSpec.of(42, "scale", Scale::run)
///         .describedAs("multiplies every value by a factor")
///         .taking(input("factor", "float32").ofBytes(4), inout("values", "float32[n]"))
///         .within(Duration.ofSeconds(2));
/// ```
///
/// Immutable: every method returns another specification.
///
/// @param functionCode 1 to 127, in `ap1-2023` to 255
/// @param name letters, digits and dashes: how logs and counters call it
/// @param description one line
/// @param arguments the parameter regions in order; empty if it takes any regions
/// @param limit the time it may take; zero for no other limit than the server's
/// @param kind what it does with the thread that runs it
/// @param routine what runs
public record RoutineSpec(
        int functionCode,
        String name,
        String description,
        List<RoutineArgument> arguments,
        Duration limit,
        Kind kind,
        Routine routine) {
    /// What a routine does with the thread that runs it.
    public enum Kind {
        /// It takes microseconds, and runs on the thread that polls the connection, since a
        /// hand-over would cost more than the RPC.
        SHORT,
        /// It computes, and runs on one of a bounded pool of workers.
        COMPUTING,
        /// It has something else compute, and waits for that: it runs on a virtual thread of its
        /// own, and holds no worker.
        WAITING
    }

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9-]{0,63}");

    /// Refuses what no server can offer.
    public RoutineSpec {
        int max = Dialect.AP1_2023.maxFunctionCode();
        if (functionCode < 1 || functionCode > max) {
            throw new IllegalArgumentException(
                    "function code %d of routine '%s'; valid: 1 to %d"
                            .formatted(functionCode, name, max));
        }
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "routine name '%s'; valid: up to 64 letters, digits and dashes"
                            .formatted(name));
        }
        if (limit.isNegative()) {
            throw new IllegalArgumentException(
                    "limit of routine '%s' is %s; valid: zero for none, or more"
                            .formatted(name, limit));
        }
        arguments = List.copyOf(arguments);
    }

    /// A routine that takes any regions and has no limit but the server's.
    public static RoutineSpec of(int functionCode, String name, Routine routine) {
        return new RoutineSpec(
                functionCode, name, "", List.of(), Duration.ZERO, Kind.COMPUTING, routine);
    }

    /// The same with a description.
    public RoutineSpec describedAs(String line) {
        return new RoutineSpec(functionCode, name, line, arguments, limit, kind, routine);
    }

    /// The same, taking exactly these regions.
    public RoutineSpec taking(RoutineArgument... regions) {
        return new RoutineSpec(
                functionCode, name, description, List.of(regions), limit, kind, routine);
    }

    /// The same with a limit of its own; the server's counts too.
    public RoutineSpec within(Duration time) {
        return new RoutineSpec(functionCode, name, description, arguments, time, kind, routine);
    }

    /// The same, declared short.
    public RoutineSpec asShort() {
        return of(Kind.SHORT);
    }

    /// The same, declared to wait for something else that computes.
    public RoutineSpec asWaiting() {
        return of(Kind.WAITING);
    }

    private RoutineSpec of(Kind other) {
        return new RoutineSpec(functionCode, name, description, arguments, limit, other, routine);
    }

    /// Whether it takes microseconds.
    public boolean isShort() {
        return kind == Kind.SHORT;
    }

    /// Whether it waits for something else that computes.
    public boolean isWaiting() {
        return kind == Kind.WAITING;
    }

    /// The same, computed by something else.
    public RoutineSpec runBy(Routine other) {
        return new RoutineSpec(functionCode, name, description, arguments, limit, kind, other);
    }

    /// What is wrong with the regions of a call, if anything. That a region travels in more
    /// directions than the routine needs is no harm.
    ///
    /// @param dialect of the client; `ap1-2023` marks no regions
    public Optional<String> mismatch(List<RoutineRegion> regions, Dialect dialect) {
        if (arguments.isEmpty()) {
            return Optional.empty();
        }
        if (regions.size() != arguments.size()) {
            return Optional.of(
                    "takes %d regions, not %d".formatted(arguments.size(), regions.size()));
        }
        for (RoutineRegion region : regions) {
            String wrong = mismatch(region, arguments.get(region.index()), dialect);
            if (!wrong.isEmpty()) {
                return Optional.of(wrong);
            }
        }
        return Optional.empty();
    }

    private static String mismatch(
            RoutineRegion region, RoutineArgument argument, Dialect dialect) {
        boolean isMarked = dialect == Dialect.UPSTREAM_2026;
        String wrong = "";
        if (region.size() != argument.bytes().orElse(region.size())) {
            wrong = "has %d bytes, not %d".formatted(argument.bytes().orElse(0), region.size());
        } else if (isMarked && argument.role().isInput() && !region.isInput()) {
            wrong = "must be marked as input";
        } else if (isMarked && argument.role().isOutput() && !region.isOutput()) {
            wrong = "must be marked as output";
        }
        return wrong.isEmpty()
                ? ""
                : "region %d, '%s', %s".formatted(region.index(), argument.name(), wrong);
    }
}
