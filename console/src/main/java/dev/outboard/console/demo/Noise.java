package dev.outboard.console.demo;

/// Gradient noise on the plane after Ken Perlin: smooth, without direction, the same on every
/// machine. Values lie between -1 and 1.
final class Noise {
    private static final double[] DIRECTION_X = {1, -1, 1, -1, 1.4142, -1.4142, 0, 0};
    private static final double[] DIRECTION_Y = {1, 1, -1, -1, 0, 0, 1.4142, -1.4142};

    private final int seed;

    Noise(int seed) {
        this.seed = seed;
    }

    double at(double x, double y) {
        double floorX = Math.floor(x);
        double floorY = Math.floor(y);
        int cellX = (int) floorX;
        int cellY = (int) floorY;
        double dx = x - floorX;
        double dy = y - floorY;
        double weightX = fade(dx);
        double top =
                mix(corner(cellX, cellY, dx, dy), corner(cellX + 1, cellY, dx - 1, dy), weightX);
        double bottom =
                mix(
                        corner(cellX, cellY + 1, dx, dy - 1),
                        corner(cellX + 1, cellY + 1, dx - 1, dy - 1),
                        weightX);
        return mix(top, bottom, fade(dy));
    }

    /// Sum of octaves, each twice as fine and half as strong as the one before.
    double fractal(double x, double y, int octaves) {
        double sum = 0;
        double strength = 0.5;
        double scale = 1;
        for (int i = 0; i < octaves; i++) {
            sum += strength * at(x * scale, y * scale + 17.3 * i);
            strength /= 2;
            scale *= 2;
        }
        return sum;
    }

    /// Like [#fractal] with sharp crests: mountains. Values lie between 0 and 1.
    double ridged(double x, double y, int octaves) {
        double sum = 0;
        double strength = 0.5;
        double scale = 1;
        double weight = 1;
        for (int i = 0; i < octaves; i++) {
            double crest = 1 - Math.abs(at(x * scale, y * scale + 31.7 * i));
            crest *= crest * weight;
            sum += strength * crest;
            weight = Math.clamp(2 * crest, 0.0, 1.0);
            strength /= 2;
            scale *= 2;
        }
        return sum;
    }

    /// A number from 0 to 1 for a pixel, unrelated to its neighbours'.
    double grain(int x, int y) {
        return (hash(x, y) >>> 8) / (double) (1 << 24);
    }

    private double corner(int x, int y, double dx, double dy) {
        int direction = hash(x, y) >>> 29;
        return DIRECTION_X[direction] * dx + DIRECTION_Y[direction] * dy;
    }

    private int hash(int x, int y) {
        int h = seed ^ x * 0x9e37_79b1 ^ y * 0x85eb_ca77;
        h = (h ^ h >>> 15) * 0x2c1b_3c6d;
        h = (h ^ h >>> 12) * 0x297a_2d39;
        return h ^ h >>> 15;
    }

    private static double fade(double t) {
        return t * t * t * (t * (t * 6 - 15) + 10);
    }

    private static double mix(double a, double b, double weight) {
        return a + weight * (b - a);
    }
}
