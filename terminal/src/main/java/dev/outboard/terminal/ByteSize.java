package dev.outboard.terminal;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/// A number of bytes as people write it: `64`, `4KiB`, `1MiB`, `1.5GiB`.
public record ByteSize(long bytes) {
    private static final Pattern WRITTEN =
            Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(|B|KiB|MiB|GiB)", Pattern.CASE_INSENSITIVE);
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB"};
    private static final long STEP = 1024;

    /// Reads what a user wrote in the command line.
    ///
    /// @throws TypeConversionException if it is not a size
    public static ByteSize parse(String text) {
        Matcher matcher = WRITTEN.matcher(text.strip());
        if (matcher.matches()) {
            BigDecimal bytes =
                    new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit(matcher)));
            if (isWhole(bytes)) {
                return new ByteSize(bytes.longValue());
            }
        }
        throw new TypeConversionException(
                "'" + text + "' is not a size; write bytes as 64, 4KiB, 1MiB or 1GiB");
    }

    /// With the largest unit that leaves at least 1: `34.9 MiB`.
    @Override
    public String toString() {
        int unit = 0;
        double amount = bytes;
        while (amount >= STEP && unit < UNITS.length - 1) {
            amount /= STEP;
            unit++;
        }
        String format = amount == Math.rint(amount) ? "%.0f %s" : "%.1f %s";
        return String.format(Locale.ROOT, format, amount, UNITS[unit]);
    }

    private static long unit(Matcher matcher) {
        return switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
            case "kib" -> STEP;
            case "mib" -> STEP * STEP;
            case "gib" -> STEP * STEP * STEP;
            default -> 1;
        };
    }

    private static boolean isWhole(BigDecimal bytes) {
        return bytes.stripTrailingZeros().scale() <= 0
                && bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) <= 0;
    }
}
