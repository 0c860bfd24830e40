package dev.outboard.console.naa;

import dev.outboard.fabric.Devices;
import dev.outboard.fabric.FabricException;
import dev.outboard.terminal.CommandException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options of every command that opens a RoCE device. What else runs in the process and names
/// the same address, such as a routine that calls another accelerator, has the same device.
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

    /// Opens the local address `address`.
    ///
    /// @throws CommandException if the capture cannot be written or the address is taken
    public Devices.Share open(String address) {
        return open(address.contains(":") ? "[" + address + "]" : address, List.of());
    }

    /// Opens a local address from which `peer` can be reached, on loopback a free one.
    ///
    /// @throws CommandException if the capture cannot be written
    public Devices.Share openTowards(String peer) {
        return open("auto", List.of("peer=" + encode(peer)));
    }

    /// The disturbance asked for, as words of another command.
    public List<String> faultWords() {
        return fault == null ? List.of() : List.of("--fault", fault);
    }

    /// Whether to print the counters.
    public boolean stats() {
        return stats;
    }

    private Devices.Share open(String address, List<String> fixed) {
        List<String> all = new ArrayList<>(fixed);
        if (capture != null) {
            requireWritable(capture);
            all.add("capture=" + encode(capture.toString()));
        }
        if (fault != null) {
            all.add("fault=" + encode(fault));
        }
        try {
            return Devices.shareAnother(
                    "roce://" + address + (all.isEmpty() ? "" : "?" + String.join("&", all)));
        } catch (FabricException e) {
            throw e.reason() == FabricException.Reason.ADDRESS_IN_USE ? taken(address, e) : e;
        }
    }

    private static CommandException taken(String address, FabricException failure) {
        return new CommandException(
                address
                        + " is in use: another Outboard process, or the kernel's rdma_rxe, has its"
                        + " UDP port 4791; choose another local address, for example --bind"
                        + " 127.0.0.2",
                failure);
    }

    /// Refuses a file that cannot be written, before any work is done.
    static void requireWritable(Path file) {
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null && !Files.isDirectory(directory)) {
            throw new CommandException(
                    "cannot write " + file + ": there is no directory " + directory);
        }
        if (Files.isDirectory(file)) {
            throw new CommandException("cannot write " + file + ": it is a directory");
        }
        if (Files.exists(file) && !Files.isWritable(file)) {
            throw new CommandException("cannot write " + file + ": it is read-only");
        }
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
