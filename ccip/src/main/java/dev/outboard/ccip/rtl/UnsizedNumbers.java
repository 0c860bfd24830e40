package dev.outboard.ccip.rtl;

import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Numbers of a design without a size that need more than 32 bits. Tools for FPGAs give them as
/// many as they need, which SystemVerilog leaves to them (IEEE 1800-2017, 5.7.1); Verilator wants a
/// size.
final class UnsizedNumbers {
    private static final Pattern REFUSED =
            Pattern.compile("%Error: .*: Too many digits for 32 bit number: (\\S+)");

    private static final Pattern BASED = Pattern.compile("'s?([hobd])([0-9a-fxz?]+)");

    private final Map<String, String> sizes = new LinkedHashMap<>();

    /// Takes in what Verilator refused.
    ///
    /// CCIP-RTL-8: a number without a size has as many bits as it needs.
    ///
    /// @return whether anything is new
    boolean learn(String output) {
        int before = sizes.size();
        Matcher refused = REFUSED.matcher(output);
        while (refused.find()) {
            sizes.computeIfAbsent(refused.group(1), UnsizedNumbers::size);
        }
        return sizes.size() > before;
    }

    /// What a number has in front of it to be as long as it needs.
    private static String size(String number) {
        String digits = number.toLowerCase(Locale.ROOT).replace("_", "");
        Matcher based = BASED.matcher(digits);
        if (!based.matches()) {
            // A plain number is signed.
            return new BigInteger(digits).bitLength() + 1 + "'sd";
        }
        int count = based.group(2).length();
        int bits =
                switch (based.group(1)) {
                    case "h" -> 4 * count;
                    case "o" -> 3 * count;
                    case "b" -> count;
                    default -> new BigInteger(based.group(2)).bitLength();
                };
        return Integer.toString(bits);
    }

    /// The text with a size for each such number in it.
    String sizedIn(String text) {
        String sized = text;
        for (Map.Entry<String, String> number : sizes.entrySet()) {
            String alone = "(?<![\\w'])" + Pattern.quote(number.getKey()) + "(?![\\w?])";
            String replacement = Matcher.quoteReplacement(number.getValue() + number.getKey());
            sized = sized.replaceAll(alone, replacement);
        }
        return sized;
    }
}
