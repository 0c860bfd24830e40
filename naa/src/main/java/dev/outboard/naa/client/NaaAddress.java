package dev.outboard.naa.client;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Where an NAA listens.
///
/// @param host a name or an address, an IPv6 address without brackets
/// @param port 1 to 65535
public record NaaAddress(String host, int port) {
    private static final Pattern WRITTEN =
            Pattern.compile("(?:\\[([^\\[\\]]+)]|([^:\\[\\]]+))(?::(\\d{1,5}))?");
    private static final int MAX_PORT = 0xffff;

    /// @throws IllegalArgumentException if the port is out of range
    public NaaAddress {
        if (port < 1 || port > MAX_PORT) {
            throw new IllegalArgumentException(
                    "port %d of %s; valid: 1 to 65535".formatted(port, host));
        }
    }

    /// Reads what a user wrote: `127.0.0.2`, `node7:4000`, `fd00::7` or `[fd00::7]:4000`. The port
    /// is 12345 unless given.
    ///
    /// @throws IllegalArgumentException if it is none of these
    public static NaaAddress parse(String text) {
        Matcher written = WRITTEN.matcher(text);
        if (written.matches()) {
            String host = written.group(1) == null ? written.group(2) : written.group(1);
            String port = written.group(3);
            return new NaaAddress(
                    host, port == null ? NaaClient.DEFAULT_PORT : Integer.parseInt(port));
        }
        if (isIpv6(text)) {
            return new NaaAddress(text, NaaClient.DEFAULT_PORT);
        }
        throw new IllegalArgumentException(
                "'" + text + "' is not an address; write 127.0.0.2, node7:12345 or [::1]:12345");
    }

    private static boolean isIpv6(String text) {
        return text.matches("[0-9a-fA-F.]*:[0-9a-fA-F.]*:[0-9a-fA-F:.]*(%\\w+)?");
    }

    /// As [#parse] reads it.
    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
