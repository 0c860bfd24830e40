package dev.outboard.dpa.machine;

import dev.outboard.dpacc.DpaApp;

/// DPA-HW-10: what every process of a program starts from. Code and constants begin at
/// [AddressMap#CODE], globals at [AddressMap#GLOBALS]: first the data, then zeros (bss).
///
/// DPA-HW-8: the device does not write code and constants.
///
/// @param code code and constants
/// @param data initial values of globals
/// @param zeroBytes how many bytes of globals follow that start as zero
@SuppressWarnings("ArrayRecordComponent") // Copied on the way in and into memory on the way out.
public record ProgramImage(byte[] code, byte[] data, int zeroBytes) {

    /// A program without constants and globals.
    public static final ProgramImage EMPTY = globals(0);

    /// Copies the arrays.
    public ProgramImage {
        if (zeroBytes < 0) {
            throw new IllegalArgumentException(
                    "The number of zero bytes is 0 or more, not " + zeroBytes);
        }
        code = code.clone();
        data = data.clone();
    }

    /// What processes of an app start from.
    public static ProgramImage of(DpaApp<?> app) {
        return app.image()
                .map(image -> new ProgramImage(image.code(), image.data(), image.zeroBytes()))
                .orElseGet(() -> globals(app.globalBytes()));
    }

    /// A program with nothing but globals, which start as zero.
    public static ProgramImage globals(int bytes) {
        return new ProgramImage(new byte[0], new byte[0], bytes);
    }
}
