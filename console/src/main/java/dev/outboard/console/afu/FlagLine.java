package dev.outboard.console.afu;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// A line of a buffer by which an AFU announces data, in the command line: `destination:7`.
///
/// @param source whether it lies in the buffer that the AFU reads, else in the one that it writes
/// @param line which line of it, from 0
record FlagLine(boolean source, int line) {
    /// Reads one.
    static final class Converter implements ITypeConverter<FlagLine> {
        @Override
        public FlagLine convert(String word) {
            if (word.matches("(?i)(source|destination):\\d{1,8}")) {
                int colon = word.indexOf(':');
                boolean source = word.substring(0, colon).equalsIgnoreCase("source");
                return new FlagLine(source, Integer.parseInt(word.substring(colon + 1)));
            }
            throw new TypeConversionException(
                    "'" + word + "' is no line of a buffer such as source:0 or destination:7");
        }
    }
}
