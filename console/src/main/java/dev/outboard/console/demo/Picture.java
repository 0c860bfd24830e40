package dev.outboard.console.demo;

import dev.outboard.terminal.CommandException;
import dev.outboard.terminal.Progress;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// The picture whose edges are wanted.
///
/// @param rgb red, green and blue of every pixel, row by row
record Picture(ImageSize size, MemorySegment rgb) {
    static final int CHANNELS = 3;
    private static final long PAGE_BYTES = 4096;

    /// Reads the user's own.
    ///
    /// @throws CommandException if it is none, or too large
    static Picture read(Path file, Arena arena) throws IOException {
        BufferedImage image = ImageFile.read(file);
        ImageSize size = new ImageSize(image.getWidth(), image.getHeight());
        if (!size.isSupported()) {
            throw new CommandException(
                    file + " has " + size + " pixels; the demo takes up to 512 megapixels");
        }
        Picture picture = blank(size, arena);
        ImageFile.copyPixels(image, picture.rgb);
        return picture;
    }

    /// Paints one, showing progress on `out`.
    static Picture paint(ImageSize size, Arena arena, PrintWriter out) {
        Picture picture = blank(size, arena);
        try (Progress progress = Progress.of("paint", size.height(), out)) {
            Landscape.paint(
                    size.width(),
                    size.height(),
                    picture.rgb,
                    rows -> {
                        synchronized (progress) {
                            progress.update(rows);
                        }
                    });
        }
        return picture;
    }

    private static Picture blank(ImageSize size, Arena arena) {
        return new Picture(size, arena.allocate(CHANNELS * size.pixels(), PAGE_BYTES));
    }
}
