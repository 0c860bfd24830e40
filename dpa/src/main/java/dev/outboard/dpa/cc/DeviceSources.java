package dev.outboard.dpa.cc;

import java.nio.file.Path;
import java.util.List;

/// What a device program in C is made of.
///
/// @param files its sources
/// @param includes where headers of its own are
/// @param options for the compiler, after ours: `-O0`, `-DNAME=1`
public record DeviceSources(List<Path> files, List<Path> includes, List<String> options) {
    /// Copies the lists.
    public DeviceSources {
        files = List.copyOf(files);
        includes = List.copyOf(includes);
        options = List.copyOf(options);
    }

    /// Sources without anything else.
    public static DeviceSources of(Path... files) {
        return new DeviceSources(List.of(files), List.of(), List.of());
    }
}
