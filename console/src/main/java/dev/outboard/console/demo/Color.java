package dev.outboard.console.demo;

/// A colour of light; components may exceed 1 until [#toBytes] cuts them.
record Color(double red, double green, double blue) {
    Color plus(Color other, double weight) {
        return new Color(
                red + weight * other.red, green + weight * other.green, blue + weight * other.blue);
    }

    Color times(double factor) {
        return new Color(red * factor, green * factor, blue * factor);
    }

    /// This colour at weight 0, the other at weight 1.
    Color mix(Color other, double weight) {
        return times(1 - weight).plus(other, weight);
    }

    /// Writes red, green and blue.
    void toBytes(byte[] target, int at) {
        target[at] = toByte(red);
        target[at + 1] = toByte(green);
        target[at + 2] = toByte(blue);
    }

    private static byte toByte(double component) {
        return (byte) Math.clamp(Math.round(component * 255), 0, 255);
    }
}
