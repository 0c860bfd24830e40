package dev.outboard.console.naa;

import dev.outboard.naa.Dialect;
import java.util.Arrays;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Finds a dialect by its name in the requirement catalog.
final class DialectConverter implements ITypeConverter<Dialect> {
    @Override
    public Dialect convert(String text) {
        return Arrays.stream(Dialect.values())
                .filter(dialect -> dialect.toString().equals(text))
                .findAny()
                .orElseThrow(() ->
                        new TypeConversionException(
                                "'"
                                        + text
                                        + "' is not a dialect; there are "
                                        + Arrays.toString(Dialect.values())));
    }
}
