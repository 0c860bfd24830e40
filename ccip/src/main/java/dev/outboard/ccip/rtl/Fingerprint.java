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
        design.macros().forEach(fingerprint::add);
        for (Path source : design.sources()) {
            fingerprint.add(source);
        }
        for (Path file :
                Stream.concat(design.json().stream(), design.patches().stream()).toList()) {
            fingerprint.add(file);
        }
        for (Path directory : Verilation.directories(design)) {
            fingerprint.addFilesOf(directory);
        }
        return fingerprint.text();
    }

    private void add(Toolchain tools) {
        add(tools.verilatorVersion());
        add(tools.compilerVersion());
        Verilation.VERILATOR_OPTIONS.forEach(this::add);
        Verilation.COMPILER_OPTIONS.forEach(this::add);
    }

    private void addFilesOf(Path directory) throws IOException {
        List<Path> files;
        try (Stream<Path> entries = Files.list(directory)) {
            files =
                    entries.filter(file -> file.toString().matches(".*\\.(sv|svh|v|vh|h|inc)"))
                            .filter(Files::isRegularFile)
                            .sorted()
                            .toList();
        }
        for (Path file : files) {
            add(file);
        }
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
