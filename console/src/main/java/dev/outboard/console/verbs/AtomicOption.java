package dev.outboard.console.verbs;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/// The option of the tools that measure atomic operations.
final class AtomicOption {
    /// Bytes of an atomic operation.
    static final int BYTES = 8;

    @Option(
            names = {"-A", "--atomic_type"},
            paramLabel = "TYPE",
            converter = Converter.class,
            defaultValue = "FETCH_AND_ADD",
            description = "FETCH_AND_ADD (default) or CMP_AND_SWAP.")
    private PerftestOperation operation;

    PerftestOperation operation() {
        return operation;
    }

    /// Reads the words of the original.
    private static final class Converter implements ITypeConverter<PerftestOperation> {
        @Override
        public PerftestOperation convert(String word) {
            return switch (word) {
                case "FETCH_AND_ADD" -> PerftestOperation.FETCH_AND_ADD;
                case "CMP_AND_SWAP" -> PerftestOperation.COMPARE_AND_SWAP;
                default ->
                        throw new TypeConversionException(
                                "'" + word + "' is not FETCH_AND_ADD or CMP_AND_SWAP");
            };
        }
    }
}
