package dev.outboard.console.demo;

import dev.outboard.node.routine.EdgeDetection;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Width and height of a picture, as users write them: `4032x3024`.
record ImageSize(int width, int height) {
    /// Three bytes per pixel have to fit the largest Java array.
    private static final long MAX_PIXELS = 1L << 29;

    private static final Pattern WRITTEN = Pattern.compile("([1-9]\\d{0,5})x([1-9]\\d{0,5})");

    /// Whether the demonstration can handle a picture of this size.
    boolean isSupported() {
        return width <= EdgeDetection.MAX_SIDE
                && height <= EdgeDetection.MAX_SIDE
                && pixels() <= MAX_PIXELS;
    }

    long pixels() {
        return (long) width * height;
    }

    @Override
    public String toString() {
        return width + "x" + height;
    }

    /// For options of this type.
    static final class Converter implements ITypeConverter<ImageSize> {
        @Override
        public ImageSize convert(String text) {
            Matcher matcher = WRITTEN.matcher(text);
            if (matcher.matches()) {
                ImageSize size =
                        new ImageSize(
                                Integer.parseInt(matcher.group(1)),
                                Integer.parseInt(matcher.group(2)));
                if (size.isSupported()) {
                    return size;
                }
            }
            throw new TypeConversionException(
                    "'" + text + "' is not a size; write WxH, up to 65536 and 512 megapixels");
        }
    }
}
