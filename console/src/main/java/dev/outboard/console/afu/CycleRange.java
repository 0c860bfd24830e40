package dev.outboard.console.afu;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Cycles in the command line: `FROM-TO`, both included.
record CycleRange(long from, long to) {
    /// Reads one.
    static final class Converter implements ITypeConverter<CycleRange> {
        @Override
        public CycleRange convert(String word) {
            if (word.matches("\\d{1,15}-\\d{1,15}")) {
                int dash = word.indexOf('-');
                long from = Long.parseLong(word.substring(0, dash));
                long to = Long.parseLong(word.substring(dash + 1));
                if (from <= to) {
                    return new CycleRange(from, to);
                }
            }
            throw new TypeConversionException(
                    "'" + word + "' is no range of cycles such as 300-450");
        }
    }
}
