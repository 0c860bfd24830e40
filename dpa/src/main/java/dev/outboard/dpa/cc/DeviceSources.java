package dev.outboard.dpa.cc;

import java.nio.file.Path;
import java.util.List;

/// What a device program in C is made of.
///
/// @param files its sources, `.c`; any other file is an object or an archive of objects for the
///   device, and is linked
/// @param includes where headers of its own are
/// @param options for the compiler, after ours: `-O0`, `-DNAME=1`
/// @param libraries for the linker: `-Ldirectory`, `-lname`
public record DeviceSources(
        List<Path> files, List<Path> includes, List<String> options, List<String> libraries) {
    /// Copies the lists.
    public DeviceSources {
        files = List.copyOf(files);
        includes = List.copyOf(includes);
        options = List.copyOf(options);
        libraries = List.copyOf(libraries);
    }

    /// Sources without libraries.
    public DeviceSources(List<Path> files, List<Path> includes, List<String> options) {
        this(files, includes, options, List.of());
    }

    /// Sources without anything else.
    public static DeviceSources of(Path... files) {
        return new DeviceSources(List.of(files), List.of(), List.of());
    }
}
