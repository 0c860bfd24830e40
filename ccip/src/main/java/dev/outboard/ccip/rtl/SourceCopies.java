package dev.outboard.ccip.rtl;

import dev.outboard.ccip.rtl.RtlException.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The files of a design as the compiler is to see them: those that it takes as they are stay where
/// they are, of those with a [Patch], an [unsized number][UnsizedNumbers] or a [member of an
/// interface][InterfaceMembers] it gets a copy that says where it is from. Sources and the files
/// they include are treated alike.
final class SourceCopies {
    private static final String NAMES = ".*\\.(sv|svh|v|vh|h|inc|svi|vi)";

    private final RtlDesign design;
    private final Path work;
    private final List<Patch> patches;
    private final UnsizedNumbers numbers = new UnsizedNumbers();
    private final InterfaceMembers members = new InterfaceMembers();

    /// What the compiler is given.
    ///
    /// @param sources in their order
    /// @param directories where it looks for included files and modules, the first first
    record View(List<Path> sources, List<Path> directories) {}

    SourceCopies(RtlDesign design, Path work) throws IOException {
        this.design = design;
        this.work = work;
        patches = design.patches().map(Patch::read).orElse(List.of());
        Set<String> names =
                files(design).stream()
                        .map(file -> file.getFileName().toString())
                        .collect(Collectors.toSet());
        for (Patch patch : patches) {
            if (!names.contains(patch.file())) {
                throw new RtlException(
                        Reason.INPUT,
                        design.patches().orElseThrow()
                                + ": there is no file "
                                + patch.file()
                                + " among the sources and beside them");
            }
        }
    }

    /// Where a design's included files and modules are: beside its sources, and where it says.
    static Set<Path> directories(RtlDesign design) {
        Set<Path> directories = new LinkedHashSet<>();
        design.sources().forEach(file -> directories.add(file.toAbsolutePath().getParent()));
        design.includes().forEach(directory -> directories.add(directory.toAbsolutePath()));
        return directories;
    }

    /// Every file that the compiler may read: sources, and what lies in the directories.
    static Set<Path> files(RtlDesign design) throws IOException {
        Set<Path> files = new LinkedHashSet<>();
        design.sources().forEach(source -> files.add(source.toAbsolutePath()));
        for (Path directory : directories(design)) {
            files.addAll(files(directory));
        }
        return files;
    }

    private static List<Path> files(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            throw new RtlException(
                    Reason.INPUT, directory + " is no directory to include files from");
        }
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.filter(file -> file.toString().matches(NAMES))
                    .filter(Files::isRegularFile)
                    .sorted()
                    .toList();
        }
    }

    /// Takes in what the compiler refused.
    ///
    /// @return whether the next view is another
    boolean learn(String output) throws IOException {
        boolean learned = numbers.learn(output);
        if (InterfaceMembers.isIn(output)) {
            List<String> texts = files(design).stream().map(RtlDesign::read).toList();
            learned |= members.learn(output, texts);
        }
        return learned;
    }

    /// The files as they are to be seen now.
    View view() throws IOException {
        Path copies = Files.createTempDirectory(work, "copies-");
        List<Path> sources = new ArrayList<>();
        for (Path source : design.sources()) {
            Path place = copies.resolve("source-" + sources.size());
            sources.add(seen(source.toAbsolutePath(), place));
        }
        List<Path> directories = new ArrayList<>();
        for (Path directory : directories(design)) {
            Path place = copies.resolve("include-" + directories.size());
            for (Path file : files(directory)) {
                seen(file, place);
            }
            if (Files.exists(place)) {
                directories.add(place);
            }
            directories.add(directory);
        }
        return new View(sources, directories);
    }

    /// The file itself, or a copy in a place that is made for it.
    private Path seen(Path file, Path place) throws IOException {
        String name = file.getFileName().toString();
        String original = RtlDesign.read(file);
        String text = original;
        for (Patch patch : patches) {
            text = patch.file().equals(name) ? patch.applyTo(file, text) : text;
        }
        text = members.typedIn(numbers.sizedIn(text));
        if (text.equals(original)) {
            return file;
        }
        Path copy = Files.createDirectories(place).resolve(name);
        String origin = "`line 1 \"" + file + "\" 0\n";
        return Files.writeString(copy, origin + text, StandardCharsets.ISO_8859_1);
    }
}
