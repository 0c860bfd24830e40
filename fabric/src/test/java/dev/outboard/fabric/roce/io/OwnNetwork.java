package dev.outboard.fabric.roce.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.NetworkInterface;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A change to the network that lasts for one test. Only where nobody else is in it: in a network
/// namespace that has nothing but loopback; elsewhere the test is aborted.
final class OwnNetwork {
    private OwnNetwork() {}

    /// Runs `command`, a single command of `ip`, then `test`, and `undo` in the end.
    static void with(String command, String undo, Runnable test) {
        assumeTrue(isEmpty(), "this network is not ours alone");
        assumeTrue(run(command), () -> "cannot be done here: " + command);
        try {
            test.run();
        } finally {
            assertThat(run(undo)).as(undo).isTrue();
        }
    }

    private static boolean isEmpty() {
        try {
            List<NetworkInterface> all = NetworkInterface.networkInterfaces().toList();
            return all.size() == 1 && all.getFirst().isLoopback();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean run(String command) {
        try {
            Process process = new ProcessBuilder(command.split(" ")).inheritIO().start();
            boolean ended = process.waitFor(60, TimeUnit.SECONDS);
            process.destroyForcibly();
            return ended && process.exitValue() == 0;
        } catch (IOException e) {
            return false; // there is no such program
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
