package dev.outboard.bench.comparison;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Programs of the bench that run in a process of their own.
public final class JavaProgram {
    private JavaProgram() {}

    /// The command that starts a main class of the bench: by the Java of this process, with the
    /// same classes.
    public static List<String> command(Class<?> main, String... arguments) {
        String modules = System.getProperty("jdk.module.path");
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.add("-XX:+UseSerialGC");
        if (modules == null) {
            words.add("--enable-native-access=ALL-UNNAMED");
            words.add("--class-path");
            words.add(System.getProperty("java.class.path"));
            words.add(main.getName());
        } else {
            words.add("--enable-native-access=dev.outboard.fabric");
            words.addAll(List.of("--module-path", modules));
            words.addAll(List.of("--module", "dev.outboard.bench/" + main.getName()));
        }
        words.addAll(List.of(arguments));
        return words;
    }
}
