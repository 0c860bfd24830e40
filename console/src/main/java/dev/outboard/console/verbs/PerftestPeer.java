package dev.outboard.console.verbs;

import dev.outboard.terminal.CommandException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What one side of a perftest tells the other about itself, read off the wire of perftest 4.5: as
/// text of 108 bytes over TCP, as a structure of 56 bytes over an RDMA connection, both with
/// numbers that this program does not need (LID, SRQ number, GID index).
///
/// @param readDepth READs and atomics that this side can serve at a time
/// @param number of its queue pair
/// @param psn the first sequence number it sends
/// @param key opens its memory
/// @param memory where its memory begins
/// @param address where its packets come from
record PerftestPeer(int readDepth, int number, int psn, int key, long memory, InetAddress address) {
    /// The length of the text, its zero included.
    static final int TEXT_BYTES = 108;

    /// The length of the structure.
    static final int BINARY_BYTES = 56;

    private static final Pattern TEXT =
            Pattern.compile(
                    "[0-9a-f]{4}:([0-9a-f]{4}):([0-9a-f]{6}):([0-9a-f]{6}):([0-9a-f]{8}):([0-9a-f]{16})"
                            + ":((?:[0-9a-f]{2}:){16})[0-9a-f]{8}:\0");
    private static final HexFormat COLONS = HexFormat.ofDelimiter(":");
    private static final int GID_BYTES = 16;
    private static final int GID_INDEX = 1;

    /// What a side says before it has anything to say.
    static final PerftestPeer NONE = new PerftestPeer(0, 0, 0, 0, 0, PairAddress.NONE.address());

    /// Reads the text.
    static PerftestPeer parse(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.US_ASCII);
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new CommandException(
                    "the peer does not say what perftest 4.5 says: " + text.strip());
        }
        String gid = matcher.group(6);
        return new PerftestPeer(
                HexFormat.fromHexDigits(matcher.group(1)),
                HexFormat.fromHexDigits(matcher.group(2)),
                HexFormat.fromHexDigits(matcher.group(3)),
                HexFormat.fromHexDigits(matcher.group(4)),
                HexFormat.fromHexDigitsToLong(matcher.group(5)),
                PairAddress.address(COLONS.parseHex(gid.substring(0, gid.length() - 1))));
    }

    /// Reads the structure.
    static PerftestPeer parseBinary(byte[] bytes) {
        ByteBuffer fields = ByteBuffer.wrap(bytes);
        fields.getInt();
        int readDepth = fields.getInt();
        int number = fields.getInt();
        int psn = fields.getInt();
        int key = fields.getInt();
        fields.getInt();
        long memory = fields.getLong();
        byte[] gid = new byte[GID_BYTES];
        fields.get(gid);
        return new PerftestPeer(readDepth, number, psn, key, memory, PairAddress.address(gid));
    }

    /// The text.
    byte[] text() {
        return "0000:%04x:%06x:%06x:%08x:%016x:%s:00000000:\0"
                .formatted(
                        readDepth,
                        number,
                        psn,
                        key,
                        memory,
                        COLONS.formatHex(PairAddress.gid(address)))
                .getBytes(StandardCharsets.US_ASCII);
    }

    /// The structure.
    byte[] binary() {
        return ByteBuffer.allocate(BINARY_BYTES)
                .putInt(0)
                .putInt(readDepth)
                .putInt(number)
                .putInt(psn)
                .putInt(key)
                .putInt(0)
                .putLong(memory)
                .put(PairAddress.gid(address))
                .putInt(0)
                .putInt(GID_INDEX)
                .array();
    }

    /// What it takes to connect to it.
    PairAddress pairAddress() {
        return new PairAddress(number, psn, address);
    }

    /// For people.
    @Override
    public String toString() {
        return "QPN 0x%06x PSN 0x%06x RKey 0x%08x VAddr 0x%016x at %s"
                .formatted(number, psn, key, memory, address.getHostAddress());
    }
}
