package dev.outboard.ccip.rtl;

import java.math.BigInteger;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A number without a size that needs more than 32 bits. Tools for FPGAs give it as many as it
/// needs, which SystemVerilog leaves to them (IEEE 1800-2017, 5.7.1); Verilator wants a size.
final class UnsizedNumber {
    private static final Pattern REFUSED =
            Pattern.compile("%Error: (.+?):(\\d+):\\d+: Too many digits for 32 bit number: (\\S+)");

    private static final Pattern BASED = Pattern.compile("'s?([hobd])([0-9a-fxz?]+)");

    private UnsizedNumber() {}

    /// What gives a size to each number that Verilator refused for the lack of one.
    static List<Patch> sized(String output) {
        return REFUSED.matcher(output).results().map(UnsizedNumber::sized).distinct().toList();
    }

    private static Patch sized(MatchResult refused) {
        String number = refused.group(3);
        return new Patch(
                Path.of(refused.group(1)).getFileName().toString(),
                Integer.parseInt(refused.group(2)),
                number,
                number.startsWith("'") ? bits(number) + number : signed(number));
    }

    private static int bits(String number) {
        Matcher based = BASED.matcher(number.toLowerCase(Locale.ROOT).replace("_", ""));
        if (!based.matches()) {
            throw new IllegalStateException("Verilator took " + number + " for a number");
        }
        String digits = based.group(2);
        return switch (based.group(1)) {
            case "h" -> 4 * digits.length();
            case "o" -> 3 * digits.length();
            case "b" -> digits.length();
            default -> new BigInteger(digits).bitLength();
        };
    }

    /// A plain number is signed.
    private static String signed(String number) {
        return new BigInteger(number.replace("_", "")).bitLength() + 1 + "'sd" + number;
    }
}
