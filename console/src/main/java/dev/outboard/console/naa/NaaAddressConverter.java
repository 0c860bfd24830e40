package dev.outboard.console.naa;

import dev.outboard.naa.client.NaaAddress;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Reads where a node listens from the command line.
final class NaaAddressConverter implements ITypeConverter<NaaAddress> {
    @Override
    public NaaAddress convert(String text) {
        try {
            return NaaAddress.parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
