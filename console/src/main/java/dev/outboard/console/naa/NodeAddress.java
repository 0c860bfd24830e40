package dev.outboard.console.naa;

import dev.outboard.naa.NaaClient;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Where a node listens, as users write it: `127.0.0.2`, `node7:12345`, `[fe80::1]:12345`.
///
/// @param host a name or numeric address, without brackets
record NodeAddress(String host, int port) {
    private static final Pattern WRITTEN =
            Pattern.compile("(?:\\[([^\\]]+)\\]|([^:\\[\\]]+))(?::(\\d{1,5}))?");
    private static final int LAST_PORT = 65_535;

    /// Reads what a user wrote in the command line.
    ///
    /// @throws TypeConversionException if it is not an address
    private static NodeAddress parse(String text) {
        Matcher matcher = WRITTEN.matcher(text);
        if (matcher.matches()) {
            String host = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
            int port =
                    matcher.group(3) == null
                            ? NaaClient.DEFAULT_PORT
                            : Integer.parseInt(matcher.group(3));
            if (port > 0 && port <= LAST_PORT) {
                return new NodeAddress(host, port);
            }
        }
        throw new TypeConversionException(
                "'" + text + "' is not an address; write 127.0.0.2, node7:12345 or [::1]:12345");
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /// For options of this type.
    static final class Converter implements ITypeConverter<NodeAddress> {
        @Override
        public NodeAddress convert(String text) {
            return parse(text);
        }
    }
}
