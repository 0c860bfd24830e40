package dev.outboard.dpa.checker;

import java.util.Optional;

/// One thing that is wrong in a program.
///
/// @param rule what
/// @param severity how much it matters in this case
/// @param first the store, fetch or other event that it begins with
/// @param second the event that shows it: who reads, announces or waits
/// @param location the memory that it is about, by symbol or block and offset; empty if none
/// @param mismatch what stands in the place of what is missing
/// @param remedy what to insert, if one line cures it
public record Finding(
        Rule rule,
        Severity severity,
        Spot first,
        Spot second,
        String location,
        Optional<Mismatch> mismatch,
        Optional<Remedy> remedy) {

    /// The rows of the catalog, such as `1` or `1+8`.
    public String rows() {
        String number = rule.row().substring("DPA-CHK-".length());
        return mismatch.isPresent() ? number + "+8" : number;
    }

    /// Why it matters and what mends it, as a paragraph.
    public String reason() {
        StringBuilder text = new StringBuilder(300);
        text.append("Missing: ").append(rule.missing()).append(". ").append(rule.reason());
        mismatch.ifPresent(instead -> text.append(' ').append(instead));
        text.append(' ').append(rule.advice());
        remedy.ifPresent(cure -> text.append(' ').append(cure));
        return text.toString();
    }

    /// The finding as lines of a report.
    @Override
    public String toString() {
        String where = location.isEmpty() ? "" : " of " + location;
        return "%s %s [%s]%n  %s%s%n  %s%n  %s"
                .formatted(severity, rule, rule.row(), first, where, second, reason());
    }
}
