package dev.outboard.fabric.spi;

import dev.outboard.fabric.FabricException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;

/// A parsed device URI: `scheme://device?key=value&key=value`.
///
/// @param scheme selects the provider, in lower case
/// @param device what the provider calls this device; for RoCE a local IP address or `auto`, for
///   `sim` a network, a slash and an address
/// @param options the decoded query, in the order written
public record DeviceUri(String scheme, String device, Map<String, String> options) {
    public DeviceUri {
        options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
    }

    /// Parses `text`.
    ///
    /// @throws FabricException with reason BAD_URI if it is not of the form above
    public static DeviceUri parse(String text) {
        URI uri;
        try {
            uri = new URI(text);
        } catch (URISyntaxException e) {
            throw bad(text, e.getReason());
        }
        if (uri.getScheme() == null || uri.getAuthority() == null) {
            throw bad(text, "expected scheme://device, for example roce://127.0.0.2");
        }
        return new DeviceUri(
                uri.getScheme().toLowerCase(java.util.Locale.ROOT),
                device(uri),
                options(text, uri));
    }

    /// Refuses options that are not in `known`.
    ///
    /// @throws FabricException naming the first unknown option and those that are valid
    public void allowOnly(Set<String> known) {
        for (String key : options.keySet()) {
            if (!known.contains(key)) {
                throw bad(
                        scheme + "://" + device,
                        "unknown option '" + key + "'; valid: " + new TreeSet<>(known));
            }
        }
    }

    /// The same device with these options.
    public DeviceUri with(Map<String, String> newOptions) {
        return new DeviceUri(scheme, device, newOptions);
    }

    /// The URI, which [#parse] understands.
    @Override
    public String toString() {
        boolean isIpv6 = device.contains(":") && !device.contains("/");
        String authority = isIpv6 ? "[" + device + "]" : device;
        StringJoiner query = new StringJoiner("&", "?", "").setEmptyValue("");
        options.forEach((key, value) ->
                query.add(key + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8)));
        return scheme + "://" + authority + query;
    }

    private static String device(URI uri) {
        String authority = uri.getAuthority();
        boolean bracketed = authority.startsWith("[") && authority.endsWith("]");
        String name = bracketed ? authority.substring(1, authority.length() - 1) : authority;
        return uri.getPath().length() > 1 ? name + uri.getPath() : name;
    }

    private static Map<String, String> options(String text, URI uri) {
        Map<String, String> options = new LinkedHashMap<>();
        if (uri.getRawQuery() == null) {
            return options;
        }
        for (String pair : uri.getRawQuery().split("&")) {
            int equals = pair.indexOf('=');
            if (equals <= 0) {
                throw bad(text, "option '" + pair + "' is not of the form key=value");
            }
            options.put(
                    pair.substring(0, equals),
                    URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
        }
        return options;
    }

    private static FabricException bad(String uri, String why) {
        return new FabricException(
                FabricException.Reason.BAD_URI, "device URI " + uri + ": " + why);
    }
}
