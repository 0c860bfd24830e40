package dev.outboard.bench.fabric;

import dev.outboard.bench.comparison.Contender;
import dev.outboard.bench.comparison.ProgramRun;
import dev.outboard.bench.comparison.WarmUp;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A floor or a peer that runs on a JVM of its own: started once, warmed up as ours is, and asked
/// in every round.
final class JvmPeer implements Contender {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String MAIN = "dev.outboard.peers.Main";

    private final String name;
    private final Home home;
    private final String[] arguments;
    private @Nullable ProgramRun run;
    private long compilerMillis;

    JvmPeer(String name, Home home, String... arguments) {
        this.name = name;
        this.home = home;
        this.arguments = arguments.clone();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String remedy() {
        return remedy(home);
    }

    static String remedy(Home home) {
        return Files.isDirectory(home.peersClassPath())
                ? ""
                : "./mvnw -pl bench/peers package -DskipTests";
    }

    @Override
    public double measure(Duration time) {
        if (run == null) {
            ProgramRun started = new ProgramRun(command(home, arguments), Map.of());
            run = started;
            WarmUp.with(() -> ask(started, time), () -> compilerMillis);
        }
        return ask(run, time);
    }

    private double ask(ProgramRun run, Duration time) {
        run.tell(String.valueOf(time.toMillis()));
        String[] words = run.await("result ", time.plus(PATIENCE)).split(" ");
        compilerMillis = Long.parseLong(words[2]);
        return Double.parseDouble(words[1]);
    }

    /// What starts the peer that `arguments` name.
    static List<String> command(Home home, String... arguments) {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.add("-XX:+UseSerialGC");
        // What Netty and Agrona want of JDK 25.
        words.add("--enable-native-access=ALL-UNNAMED");
        words.add("--sun-misc-unsafe-memory-access=allow");
        words.add("--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED");
        words.add("-cp");
        words.add(home.peersClassPath() + "/*");
        words.add(MAIN);
        words.addAll(List.of(arguments));
        return words;
    }

    @Override
    public void close() {
        if (run != null) {
            run.close();
        }
    }
}
