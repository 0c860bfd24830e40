package dev.outboard.console.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LandscapeTest {
    private static final int WIDTH = 240;
    private static final int HEIGHT = 180;

    @Test
    void paintsTheSamePictureEveryTime() {
        assertThat(paint().mismatch(paint())).isEqualTo(-1);
    }

    @Test
    void hasABlueSkyASunAndADarkShore() {
        MemorySegment rgb = paint();

        assertThat(mean(rgb, 0, 15, 2)).isGreaterThan(mean(rgb, 0, 15, 0));
        assertThat(mean(rgb, HEIGHT - 15, HEIGHT, 0)).isLessThan(mean(rgb, 0, 15, 2) / 2);
        int sunColumn = (int) (0.68 * WIDTH);
        assertThat(sample(rgb, sunColumn, (int) (0.33 * HEIGHT), 0)).isGreaterThan(240);
    }

    @Test
    void tellsEveryRow() {
        AtomicInteger most = new AtomicInteger();

        Landscape.paint(WIDTH, HEIGHT, blank(), rows -> most.accumulateAndGet(rows, Math::max));

        assertThat(most).hasValue(HEIGHT);
    }

    private static MemorySegment paint() {
        MemorySegment rgb = blank();
        Landscape.paint(WIDTH, HEIGHT, rgb, _ -> {});
        return rgb;
    }

    private static MemorySegment blank() {
        return Arena.ofAuto().allocate(3L * WIDTH * HEIGHT);
    }

    private static double mean(MemorySegment rgb, int fromRow, int toRow, int channel) {
        long sum = 0;
        for (int y = fromRow; y < toRow; y++) {
            for (int x = 0; x < WIDTH; x++) {
                sum += sample(rgb, x, y, channel);
            }
        }
        return (double) sum / ((toRow - fromRow) * WIDTH);
    }

    private static int sample(MemorySegment rgb, int x, int y, int channel) {
        return rgb.get(ValueLayout.JAVA_BYTE, 3L * (y * WIDTH + x) + channel) & 0xff;
    }
}
