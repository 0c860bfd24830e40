package dev.outboard.console.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.terminal.CommandException;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageFileTest {
    @TempDir private Path directory;

    @Test
    void writesColoursThatItReadsBack() throws IOException {
        Path file = directory.resolve("colours.png");
        MemorySegment rgb = segment(255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30, 1, 2, 3, 7, 7, 7);

        ImageFile.write(file, 3, 2, 3, rgb);

        BufferedImage image = ImageFile.read(file);
        MemorySegment read = Arena.ofAuto().allocate(18);
        ImageFile.copyPixels(image, read);
        assertThat(image.getWidth()).isEqualTo(3);
        assertThat(image.getHeight()).isEqualTo(2);
        assertThat(read.mismatch(rgb)).isEqualTo(-1);
    }

    @Test
    void writesGrayExactly() throws IOException {
        Path file = directory.resolve("gray.png");

        ImageFile.write(file, 2, 2, 1, segment(0, 1, 128, 255));

        byte[] samples = new byte[4];
        ImageFile.read(file).getRaster().getDataElements(0, 0, 2, 2, samples);
        assertThat(samples).containsExactly(0, 1, 128, 255);
    }

    @Test
    void refusesWhatIsNoPicture() throws IOException {
        Path file = Files.writeString(directory.resolve("letter.txt"), "Dear Sir");

        assertThatThrownBy(() -> ImageFile.read(file))
                .isInstanceOf(CommandException.class)
                .hasMessage(file + " is not a picture; PNG, JPEG, GIF and BMP are");
        assertThatThrownBy(() -> ImageFile.read(directory.resolve("missing.png")))
                .isInstanceOf(NoSuchFileException.class);
    }

    private static MemorySegment segment(int... samples) {
        MemorySegment segment = Arena.ofAuto().allocate(samples.length);
        for (int i = 0; i < samples.length; i++) {
            segment.set(ValueLayout.JAVA_BYTE, i, (byte) samples[i]);
        }
        return segment;
    }
}
