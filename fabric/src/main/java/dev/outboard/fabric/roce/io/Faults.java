package dev.outboard.fabric.roce.io;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.spi.Quantity;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

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
                value("loss", values, "0%", Quantity::fraction),
                value("duplicate", values, "0%", Quantity::fraction),
                value("reorder", values, "0%", Quantity::fraction),
                value("corrupt", values, "0%", Quantity::fraction),
                value("delay", values, "0ns", Quantity::nanos),
                value("seed", values, "0", Quantity::integer));
    }

    private static <T> T value(
            String key, Map<String, String> values, String absent, Function<String, T> parse) {
        String text = values.getOrDefault(key, absent);
        try {
            return parse.apply(text);
        } catch (IllegalArgumentException e) {
            throw wrong(key + "=" + text, String.valueOf(e.getMessage()));
        }
    }

    private static FabricException wrong(String part, String why) {
        return new FabricException(Reason.BAD_URI, "faults: '" + part + "': " + why);
    }
}
