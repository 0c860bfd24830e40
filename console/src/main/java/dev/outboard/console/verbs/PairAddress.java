package dev.outboard.console.verbs;

import dev.outboard.terminal.CommandException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Where a queue pair is and where it starts to count, as the ibv pingpongs tell each other: the
/// text `lid:number:psn:gid` in hexadecimal, and a zero.
///
/// @param number of the queue pair
/// @param psn the first sequence number it sends
/// @param address where its packets come from
record PairAddress(int number, int psn, InetAddress address) {
    /// The length of the text, its zero included.
    static final int BYTES = 52;

    private static final Pattern TEXT =
            Pattern.compile("[0-9a-f]{4}:([0-9a-f]{6}):([0-9a-f]{6}):([0-9a-f]{32})\0");
    private static final int GID_BYTES = 16;
    private static final int MAPPED = 10;

    /// Stands for a queue pair that does not exist.
    static final PairAddress NONE = new PairAddress(0, 0, address(new byte[GID_BYTES]));

    /// Reads the text.
    static PairAddress parse(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.US_ASCII);
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new CommandException(
                    "the peer's first words are not those of an ibv pingpong: " + text.strip());
        }
        return new PairAddress(
                HexFormat.fromHexDigits(matcher.group(1)),
                HexFormat.fromHexDigits(matcher.group(2)),
                address(HexFormat.of().parseHex(matcher.group(3))));
    }

    /// The text.
    byte[] text() {
        String gid = HexFormat.of().formatHex(gid(address));
        return "0000:%06x:%06x:%s\0"
                .formatted(number, psn, gid)
                .getBytes(StandardCharsets.US_ASCII);
    }

    /// As the originals print it.
    @Override
    public String toString() {
        return "LID 0x0000, QPN 0x%06x, PSN 0x%06x, GID %s"
                .formatted(
                        number,
                        psn,
                        (address instanceof Inet4Address ? "::ffff:" : "")
                                + address.getHostAddress());
    }

    /// The GID that stands for `address`: itself, or the mapped form of an IPv4 address.
    static byte[] gid(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length == GID_BYTES) {
            return bytes;
        }
        byte[] gid = new byte[GID_BYTES];
        gid[MAPPED] = (byte) 0xFF;
        gid[MAPPED + 1] = (byte) 0xFF;
        System.arraycopy(bytes, 0, gid, MAPPED + 2, bytes.length);
        return gid;
    }

    /// The address that `gid` stands for.
    static InetAddress address(byte[] gid) {
        try {
            return InetAddress.getByAddress(gid);
        } catch (UnknownHostException e) {
            throw new AssertionError("16 bytes are an address", e);
        }
    }
}
