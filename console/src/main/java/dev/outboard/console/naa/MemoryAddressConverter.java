package dev.outboard.console.naa;

import dev.outboard.naa.RegionSpec;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Reads an address in a node's memory from the command line: `0x1000` or `4096`.
final class MemoryAddressConverter implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
        long address;
        try {
            address = Long.decode(text);
        } catch (NumberFormatException _) {
            throw new TypeConversionException(
                    "'" + text + "' is not an NAA address; write for example 0x1000 or 4096");
        }
        if (address < 0 || address > RegionSpec.MAX_NAA_ADDRESS) {
            throw new TypeConversionException(
                    "NAA address %s does not fit 56 bits; valid: 0 to 0x%x"
                            .formatted(text, RegionSpec.MAX_NAA_ADDRESS));
        }
        return address;
    }
}
