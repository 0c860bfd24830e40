package dev.outboard.fabric.roce.io;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.stream.Stream;

/// Who holds a UDP port, as far as `/proc` tells: it shows every socket of the network namespace,
/// but only the own processes' descriptors, unless root asks. Stateless: any thread may call.
public final class PortHolder {
    private static final Path ROOT = Path.of("/");
    private static final int LOCAL_ADDRESS = 1;
    private static final int USER = 7;
    private static final int INODE = 9;
    private static final int MAX_COMMAND = 60;

    private final Path root;
    private final Path proc;

    private PortHolder(Path root) {
        this.root = root;
        this.proc = root.resolve("proc");
    }

    /// Whoever keeps `local` from binding `port`, in a few words for a message.
    public static String of(InetAddress local, int port) {
        return of(ROOT, local, port);
    }

    /// The same as the kernel tells it below `root`.
    static String of(Path root, InetAddress local, int port) {
        return new PortHolder(root).holder(local, port);
    }

    private String holder(InetAddress local, int port) {
        try {
            Optional<String[]> socket = socketOn(local, port);
            return socket.isEmpty() ? "a process that has ended since" : holderOf(socket.get());
        } catch (IOException | UncheckedIOException e) {
            return "somebody unknown";
        }
    }

    private String holderOf(String[] socket) throws IOException {
        Optional<Path> process = processWith("socket:[" + socket[INODE] + "]");
        if (process.isPresent()) {
            return describe(process.get());
        }
        if (hasRxe()) {
            return "the kernel's rdma_rxe";
        }
        return socket[USER].equals("0")
                ? "a process of root or the kernel"
                : "a process of the user with ID " + socket[USER];
    }

    private boolean hasRxe() {
        return Files.exists(root.resolve("sys/module/rdma_rxe"));
    }

    /// The fields of the socket in `/proc/net/udp` or `/proc/net/udp6`.
    private Optional<String[]> socketOn(InetAddress local, int port) throws IOException {
        boolean ipv4 = local instanceof Inet4Address;
        Optional<String[]> found = ipv4 ? find("net/udp", local, port) : Optional.empty();
        return found.isPresent() ? found : find("net/udp6", local, port);
    }

    private Optional<String[]> find(String table, InetAddress local, int port) throws IOException {
        Path file = proc.resolve(table);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try (Stream<String> lines = Files.lines(file)) {
            return lines.skip(1)
                    .map(line -> line.strip().split("\\s+"))
                    .filter(fields -> covers(fields[LOCAL_ADDRESS], local, port))
                    .findFirst();
        }
    }

    /// Whether a socket bound to `bound`, written as 32-bit words of the machine's byte order,
    /// keeps others from `local`.
    static boolean covers(String bound, InetAddress local, int port) {
        int colon = bound.indexOf(':');
        if (Integer.parseInt(bound, colon + 1, bound.length(), 16) != port) {
            return false;
        }
        ByteBuffer words = ByteBuffer.wrap(HexFormat.of().parseHex(bound.substring(0, colon)));
        ByteBuffer address = ByteBuffer.allocate(words.capacity()).order(ByteOrder.nativeOrder());
        while (words.hasRemaining()) {
            address.putInt(words.getInt());
        }
        byte[] bytes = address.array();
        return Arrays.equals(bytes, new byte[bytes.length])
                || Arrays.equals(bytes, inLength(local.getAddress(), bytes.length));
    }

    /// An IPv4 address as an IPv6 socket has it.
    private static byte[] inLength(byte[] address, int length) {
        if (address.length == length) {
            return address;
        }
        byte[] mapped = new byte[length];
        mapped[length - address.length - 2] = (byte) 0xFF;
        mapped[length - address.length - 1] = (byte) 0xFF;
        System.arraycopy(address, 0, mapped, length - address.length, address.length);
        return mapped;
    }

    private Optional<Path> processWith(String socket) throws IOException {
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[0-9]*")) {
            for (Path process : processes) {
                if (holds(process, socket)) {
                    return Optional.of(process);
                }
            }
        }
        return Optional.empty();
    }

    private static boolean holds(Path process, String socket) {
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(process.resolve("fd"))) {
            for (Path descriptor : descriptors) {
                if (isLinkTo(descriptor, socket)) {
                    return true;
                }
            }
        } catch (IOException e) {
            return false; // another user's, or gone
        }
        return false;
    }

    private static boolean isLinkTo(Path descriptor, String target) {
        try {
            return Files.readSymbolicLink(descriptor).toString().equals(target);
        } catch (IOException e) {
            return false; // closed since
        }
    }

    private static String describe(Path process) {
        String number = "process " + process.getFileName();
        try {
            String command =
                    Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1)
                            .replace('\0', ' ')
                            .strip();
            return number
                    + " ("
                    + (command.length() > MAX_COMMAND
                            ? command.substring(0, MAX_COMMAND) + "…"
                            : command)
                    + ")";
        } catch (IOException e) {
            return number;
        }
    }
}
