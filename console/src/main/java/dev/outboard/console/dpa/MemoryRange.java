package dev.outboard.console.dpa;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Bytes of the memory of a process.
record MemoryRange(long address, int lengthBytes) {
    static final int DEFAULT_BYTES = 64;

    /// Reads `ADDRESS` or `ADDRESS,LENGTH`, each in decimal or with 0x before it.
    static final class Converter implements ITypeConverter<MemoryRange> {
        @Override
        public MemoryRange convert(String word) {
            String[] parts = word.split(",", -1);
            try {
                long address = Long.decode(parts[0]);
                int lengthBytes = parts.length == 1 ? DEFAULT_BYTES : Integer.decode(parts[1]);
                if (parts.length <= 2 && address >= 0 && lengthBytes > 0) {
                    return new MemoryRange(address, lengthBytes);
                }
            } catch (NumberFormatException e) {
                // No number.
            }
            throw new TypeConversionException(
                    "'%s' is no range of memory; valid is an address, or an address and a length of at least 1, as in 0x100000000,64"
                            .formatted(word));
        }
    }
}
