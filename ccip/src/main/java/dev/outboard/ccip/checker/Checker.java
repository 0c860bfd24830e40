package dev.outboard.ccip.checker;

import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/// Watches a port and reports whatever breaks CCI-P: on the AFU's side, on the FIU's own, and what
/// FIU and host found themselves. It drives nothing and, as long as nothing is wrong, allocates
/// nothing.
///
/// It belongs to the simulation that clocks it, on whose thread all its methods are called.
///
/// ```java
/// Checker checker = new Checker(Profile.PAC_A10, ErrorPolicy.LOG);
/// // clock the port with the checker among its monitors
/// checker.finish(cycle);
/// checker.reports().forEach(System.out::println);
/// ```
public final class Checker implements Monitor {
    /// How many reports are kept; all are counted.
    public static final int KEPT_REPORTS = 1000;

    private final ErrorPolicy policy;
    private final Severity[] severities;
    private final long[] counts = new long[Violation.values().length];
    private final List<Report> reports = new ArrayList<>();
    private final List<Listener> listeners = new ArrayList<>();
    private Consumer<Report> portError = report -> {};

    /// A checker for one port of this platform, before cycle 0.
    public Checker(Profile profile, ErrorPolicy policy) {
        this.policy = policy;
        severities = new Severity[counts.length];
        for (Violation violation : Violation.values()) {
            severities[violation.ordinal()] = violation.severity();
        }
    }

    /// Sets how much a violation matters in this run.
    public Checker severity(Violation violation, Severity severity) {
        severities[violation.ordinal()] = severity;
        return this;
    }

    /// Calls `listener` with each report of `atLeast` this severity, also those beyond
    /// [#KEPT_REPORTS].
    public Checker onReport(Severity atLeast, Consumer<Report> listener) {
        listeners.add(new Listener(atLeast, listener));
        return this;
    }

    /// Calls `fiu` with each protocol error of the AFU under [ErrorPolicy#HARDWARE], in the cycle
    /// in which it became certain.
    public Checker onPortError(Consumer<Report> fiu) {
        portError = fiu;
        return this;
    }

    @Override
    public void clock(long cycle, Tx tx, Rx rx, Answers answers) {}

    /// The run ends after this cycle: reports what is still owed by AFU and FIU.
    public void finish(long cycle) {}

    /// Reports what FIU or host found themselves, where there is no beat to show.
    ///
    /// @param detail what was found, a clause without a full stop
    /// @throws ViolationException if the policy is to stop
    public void report(Violation violation, long cycle, String detail) {
        report(violation, violation.channel(), cycle, "", Answers.NONE, Report.NO_ADDRESS, detail);
    }

    /// Reports what was found in one beat or request.
    ///
    /// @param header the decoded header ([HeaderText]), may be empty
    /// @param request the number of the request on its channel, or [Answers#NONE]
    /// @param address the line address, or [Report#NO_ADDRESS]
    /// @param detail what was found, a clause without a full stop; may be empty
    /// @throws ViolationException if the policy is to stop
    public void report(
            Violation violation,
            Channel channel,
            long cycle,
            String header,
            long request,
            long address,
            String detail) {
        if (counted(violation)) {
            deliver(
                    new Report(
                            violation,
                            severity(violation),
                            cycle,
                            channel,
                            header,
                            request,
                            address,
                            detail));
        }
    }

    /// How much a violation matters in this run.
    public Severity severity(Violation violation) {
        return severities[violation.ordinal()];
    }

    /// How often a violation was seen.
    public long count(Violation violation) {
        return counts[violation.ordinal()];
    }

    /// The violations that were seen, with how often.
    public Map<Violation, Long> counts() {
        Map<Violation, Long> seen = new EnumMap<>(Violation.class);
        for (Violation violation : Violation.values()) {
            if (count(violation) != 0) {
                seen.put(violation, count(violation));
            }
        }
        return seen;
    }

    /// The first [#KEPT_REPORTS] warnings and errors, in order.
    public List<Report> reports() {
        return Collections.unmodifiableList(reports);
    }

    /// Counts a violation.
    ///
    /// @return whether somebody wants the report of it
    private boolean counted(Violation violation) {
        Severity severity = severity(violation);
        if (severity == Severity.OFF) {
            return false;
        }
        counts[violation.ordinal()]++;
        if (severity == Severity.ERROR || isKept(severity)) {
            return true;
        }
        for (Listener listener : listeners) {
            if (severity.compareTo(listener.atLeast) >= 0) {
                return true;
            }
        }
        return false;
    }

    private boolean isKept(Severity severity) {
        return severity.compareTo(Severity.WARNING) >= 0 && reports.size() < KEPT_REPORTS;
    }

    private void deliver(Report report) {
        if (isKept(report.severity())) {
            reports.add(report);
        }
        for (Listener listener : listeners) {
            if (report.severity().compareTo(listener.atLeast) >= 0) {
                listener.consumer.accept(report);
            }
        }
        if (report.severity() != Severity.ERROR || policy == ErrorPolicy.LOG) {
            return;
        }
        if (policy == ErrorPolicy.STOP || report.violation().isOfFiu()) {
            throw new ViolationException(report);
        }
        portError.accept(report);
    }

    private record Listener(Severity atLeast, Consumer<Report> consumer) {}
}
