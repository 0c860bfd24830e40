package dev.outboard.console.project;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A project that is to be written. Its files are resources beside this class, of a project of the
/// name `sample`.
///
/// @param name of its classes
/// @param routine their name in lower case
record Project(Kind kind, String name, String routine) {
    private static final List<String> COMMON = List.of("README.md", "build", ".gitignore");
    private static final String SAMPLE = "Sample";
    private static final String NO_ID = "00000000-0000-0000-0000-000000000000";
    private static final String NO_HOME = "OUTBOARD_HOME";

    /// Writes it into a new directory.
    void write(Path directory) throws IOException {
        Files.createDirectories(directory);
        for (String file : COMMON) {
            write(file, file, directory);
        }
        for (String file : kind.files()) {
            write(kind.word() + "/" + file, file, directory);
        }
        Files.setPosixFilePermissions(
                directory.resolve("build"), PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private void write(String resource, String file, Path directory) throws IOException {
        Path to = directory.resolve(file.replace(SAMPLE, className()));
        Files.createDirectories(Objects.requireNonNull(to.getParent()));
        Files.writeString(to, filledIn(read(resource)));
    }

    private String className() {
        return name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
    }

    private String filledIn(String text) {
        Path home = Path.of(System.getProperty("outboard.home", "")).toAbsolutePath();
        Map<String, String> words =
                Map.of(
                        SAMPLE,
                        className(),
                        SAMPLE.toLowerCase(Locale.ROOT),
                        routine,
                        NO_ID,
                        UUID.randomUUID().toString(),
                        NO_HOME,
                        home.toString().replace("'", "'\\''"));
        return Pattern.compile(String.join("|", words.keySet()))
                .matcher(text)
                .replaceAll(found ->
                        Matcher.quoteReplacement(Objects.requireNonNull(words.get(found.group()))));
    }

    private static String read(String resource) throws IOException {
        try (InputStream text = Project.class.getResourceAsStream(resource + ".txt")) {
            return new String(Objects.requireNonNull(text, resource).readAllBytes(), UTF_8);
        }
    }
}
