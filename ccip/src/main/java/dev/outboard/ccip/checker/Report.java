package dev.outboard.ccip.checker;

import java.util.Locale;

/// One violation that was seen.
///
/// @param violation what
/// @param severity how much it matters in this run
/// @param cycle the edge of pClk at which it became certain
/// @param channel where
/// @param header the header of the beat, decoded; empty without a beat
/// @param request the number of the request on its channel, or [Answers#NONE]
/// @param address the line address, or [#NO_ADDRESS]
/// @param detail what was found in this case, a clause without a full stop; may be empty
public record Report(
        Violation violation,
        Severity severity,
        long cycle,
        Channel channel,
        String header,
        long request,
        long address,
        String detail) {
    /// Concerns no line.
    public static final long NO_ADDRESS = -1;

    /// The requirement that was violated, as in `CCIP-HDR-21`.
    public String rule() {
        return violation.rule();
    }

    /// The report as one paragraph.
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(200);
        text.append(violation).append(" (").append(severity.name().toLowerCase(Locale.ROOT));
        text.append(") in cycle ").append(cycle).append(" on ").append(channel);
        if (request != Answers.NONE) {
            text.append(", request ").append(request);
        }
        if (address != NO_ADDRESS) {
            text.append(", line 0x").append(Long.toHexString(address));
        }
        if (!header.isEmpty()) {
            text.append(": ").append(header);
        }
        if (!detail.isEmpty()) {
            text.append(": ").append(detail);
        }
        return text.append(". ")
                .append(violation.hint())
                .append(" [")
                .append(rule())
                .append(']')
                .toString();
    }
}
