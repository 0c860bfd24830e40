package dev.outboard.console.naa;

import dev.outboard.terminal.ByteSize;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// A region to be returned and the file it is written to, as users write it: `4KiB:result.bin`.
record OutputFile(ByteSize size, Path file) {
    /// Reads what a user wrote in the command line.
    ///
    /// @throws TypeConversionException if it is not a size and a file
    private static OutputFile parse(String text) {
        int colon = text.indexOf(':');
        if (colon < 0 || colon == text.length() - 1) {
            throw new TypeConversionException(
                    "'" + text + "' is not SIZE:FILE; write for example 4KiB:result.bin");
        }
        ByteSize size = ByteSize.parse(text.substring(0, colon));
        return new OutputFile(size, Path.of(text.substring(colon + 1)));
    }

    /// For options of this type.
    static final class Converter implements ITypeConverter<OutputFile> {
        @Override
        public OutputFile convert(String text) {
            return parse(text);
        }
    }
}
