package dev.outboard.console.spec;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The source tree that is reported on: its modules, and the files that their test results rest on.
record SourceTree(Path root) {
    static final String OUT_OF_SCOPE = "spec/out-of-scope.tsv";

    private static final Pattern DEPENDENCY =
            Pattern.compile(
                    "<groupId>dev\\.outboard</groupId>\\s*<artifactId>([\\w-]+)</artifactId>");

    /// The launcher names it; without the launcher the current directory has to be in one.
    static SourceTree find() throws IOException {
        Path start = Path.of(System.getProperty("outboard.home", "")).toAbsolutePath();
        for (Path at = start; at != null; at = at.getParent()) {
            if (Files.isRegularFile(at.resolve(OUT_OF_SCOPE))) {
                return new SourceTree(at);
            }
        }
        throw new NoSuchFileException(start.resolve(OUT_OF_SCOPE).toString());
    }

    Path resolve(String path) {
        return root.resolve(path);
    }

    /// Every file below `directory` of every module, such as `src/test/java`.
    List<Path> files(String directory, String ending) throws IOException {
        List<Path> all = new ArrayList<>();
        for (String module : modules()) {
            for (Path file : filesBelow(resolve(module).resolve(directory))) {
                if (file.toString().endsWith(ending)) {
                    all.add(file);
                }
            }
        }
        return List.copyOf(all);
    }

    private List<String> modules() throws IOException {
        try (Stream<Path> entries = Files.list(root)) {
            return entries.filter(entry -> Files.isDirectory(entry.resolve("src")))
                    .map(entry -> entry.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    /// The directory right below the root that `file` is in.
    String moduleOf(Path file) {
        return root.relativize(file).getName(0).toString();
    }

    /// The newest file that was changed after `instant` and that the results of `module` rest on:
    /// its own sources, the main ones of the modules that it depends on, and the catalogs.
    Optional<Path> changedSince(String module, Instant instant) throws IOException {
        List<Path> files = new ArrayList<>(filesBelow(resolve(module).resolve("src")));
        for (String each : dependencies(module)) {
            files.add(resolve(each).resolve("pom.xml"));
            files.addAll(filesBelow(resolve(each).resolve("src/main")));
        }
        try (Stream<Path> catalogs = Files.list(resolve("spec"))) {
            catalogs.filter(file -> file.toString().endsWith(".md")).forEach(files::add);
        }
        return files.stream()
                .filter(Files::exists)
                .max(Comparator.comparing(SourceTree::modified))
                .filter(newest -> modified(newest).isAfter(instant));
    }

    /// A module and those that it depends on, directly or not.
    private Set<String> dependencies(String module) throws IOException {
        Set<String> found = new LinkedHashSet<>();
        List<String> open = new ArrayList<>(List.of(module));
        while (!open.isEmpty()) {
            String next = open.removeLast();
            Path pom = resolve(next).resolve("pom.xml");
            if (found.add(next) && Files.exists(pom)) {
                DEPENDENCY
                        .matcher(Files.readString(pom))
                        .results()
                        .map(dependency -> dependency.group(1))
                        .filter(name -> Files.isDirectory(resolve(name)))
                        .forEach(open::add);
            }
        }
        return found;
    }

    private static List<Path> filesBelow(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private static Instant modified(Path file) {
        try {
            return Files.getLastModifiedTime(file).toInstant();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
