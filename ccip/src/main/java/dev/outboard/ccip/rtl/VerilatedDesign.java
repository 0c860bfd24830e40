package dev.outboard.ccip.rtl;

import dev.outboard.ccip.platform.Profile;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// A design that was compiled: a shared library from which any number of AFUs can be opened.
/// Immutable; [RtlBuild] makes one.
///
/// @param top its top module
/// @param library the shared library
/// @param warnings what Verilator remarked; empty too when the library was there already
/// @param id the AFU_ID of the JSON file, if one was given
/// @param userClockMegahertz the frequency of uClk_usr
/// @param userClockDiv2Megahertz the frequency of uClk_usrDiv2, if it is not half of uClk_usr
public record VerilatedDesign(
        String top,
        Path library,
        List<CompilerMessage> warnings,
        Optional<UUID> id,
        double userClockMegahertz,
        Optional<Double> userClockDiv2Megahertz) {
    public VerilatedDesign {
        warnings = List.copyOf(warnings);
    }

    /// An AFU in reset, whose registers and memories hold at first what follows from the seed.
    ///
    /// @param profile the platform whose pClk it gets
    /// @param seed decides the phase of the user clocks, too
    /// @throws RtlException if the library cannot be loaded, or the design ends itself at once
    public VerilatedAfu open(Profile profile, long seed) {
        return open(profile, seed, InitialValues.random(seed));
    }

    /// An AFU in reset.
    ///
    /// @param profile the platform whose pClk it gets
    /// @param seed decides the phase of the user clocks
    /// @param values what registers and memories hold at first
    /// @throws RtlException if the library cannot be loaded, or the design ends itself at once
    public VerilatedAfu open(Profile profile, long seed, InitialValues values) {
        return new VerilatedAfu(this, profile, seed, values);
    }
}
