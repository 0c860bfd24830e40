package dev.outboard.ccip.checker;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/// What becomes of a violation once a check has found it: it is counted, kept, told to who listens,
/// and has the consequences that the [ErrorPolicy] gives it. It belongs to a [Checker].
///
/// A check asks [#noted] first and makes a report only if somebody wants it: what nobody wants
/// allocates nothing.
final class Reporter {
    private final ErrorPolicy policy;
    private final Severity[] severities;
    private final long[] counts = new long[Violation.values().length];
    private final int[] kept = new int[counts.length];
    private final List<Report> reports = new ArrayList<>();
    private final List<Listener> listeners = new ArrayList<>();

    /// The least severity that anybody listens to; errors always have consequences.
    private Severity listenedTo = Severity.ERROR;

    private Consumer<Report> portError = report -> {};
    private long cycle;

    Reporter(ErrorPolicy policy) {
        this.policy = policy;
        severities = new Severity[counts.length];
        for (Violation violation : Violation.values()) {
            severities[violation.ordinal()] = violation.severity();
        }
    }

    /// The cycle that is being looked at from now on.
    void cycle(long cycle) {
        this.cycle = cycle;
    }

    /// The cycle that is being looked at.
    long cycle() {
        return cycle;
    }

    void severity(Violation violation, Severity severity) {
        severities[violation.ordinal()] = severity;
    }

    Severity severity(Violation violation) {
        return severities[violation.ordinal()];
    }

    void onReport(Severity atLeast, Consumer<Report> listener) {
        listeners.add(new Listener(atLeast, listener));
        listenedTo = atLeast.compareTo(listenedTo) < 0 ? atLeast : listenedTo;
    }

    void onPortError(Consumer<Report> fiu) {
        portError = fiu;
    }

    long count(Violation violation) {
        return counts[violation.ordinal()];
    }

    List<Report> reports() {
        return Collections.unmodifiableList(reports);
    }

    /// Counts a violation.
    ///
    /// @return whether somebody wants the report of it
    boolean noted(Violation violation) {
        Severity severity = severity(violation);
        if (severity == Severity.OFF) {
            return false;
        }
        counts[violation.ordinal()]++;
        return severity.compareTo(listenedTo) >= 0 || isKept(violation, severity);
    }

    private boolean isKept(Violation violation, Severity severity) {
        return severity.compareTo(Severity.WARNING) >= 0
                && kept[violation.ordinal()] < Checker.KEPT_REPORTS;
    }

    /// Counts a violation and reports it, with its cycle.
    void report(
            Violation violation,
            Channel channel,
            long cycle,
            String header,
            long request,
            long address,
            String detail) {
        if (noted(violation)) {
            Severity severity = severity(violation);
            deliver(
                    new Report(
                            violation, severity, cycle, channel, header, request, address, detail));
        }
    }

    /// Reports what was [#noted] in this cycle, where there is no beat to show.
    void deliver(Violation violation, String detail) {
        deliver(violation, violation.channel(), "", Answers.NONE, Report.NO_ADDRESS, detail);
    }

    /// Reports what was [#noted] in this cycle.
    void deliver(
            Violation violation,
            Channel channel,
            String header,
            long request,
            long address,
            String detail) {
        deliver(violation, Severity.ERROR, channel, header, request, address, detail);
    }

    /// Reports what was [#noted] in this cycle, with its severity or `atMost`.
    void deliver(
            Violation violation,
            Severity atMost,
            Channel channel,
            String header,
            long request,
            long address,
            String detail) {
        Severity set = severity(violation);
        Severity severity = set.compareTo(atMost) > 0 ? atMost : set;
        deliver(new Report(violation, severity, cycle, channel, header, request, address, detail));
    }

    private void deliver(Report report) {
        if (isKept(report.violation(), report.severity())) {
            kept[report.violation().ordinal()]++;
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
