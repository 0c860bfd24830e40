package dev.outboard.dpa.flexio;

import java.util.Arrays;
import java.util.Locale;
import java.util.PrimitiveIterator;
import java.util.function.LongUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// DPA-FXM-1: the formats of `printf`, for integers, characters, addresses and text in DPA memory.
final class PrintFormat {
    private static final Pattern CONVERSION =
            Pattern.compile(
                    "%([-+ #0]*)([0-9]*|\\*)(?:\\.([0-9]+|\\*))?(hh|h|ll|l|z|j|t)?([a-zA-Z%])");

    /// A text that is longer has no end, most likely.
    private static final int MOST_TEXT_BYTES = 1024;

    /// What a program may ask a number to be padded to.
    private static final int MOST_WIDTH = 1024;

    private PrintFormat() {}

    /// The message. What is no conversion stays as it stands, and what has no argument is `?`.
    ///
    /// @param bytes loads a byte of text
    static String format(String format, long[] arguments, LongUnaryOperator bytes) {
        return format.indexOf('*') < 0
                ? formatted(format, arguments, bytes)
                : measured(format, arguments, bytes);
    }

    /// One with widths and precisions that are arguments: a negative width is one to the left, and
    /// a negative precision none.
    private static String measured(String format, long[] arguments, LongUnaryOperator bytes) {
        PrimitiveIterator.OfLong next = Arrays.stream(arguments).iterator();
        LongStream.Builder others = LongStream.builder();
        String measured =
                CONVERSION
                        .matcher(format)
                        .replaceAll(found -> {
                            String conversion = found.group();
                            if ("*".equals(found.group(2))) {
                                String width = Integer.toString(number(next));
                                conversion = conversion.replaceFirst("\\*", width);
                            }
                            if ("*".equals(found.group(3))) {
                                int digits = number(next);
                                String precision = digits < 0 ? "" : "." + digits;
                                conversion = conversion.replaceFirst("\\.\\*", precision);
                            }
                            if (!conversion.endsWith("%") && next.hasNext()) {
                                others.add(next.nextLong());
                            }
                            return Matcher.quoteReplacement(conversion);
                        });
        return formatted(measured, others.build().toArray(), bytes);
    }

    private static int number(PrimitiveIterator.OfLong arguments) {
        return arguments.hasNext() ? (int) arguments.nextLong() : 0;
    }

    private static String formatted(String format, long[] arguments, LongUnaryOperator bytes) {
        StringBuilder text = new StringBuilder();
        Matcher found = CONVERSION.matcher(format);
        int next = 0;
        int end = 0;
        while (found.find()) {
            text.append(format, end, found.start());
            end = found.end();
            char conversion = found.group(5).charAt(0);
            if (conversion == '%') {
                text.append('%');
            } else if ("diuxXocsp".indexOf(conversion) < 0) {
                text.append(found.group());
            } else if (next == arguments.length) {
                text.append('?');
            } else {
                text.append(pad(found, convert(found, arguments[next++], bytes)));
            }
        }
        return text.append(format, end, format.length()).toString();
    }

    private static String convert(Matcher found, long argument, LongUnaryOperator bytes) {
        String flags = found.group(1);
        String length = found.group(4);
        char conversion = found.group(5).charAt(0);
        return switch (conversion) {
            case 'd', 'i' -> sign(flags, digits(found, signed(argument, length)));
            case 'u' -> digits(found, Long.toUnsignedString(unsigned(argument, length)));
            case 'o' -> digits(found, Long.toOctalString(unsigned(argument, length)));
            case 'x', 'X' -> {
                String hex = digits(found, Long.toHexString(unsigned(argument, length)));
                String whole = flags.contains("#") && argument != 0 ? "0x" + hex : hex;
                yield conversion == 'X' ? whole.toUpperCase(Locale.ROOT) : whole;
            }
            case 'c' -> String.valueOf((char) (argument & 0xFF));
            case 's' -> text(argument, found.group(3), bytes);
            default -> "0x" + Long.toHexString(argument);
        };
    }

    private static String signed(long argument, @Nullable String length) {
        long value =
                switch (size(length)) {
                    case Byte.BYTES -> (byte) argument;
                    case Short.BYTES -> (short) argument;
                    case Integer.BYTES -> (int) argument;
                    default -> argument;
                };
        return Long.toString(value);
    }

    private static long unsigned(long argument, @Nullable String length) {
        int bits = Byte.SIZE * size(length);
        return bits == Long.SIZE ? argument : argument & ((1L << bits) - 1);
    }

    private static int size(@Nullable String length) {
        if (length == null) {
            return Integer.BYTES;
        }
        return switch (length) {
            case "hh" -> Byte.BYTES;
            case "h" -> Short.BYTES;
            default -> Long.BYTES;
        };
    }

    private static String sign(String flags, String number) {
        if (number.startsWith("-")) {
            return number;
        }
        return flags.contains("+") ? "+" + number : flags.contains(" ") ? " " + number : number;
    }

    /// The number that digits stand for, which a program may write as many of as it likes.
    private static int number(String digits, int most) {
        try {
            return Math.min(Integer.parseInt(digits), most);
        } catch (NumberFormatException e) {
            return most;
        }
    }

    /// At least as many digits as the precision says.
    private static String digits(Matcher found, String number) {
        if (found.group(3) == null) {
            return number;
        }
        boolean negative = number.startsWith("-");
        String digits = negative ? number.substring(1) : number;
        int missing = number(found.group(3), MOST_WIDTH) - digits.length();
        return (negative ? "-" : "") + "0".repeat(Math.max(0, missing)) + digits;
    }

    private static String text(long address, @Nullable String precision, LongUnaryOperator bytes) {
        int most = precision == null ? MOST_TEXT_BYTES : number(precision, MOST_TEXT_BYTES);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < most; i++) {
            int character = (int) bytes.applyAsLong(address + i) & 0xFF;
            if (character == 0) {
                break;
            }
            text.append((char) character);
        }
        return text.toString();
    }

    private static String pad(Matcher found, String text) {
        int width = found.group(2).isEmpty() ? 0 : number(found.group(2), MOST_WIDTH);
        int missing = width - text.length();
        if (missing <= 0) {
            return text;
        }
        String flags = found.group(1);
        if (flags.contains("-")) {
            return text + " ".repeat(missing);
        }
        boolean number = "diuxXo".indexOf(found.group(5).charAt(0)) >= 0;
        if (!flags.contains("0") || !number || found.group(3) != null) {
            return " ".repeat(missing) + text;
        }
        int head = text.startsWith("0x") ? 2 : "+- ".indexOf(text.charAt(0)) >= 0 ? 1 : 0;
        return text.substring(0, head) + "0".repeat(missing) + text.substring(head);
    }
}
