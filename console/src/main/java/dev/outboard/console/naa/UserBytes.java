package dev.outboard.console.naa;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// The three bytes that a routine gets along with its function code, as users write them:
/// `1,0,0xff`.
record UserBytes(byte first, byte second, byte third) {
    /// For options of this type.
    static final class Converter implements ITypeConverter<UserBytes> {
        @Override
        public UserBytes convert(String text) {
            String[] words = text.split(",", -1);
            if (words.length != 3) {
                throw unreadable(text);
            }
            return new UserBytes(
                    number(words[0], text), number(words[1], text), number(words[2], text));
        }

        private static byte number(String word, String text) {
            int number;
            try {
                number = Integer.decode(word.strip());
            } catch (NumberFormatException _) {
                throw unreadable(text);
            }
            if (number < 0 || number > 0xff) {
                throw unreadable(text);
            }
            return (byte) number;
        }

        private static TypeConversionException unreadable(String text) {
            return new TypeConversionException(
                    "'"
                            + text
                            + "' is not three bytes; write each as 0 to 255 or 0x00 to 0xff, for"
                            + " example 1,0,0xff");
        }
    }
}
