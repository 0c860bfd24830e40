package dev.outboard.ccip.rtl;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// The name of a compiled design: a digest of everything that went into it, paths included, for
/// they stand in messages.
final class Fingerprint {
    private static final int HEX_DIGITS = 32;

    private final MessageDigest digest;

    private Fingerprint() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Of Verilator's library: compilers and options.
    static String of(Toolchain tools) {
        Fingerprint fingerprint = new Fingerprint();
        fingerprint.add(tools);
        return fingerprint.text();
    }

    /// Of a part of a build: besides, texts, and files by their names alone.
    static String of(Toolchain tools, List<String> texts, List<Path> files) throws IOException {
        Fingerprint fingerprint = new Fingerprint();
        fingerprint.add(tools);
        texts.forEach(fingerprint::add);
        for (Path file : files) {
            fingerprint.add(file.getFileName().toString(), Files.readAllBytes(file));
        }
        return fingerprint.text();
    }

    /// Of files by their names and contents.
    static String of(Map<String, byte[]> files) {
        Fingerprint fingerprint = new Fingerprint();
        files.forEach(fingerprint::add);
        return fingerprint.text();
    }

    /// Of a design: besides, its sources, every file in a directory that it may include files from,
    /// and what is supplied to it.
    static String of(RtlDesign design, Toolchain tools) throws IOException {
        Fingerprint fingerprint = new Fingerprint();
        fingerprint.add(tools);
        for (String name : Verilation.SUPPLIED) {
            try (InputStream resource = Verilation.resource(name)) {
                fingerprint.add(name, resource.readAllBytes());
            }
        }
        fingerprint.add(design.top());
        design.macros().forEach(macro -> fingerprint.add("-D" + macro));
        design.options().forEach(fingerprint::add);
        design.sources().forEach(source -> fingerprint.add("source " + source.toAbsolutePath()));
        for (Path directory : SourceCopies.directories(design)) {
            fingerprint.add("directory " + directory);
        }
        for (Path file :
                Stream.of(
                                SourceCopies.files(design).stream(),
                                design.json().stream(),
                                design.patches().stream())
                        .flatMap(files -> files)
                        .toList()) {
            fingerprint.add(file);
        }
        return fingerprint.text();
    }

    private void add(Toolchain tools) {
        add(tools.verilatorVersion());
        add(tools.compilerVersion());
        Verilation.VERILATOR_OPTIONS.forEach(this::add);
        Linking.COMPILER_OPTIONS.forEach(this::add);
    }

    private void add(Path file) throws IOException {
        add(file.toAbsolutePath().toString(), Files.readAllBytes(file));
    }

    private void add(String name, byte[] content) {
        add(name);
        add(Integer.toString(content.length));
        digest.update(content);
    }

    private void add(String text) {
        digest.update(text.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) 0);
    }

    private String text() {
        return HexFormat.of().formatHex(digest.digest()).substring(0, HEX_DIGITS);
    }
}
