package dev.outboard.bench.fabric;

import dev.outboard.bench.comparison.Contender;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/// Where floors and peers are.
///
/// @param root the source tree
record Home(Path root) {
    private static final Path PEERS = Path.of("bench", "peers");

    /// The tree that the launcher told of, otherwise the working directory.
    static Home here() {
        return new Home(Path.of(System.getProperty("outboard.home", "")).toAbsolutePath());
    }

    Path floorSource() {
        return root.resolve(PEERS).resolve("src/main/c/floor.c");
    }

    Path afuLoopSource() {
        return root.resolve(PEERS).resolve("src/main/c/afu-loop.cpp");
    }

    /// What the programs on the JVM run from; exists once they are built.
    Path peersClassPath() {
        return root.resolve(PEERS).resolve("target/app");
    }

    /// The program of that name in the PATH.
    static Optional<Path> program(String name) {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":"))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /// A TCP port that was free a moment ago.
    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new Contender.MeasurementException("no free port: " + e.getMessage());
        }
    }
}
