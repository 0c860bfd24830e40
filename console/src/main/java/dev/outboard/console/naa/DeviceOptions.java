package dev.outboard.console.naa;

import dev.outboard.console.terminal.ConsoleException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options of every command that opens a RoCE device.
public final class DeviceOptions {
    @Option(
            names = "--capture",
            paramLabel = "FILE",
            description = "Write every packet to FILE, as pcapng for Wireshark.")
    private @Nullable Path capture;

    @Option(
            names = "--fault",
            paramLabel = "SPEC",
            description = "Disturb the packets, for example loss=5%%,seed=1.")
    private @Nullable String fault;

    @Option(names = "--stats", description = "Print all counters at the end.")
    private boolean stats;

    /// The URI of a device that is the local address `address`.
    ///
    /// @throws ConsoleException if the capture cannot be written
    String uriOf(String address) {
        return uri(address.contains(":") ? "[" + address + "]" : address, List.of());
    }

    /// The URI of a device with a local address from which `peer` can be reached.
    ///
    /// @throws ConsoleException if the capture cannot be written
    public String uriTowards(String peer) {
        return uri("auto", List.of("peer=" + encode(peer)));
    }

    /// The disturbance asked for, as words of another command.
    public List<String> faultWords() {
        return fault == null ? List.of() : List.of("--fault", fault);
    }

    /// Whether to print the counters.
    public boolean stats() {
        return stats;
    }

    private String uri(String device, List<String> options) {
        List<String> all = new ArrayList<>(options);
        if (capture != null) {
            requireDirectoryOf(capture);
            all.add("capture=" + encode(capture.toString()));
        }
        if (fault != null) {
            all.add("fault=" + encode(fault));
        }
        return "roce://" + device + (all.isEmpty() ? "" : "?" + String.join("&", all));
    }

    /// Refuses a file whose directory does not exist, before any work is done.
    static void requireDirectoryOf(Path file) {
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null && !Files.isDirectory(directory)) {
            throw new ConsoleException(
                    "cannot write " + file + ": there is no directory " + directory);
        }
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
