package dev.outboard.console.afu;

import dev.outboard.ccip.rtl.InitialValues;
import java.util.OptionalLong;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// What `--init` says.
///
/// @param zero whether registers hold zero at first
/// @param seed else what their values follow from, if not from that of the run
record InitOption(boolean zero, OptionalLong seed) {
    InitialValues values(long runSeed) {
        return zero ? InitialValues.ZERO : InitialValues.random(seed.orElse(runSeed));
    }

    /// Reads `zero`, `random` or a number.
    static final class Converter implements ITypeConverter<InitOption> {
        @Override
        public InitOption convert(String word) {
            if (word.equals("zero") || word.equals("random")) {
                return new InitOption(word.equals("zero"), OptionalLong.empty());
            }
            try {
                return new InitOption(false, OptionalLong.of(Long.parseLong(word)));
            } catch (NumberFormatException _) {
                throw new TypeConversionException(
                        "'" + word + "'; valid are zero, random, and a number as a seed");
            }
        }
    }
}
