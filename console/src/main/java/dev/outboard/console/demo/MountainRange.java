package dev.outboard.console.demo;

/// One range of mountains: where its crest runs and what its slopes look like. The farther away,
/// the more of the haze's colour.
final class MountainRange {
    private static final Color ROCK = new Color(0.36, 0.33, 0.34);
    private static final Color SNOW = new Color(0.95, 0.94, 0.97);
    private static final Color FOREST = new Color(0.13, 0.19, 0.13);
    private static final Color HAZE = new Color(0.76, 0.72, 0.76);

    /// How a range looks.
    ///
    /// @param foot y of the valley
    /// @param rise how high the crest gets above it
    /// @param scale peaks per unit of width
    /// @param haze 0 near, 1 lost in the haze
    /// @param snow share of the rise that is covered by snow
    /// @param trees height of the trees that roughen the crest
    private record Look(
            int seed,
            double foot,
            double rise,
            double scale,
            double haze,
            double snow,
            double trees) {}

    private final Look look;
    private final Noise noise;
    private final double pixelsPerUnit;
    private final double[] crest;

    private MountainRange(Look look, int width, int height) {
        this.look = look;
        noise = new Noise(look.seed);
        pixelsPerUnit = height;
        crest = new double[width];
        for (int column = 0; column < width; column++) {
            crest[column] = crestAt(column / pixelsPerUnit);
        }
    }

    /// The ranges of the picture, each hiding part of those before it.
    static MountainRange[] fromFarToNear(int width, int height, double horizon) {
        return new MountainRange[] {
            new MountainRange(new Look(5, horizon - 0.03, 0.36, 1.7, 0.60, 0.62, 0), width, height),
            new MountainRange(
                    new Look(41, horizon - 0.02, 0.21, 2.1, 0.42, 0.20, 0), width, height),
            new MountainRange(new Look(73, horizon, 0.115, 2.6, 0.26, 0, 0.004), width, height),
            new MountainRange(
                    new Look(97, horizon + 0.004, 0.055, 1.6, 0.10, 0, 0.014), width, height)
        };
    }

    private double crestAt(double x) {
        double broad = noise.fractal(x * look.scale * 0.6, 3, 2) + 0.55;
        double sharp = noise.ridged(x * look.scale, 0.5, 8);
        double trees = Math.abs(noise.fractal(x * 130, 7, 3)) * 2 * look.trees;
        return look.foot - look.rise * Math.max(0, 0.35 * broad + 0.65 * sharp) - trees;
    }

    /// The colour at x, y when `behind` is what can be seen there without this range.
    Color over(Color behind, double x, double y, double sunX) {
        int column = Math.clamp((int) (x * pixelsPerUnit), 0, crest.length - 1);
        double below = y - crest[column];
        double pixel = 1 / pixelsPerUnit;
        if (below < -pixel) {
            return behind;
        }
        return behind.mix(
                slope(x, y, below, sunX), Math.clamp(0.5 + below / (2 * pixel), 0.0, 1.0));
    }

    /// Height of the slope, on axes that are turned: the noise has a grain along its own.
    private double relief(double x, double y) {
        double scale = look.scale * 8;
        double u = scale * (0.80 * x + 0.75 * y);
        double v = scale * (0.95 * y - 0.60 * x);
        return noise.ridged(u, v, 6);
    }

    private Color slope(double x, double y, double below, double sunX) {
        double here = relief(x, y);
        double towardsSun = Math.clamp(5 * (sunX - x), -1.0, 1.0);
        double light = 0.60 + 9 * (relief(x + 0.002 * towardsSun, y - 0.0012) - here);
        double snowLine = look.snow * look.rise * (0.6 + 0.9 * noise.fractal(x * 14, y * 14, 4));
        double snow = look.snow == 0 ? 0 : Landscape.smooth(0.03, -0.02, below - snowLine);
        double steep = Landscape.smooth(0.30, 0.55, here);
        Color ground = ROCK.mix(FOREST, look.snow == 0 ? 0.85 : 0.15);
        Color color =
                ground.mix(SNOW, snow * (0.35 + 0.65 * steep)).times(Math.clamp(light, 0.12, 1.3));
        double mist = look.haze + 0.35 * Landscape.smooth(0, look.rise, below);
        return color.mix(HAZE, Math.min(1, mist));
    }
}
