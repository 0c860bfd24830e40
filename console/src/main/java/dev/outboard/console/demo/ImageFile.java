package dev.outboard.console.demo;

import dev.outboard.terminal.CommandException;
import java.awt.Transparency;
import java.awt.color.ColorSpace;
import java.awt.image.BufferedImage;
import java.awt.image.ColorModel;
import java.awt.image.ComponentColorModel;
import java.awt.image.DataBuffer;
import java.awt.image.DataBufferByte;
import java.awt.image.Raster;
import java.awt.image.WritableRaster;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;

/// Image files on disk.
final class ImageFile {
    private ImageFile() {}

    /// Reads a picture, PNG or JPEG among others.
    ///
    /// @throws CommandException if the file holds no picture
    static BufferedImage read(Path file) throws IOException {
        if (!Files.exists(file)) {
            throw new NoSuchFileException(file.toString());
        }
        BufferedImage image = ImageIO.read(file.toFile());
        if (image == null) {
            throw new CommandException(file + " is not a picture; PNG, JPEG, GIF and BMP are");
        }
        return image;
    }

    /// Copies the pixels as red, green, blue, row by row; transparency is ignored.
    static void copyPixels(BufferedImage image, MemorySegment rgb) {
        int width = image.getWidth();
        int[] pixels = new int[width];
        byte[] bytes = new byte[3 * width];
        for (int y = 0; y < image.getHeight(); y++) {
            image.getRGB(0, y, width, 1, pixels, 0, width);
            for (int x = 0; x < width; x++) {
                bytes[3 * x] = (byte) (pixels[x] >> 16);
                bytes[3 * x + 1] = (byte) (pixels[x] >> 8);
                bytes[3 * x + 2] = (byte) pixels[x];
            }
            MemorySegment.copy(
                    bytes, 0, rgb, ValueLayout.JAVA_BYTE, (long) y * bytes.length, bytes.length);
        }
    }

    /// Writes a PNG of 8-bit samples: one channel is gray, three are red, green and blue.
    static void write(Path file, int width, int height, int channels, MemorySegment samples)
            throws IOException {
        byte[] bytes = samples.toArray(ValueLayout.JAVA_BYTE);
        WritableRaster raster =
                Raster.createInterleavedRaster(
                        new DataBufferByte(bytes, bytes.length),
                        width,
                        height,
                        width * channels,
                        channels,
                        IntStream.range(0, channels).toArray(),
                        null);
        int space = channels == 1 ? ColorSpace.CS_GRAY : ColorSpace.CS_sRGB;
        ColorModel model =
                new ComponentColorModel(
                        ColorSpace.getInstance(space),
                        false,
                        false,
                        Transparency.OPAQUE,
                        DataBuffer.TYPE_BYTE);
        ImageIO.write(new BufferedImage(model, raster, false, null), "png", file.toFile());
    }
}
