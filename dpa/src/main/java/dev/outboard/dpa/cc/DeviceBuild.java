package dev.outboard.dpa.cc;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/// How a device program is built.
///
/// @param keep the directory for what is made on the way: headers, objects, the executable; empty
///   for one that goes afterwards
/// @param isDry whether nothing is compiled and linked: only told
/// @param commands is told each command before it runs
/// @param warnings is told what compiler and linker say of sources that they accept
public record DeviceBuild(
        Optional<Path> keep, boolean isDry, Consumer<String> commands, Consumer<String> warnings) {
    /// Keeps and tells nothing.
    public static final DeviceBuild QUIET =
            new DeviceBuild(Optional.empty(), false, _ -> {}, _ -> {});
}
