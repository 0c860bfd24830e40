package dev.outboard.interop;

import dev.outboard.testkit.RunningProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// A private network with one guest on it: a virtual machine that runs Linux with soft-RoCE and the
/// RDMA tools. Programs of this machine take part from inside the network's namespace.
///
/// Starting it needs root (see `interop/README.md`). Methods may be called from any thread.
/// [#close], or the end of this process, removes the guest and the network.
final class TestBed implements AutoCloseable {
    private static final String GUEST = "peer";

    /// Starting takes two seconds, but the first time the guest has to be downloaded and built.
    private static final Duration START = Duration.ofMinutes(10);

    /// What a forgotten guest lives at most, in seconds.
    private static final String TIME_TO_LIVE = "3600";

    private static final Duration POLL_LIMIT = Duration.ofSeconds(30);

    private final Path script;
    private final String network;
    private final Thread atExit;

    private TestBed(Path script, String network) {
        this.script = script;
        this.network = network;
        atExit = new Thread(this::remove, "test bed " + network + " goes away");
    }

    /// Starts a guest whose packets carry at most `mtu`, on a network of its own.
    ///
    /// @param directory where `rxe-vm` is
    /// @throws IllegalStateException if this machine cannot do it; the message says what is missing
    static TestBed start(Path directory, PathMtu mtu) {
        String network = "io" + ProcessHandle.current().pid() + "-" + mtu.bytes();
        TestBed bed = new TestBed(directory.resolve("rxe-vm"), network);
        bed.require("check");
        Runtime.getRuntime().addShutdownHook(bed.atExit);
        try {
            bed.require("netns");
            bed.require(
                    "up",
                    GUEST,
                    Link.IPV4_1024.guest(),
                    "--mtu",
                    String.valueOf(mtu.interfaceMtu()),
                    "--ttl",
                    TIME_TO_LIVE);
        } catch (IllegalStateException e) {
            bed.close();
            throw e;
        }
        return bed;
    }

    /// Starts `command` of the guest's shell there; it is ended after `limit`.
    RunningProgram startInGuest(Duration limit, String command) {
        return run("exec", GUEST, "--timeout", String.valueOf(limit.toSeconds()), "--", command);
    }

    /// Starts `command` on this machine, in the network's namespace.
    RunningProgram startOnHost(List<String> command) {
        List<String> words = new ArrayList<>(List.of("host", "--"));
        words.addAll(command);
        return run(words.toArray(String[]::new));
    }

    /// Runs `command` in the guest until it ends.
    ///
    /// @return what it printed
    /// @throws IllegalStateException if it fails
    String inGuest(String command) {
        return require("exec", GUEST, "--timeout", "60", "--", command);
    }

    /// Waits until a program of the guest listens on TCP port `port`.
    void awaitTcpListener(int port) {
        awaitInGuest("grep -q ':%04X [0-9A-F:]* 0A ' /proc/net/tcp /proc/net/tcp6".formatted(port));
    }

    /// Waits until a program of the guest listens for RDMA connections on `port`.
    void awaitRdmaListener(int port) {
        awaitInGuest("rdma resource show cm_id | grep -q 'state LISTEN.*:%d '".formatted(port));
    }

    private void awaitInGuest(String condition) {
        inGuest(
                "i=0; until %s; do i=$((i + 1)); [ $i -lt %d ] || exit 1; usleep 50000; done"
                        .formatted(condition, POLL_LIMIT.toMillis() / 50));
    }

    /// What the guest's device has counted, without zeros.
    Map<String, Long> counters() {
        Map<String, Long> counters = new TreeMap<>();
        inGuest("counters")
                .lines()
                .map(line -> line.split("="))
                .forEach(entry -> counters.put(entry[0], Long.valueOf(entry[1])));
        return counters;
    }

    /// What tells a broken test bed from a broken program: whether the guest reaches this machine
    /// at all, and what its interface has counted.
    String networkState() {
        return inGuest(
                "ping -c 2 -W 2 %s; ip -s link show dev eth0; dmesg | tail -n 5"
                        .formatted(Link.IPV4_1024.host()));
    }

    /// Makes the guest lose `percent` of the packets it sends, and as many of those it receives.
    /// Not its requests to disconnect: Linux does not repeat them once the program has ended, and
    /// then nothing tells ours.
    void lose(int percent) {
        inGuest("netem out --but-dreq loss %d%%".formatted(percent));
        inGuest("netem in loss %d%%".formatted(percent));
    }

    /// Makes the guest lose nothing any more.
    void loseNothing() {
        inGuest("netem off");
    }

    /// Compiles a C program against the guest's RDMA libraries and puts it into the guest.
    void compile(Path source) {
        require("cc", GUEST, source.toString());
    }

    /// Captures the guest's packets to `file` until [#stopCapture].
    void startCapture(Path file) {
        require("pcap", GUEST, "start", file.toString());
    }

    /// Ends the capture; the file is complete.
    void stopCapture() {
        require("pcap", GUEST, "stop");
    }

    @Override
    public void close() {
        remove();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // The process is ending: the hook finds nothing left to do.
        }
    }

    private void remove() {
        try (RunningProgram down = run("down", "--all")) {
            down.ends(START);
        }
    }

    private String require(String... words) {
        try (RunningProgram program = run(words)) {
            if (!program.ends(START) || program.hasFailed()) {
                throw new IllegalStateException("rxe-vm " + program);
            }
            return program.output();
        }
    }

    private RunningProgram run(String... words) {
        List<String> command = new ArrayList<>(List.of(script.toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("RXE_VM_NET", network);
        builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        try {
            return new RunningProgram(String.join(" ", words), builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
