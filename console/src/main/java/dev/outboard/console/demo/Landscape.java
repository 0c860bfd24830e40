package dev.outboard.console.demo;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/// Paints a picture that looks like a photograph, the same whenever the size is: an evening sky
/// with a low sun, mountain ranges in the haze, a lake that mirrors them, a shore.
///
/// Coordinates: y runs from 0 at the top to 1 at the bottom, x from 0 at the left in the same unit.
final class Landscape {
    private static final double HORIZON = 0.60;
    private static final double SHORE = 0.90;
    private static final double SUN_Y = 0.33;
    private static final double SUN_RADIUS = 0.018;

    private static final Color ZENITH = new Color(0.20, 0.34, 0.60);
    private static final Color LOW_SKY = new Color(0.97, 0.80, 0.62);
    private static final Color SUNLIGHT = new Color(1.0, 0.88, 0.66);
    private static final Color CLOUD_LIGHT = new Color(0.99, 0.91, 0.84);
    private static final Color CLOUD_SHADE = new Color(0.58, 0.58, 0.66);
    private static final Color WATER = new Color(0.07, 0.17, 0.24);
    private static final Color SOIL = new Color(0.10, 0.09, 0.07);
    private static final Color GRASS = new Color(0.34, 0.33, 0.14);

    private final int width;
    private final int height;
    private final double sunX;
    private final MountainRange[] ranges;
    private final Noise clouds = new Noise(11);
    private final Noise ripples = new Noise(37);
    private final Noise ground = new Noise(71);
    private final Noise film = new Noise(53);

    private Landscape(int width, int height) {
        this.width = width;
        this.height = height;
        sunX = 0.68 * width / height;
        ranges = MountainRange.fromFarToNear(width, height, HORIZON);
    }

    /// Paints into `rgb`, three bytes per pixel, row by row from the top.
    ///
    /// @param rowsDone hears how many rows are done, from any thread
    static void paint(int width, int height, MemorySegment rgb, IntConsumer rowsDone) {
        Landscape landscape = new Landscape(width, height);
        AtomicInteger done = new AtomicInteger();
        IntStream.range(0, height)
                .parallel()
                .forEach(row -> {
                    byte[] bytes = landscape.row(row);
                    MemorySegment.copy(
                            bytes,
                            0,
                            rgb,
                            ValueLayout.JAVA_BYTE,
                            (long) row * bytes.length,
                            bytes.length);
                    rowsDone.accept(done.incrementAndGet());
                });
    }

    private byte[] row(int row) {
        byte[] bytes = new byte[3 * width];
        double y = (row + 0.5) / height;
        for (int column = 0; column < width; column++) {
            double x = (column + 0.5) / height;
            Color color = shoreOr(lakeOrAbove(x, y), x, y);
            double grain = 0.010 * (film.grain(column, row) - 0.5);
            color.times(vignette(x, y)).plus(SUNLIGHT, grain).toBytes(bytes, 3 * column);
        }
        return bytes;
    }

    private double vignette(double x, double y) {
        double dx = x * height / width - 0.5;
        double dy = y - 0.5;
        return 1.04 - 0.55 * (dx * dx + dy * dy);
    }

    private Color lakeOrAbove(double x, double y) {
        return y < HORIZON ? above(x, y) : lake(x, y);
    }

    private Color above(double x, double y) {
        Color color = sky(x, y);
        for (MountainRange range : ranges) {
            color = range.over(color, x, y, sunX);
        }
        return color;
    }

    private Color sky(double x, double y) {
        double low = smooth(0, HORIZON, y);
        Color color = ZENITH.mix(LOW_SKY, low);
        double dx = x - sunX;
        double dy = y - SUN_Y;
        double distance = Math.sqrt(dx * dx + dy * dy);
        double glow = 1 / (1 + 60 * distance * distance);
        color = cloudsOver(color.plus(SUNLIGHT, 0.42 * glow), x, y, glow);
        double disc = 1 - smooth(SUN_RADIUS, SUN_RADIUS * 1.25, distance);
        double halo = 0.45 / (1 + 1500 * distance * distance);
        return color.plus(SUNLIGHT, 1.2 * disc + halo);
    }

    /// Streaks that get flatter towards the horizon, thick where the noise is high.
    private Color cloudsOver(Color sky, double x, double y, double glow) {
        double distance = 0.35 / (HORIZON + 0.12 - y);
        double u = x * distance * 2.2;
        double v = distance * 5;
        double warp = clouds.fractal(u * 0.7 + 9, v * 0.7, 3);
        double density = clouds.fractal(u + warp, v * 1.2 + 0.6 * warp, 6) + 0.10;
        double cover = smooth(0.02, 0.42, density) * smooth(HORIZON, HORIZON - 0.30, y);
        double thickness = smooth(0.15, 0.6, density);
        Color cloud = CLOUD_LIGHT.mix(CLOUD_SHADE, 0.75 * thickness).plus(SUNLIGHT, 0.25 * glow);
        return sky.mix(cloud, 0.9 * cover);
    }

    /// Mirrors what is above, shaken by ripples that look larger the nearer they are.
    private Color lake(double x, double y) {
        double near = (y - HORIZON) / (1 - HORIZON);
        double depth = 0.06 / (0.02 + near);
        double wave = ripples.fractal(x * (3 + 22 * depth), 60 * depth, 4);
        double mirrored = 2 * HORIZON - y + 0.16 * near * wave;
        Color reflection =
                above(x + 0.05 * near * wave, Math.clamp(mirrored, 0.0, HORIZON - 0.001));
        double dark = 0.30 + 0.35 * near;
        Color color = reflection.mix(WATER, dark);
        double path = Math.exp(-square((x - sunX) / (0.03 + 0.12 * near)));
        double glitter = smooth(0.10, 0.32, wave) * path;
        return color.plus(SUNLIGHT, 0.8 * glitter * (1 - 0.5 * near));
    }

    /// Earth and grass in front, with an uneven edge.
    private Color shoreOr(Color behind, double x, double y) {
        double edge = SHORE + 0.05 * ground.fractal(x * 3, 1, 5) - 0.06 * square(x - 0.2);
        double blades = 0.035 * Math.max(0, ground.fractal(x * 160, y * 9, 2));
        double land = smooth(-0.0015, 0.0015, y - edge + blades);
        if (land == 0) {
            return behind;
        }
        double inside = smooth(0, 0.09, y - edge);
        double texture = 0.5 + ground.fractal(x * 90, y * 36, 5);
        double patches = smooth(-0.15, 0.25, ground.fractal(x * 7, y * 18, 3));
        Color color = SOIL.mix(GRASS, patches * texture).times(0.55 + 0.75 * texture);
        return behind.mix(color.times(1.05 - 0.35 * inside), land);
    }

    /// 0 below `from`, 1 above `to`, smooth between; falling if `to` is less than `from`.
    static double smooth(double from, double to, double value) {
        double t = Math.clamp((value - from) / (to - from), 0.0, 1.0);
        return t * t * (3 - 2 * t);
    }

    private static double square(double value) {
        return value * value;
    }
}
