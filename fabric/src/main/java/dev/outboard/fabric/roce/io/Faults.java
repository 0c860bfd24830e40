package dev.outboard.fabric.roce.io;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What a [FaultInjector] does to packets. The probabilities are from 0 to 1, and independent.
///
/// @param loss that a packet vanishes
/// @param duplicate that a packet comes twice
/// @param reorder that a packet comes after the one behind it
/// @param corrupt that one bit of a packet flips
/// @param delayNanos how much later each packet comes
/// @param seed decides which packets; the same packets under the same seed meet the same fate
public record Faults(
        double loss, double duplicate, double reorder, double corrupt, long delayNanos, long seed) {
    private static final List<String> KEYS =
            List.of("loss", "duplicate", "reorder", "corrupt", "delay", "seed");
    private static final Pattern PERCENTAGE = Pattern.compile("(\\d{1,3}(?:\\.\\d{1,9})?)%");
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ns|us|ms|s)");
    private static final Pattern SEED = Pattern.compile("(-?\\d{1,18})");
    private static final double HUNDRED = 100;

    /// Reads `loss=5%,duplicate=1%,reorder=1%,corrupt=0.1%,delay=2ms,seed=1`: any of these in any
    /// order, 0 for the others.
    ///
    /// @throws FabricException naming the part that is wrong and what would be right
    public static Faults parse(String text) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String part : text.split(",", -1)) {
            int equals = part.indexOf('=');
            String key = part.substring(0, Math.max(equals, 0)).strip();
            if (!KEYS.contains(key)) {
                throw wrong(part, "expected key=value, where the key is one of " + KEYS);
            }
            if (values.put(key, part.substring(equals + 1).strip()) != null) {
                throw wrong(part, "'" + key + "' is there already");
            }
        }
        return new Faults(
                fraction("loss", values),
                fraction("duplicate", values),
                fraction("reorder", values),
                fraction("corrupt", values),
                nanos(values),
                seed(values));
    }

    private static double fraction(String key, Map<String, String> values) {
        Matcher matcher = match(key, values, "0%", PERCENTAGE, "a percentage such as 1% or 0.5%");
        double fraction = Double.parseDouble(matcher.group(1)) / HUNDRED;
        if (fraction > 1) {
            throw wrong(key + "=" + matcher.group(), "at most 100% is possible");
        }
        return fraction;
    }

    private static long nanos(Map<String, String> values) {
        String expected = "a time such as 20us or 2ms; units are ns, us, ms, s";
        Matcher matcher = match("delay", values, "0ns", DURATION, expected);
        long count = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ns" -> count;
            case "us" -> TimeUnit.MICROSECONDS.toNanos(count);
            case "ms" -> TimeUnit.MILLISECONDS.toNanos(count);
            default -> TimeUnit.SECONDS.toNanos(count);
        };
    }

    private static long seed(Map<String, String> values) {
        return Long.parseLong(match("seed", values, "0", SEED, "an integer").group(1));
    }

    private static Matcher match(
            String key,
            Map<String, String> values,
            String absent,
            Pattern pattern,
            String expected) {
        Matcher matcher = pattern.matcher(values.getOrDefault(key, absent));
        if (!matcher.matches()) {
            throw wrong(key + "=" + values.get(key), "expected " + expected);
        }
        return matcher;
    }

    private static FabricException wrong(String part, String why) {
        return new FabricException(Reason.BAD_URI, "faults: '" + part + "': " + why);
    }
}
