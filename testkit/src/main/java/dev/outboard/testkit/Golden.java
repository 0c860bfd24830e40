package dev.outboard.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalInt;

/// The golden RoCEv2 packets of `spec/golden`: captured from foreign implementations, each from the
/// first byte of the IP header to the last of the ICRC. Every call reads the files, so callers may
/// change what they get.
public final class Golden {
    private static final String ABSENT = "-";

    private Golden() {}

    /// One row of `index.tsv`: what the packet is known to hold, found out by other programs.
    ///
    /// @param name the packet's name, as [#packet] takes it
    /// @param lengthBytes its length from the IP header to the ICRC
    /// @param ipVersion 4 or 6
    /// @param ipId the IPv4 identification; absent in IPv6
    /// @param icrc its last four bytes, the first on the wire being the most significant
    /// @param note where it comes from and what is special about it
    public record Entry(
            String name,
            int lengthBytes,
            int ipVersion,
            int opcode,
            int destinationQueuePair,
            int psn,
            int padCount,
            OptionalInt ipId,
            int icrc,
            String note) {
        /// The packet itself.
        public byte[] packet() {
            return Golden.packet(name);
        }

        /// The name: it stands in the display name of a test.
        @Override
        public String toString() {
            return name;
        }
    }

    /// The bytes of one packet.
    public static byte[] packet(String name) {
        Path file = directory().resolve(name + ".hex");
        return HexFormat.of().parseHex(String.join("", lines(file)));
    }

    /// The names of all packets, in the order of the index.
    public static List<String> names() {
        return index().stream().map(Entry::name).toList();
    }

    /// The rows of the index, in its order.
    public static List<Entry> index() {
        return lines(directory().resolve("index.tsv")).stream().skip(1).map(Golden::parse).toList();
    }

    private static Entry parse(String line) {
        String[] cells = line.split("\t", -1);
        String name = cells[0];
        int lengthBytes = Integer.parseInt(cells[1]);
        int ipVersion = Integer.parseInt(cells[2]);
        int opcode = Integer.decode(cells[3]);
        int destinationQueuePair = Integer.decode(cells[4]);
        int psn = Integer.decode(cells[5]);
        int padCount = Integer.parseInt(cells[6]);
        OptionalInt ipId =
                cells[7].equals(ABSENT)
                        ? OptionalInt.empty()
                        : OptionalInt.of(Integer.parseInt(cells[7], 16));
        int icrc = HexFormat.fromHexDigits(cells[8]);
        String note = cells[10];
        return new Entry(
                name,
                lengthBytes,
                ipVersion,
                opcode,
                destinationQueuePair,
                psn,
                padCount,
                ipId,
                icrc,
                note);
    }

    private static Path directory() {
        return Repository.root().resolve("spec/golden");
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the golden packet file " + file, e);
        }
    }
}
