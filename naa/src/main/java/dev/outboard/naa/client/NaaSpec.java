package dev.outboard.naa.client;

import dev.outboard.naa.Dialect;
import dev.outboard.naa.MrspMessage;
import dev.outboard.naa.NaaConnectException;
import dev.outboard.naa.NaaConnectException.Reason;
import dev.outboard.naa.NaaException;
import dev.outboard.naa.NaaState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The NAAs that a job may use, as a resource manager describes them in the environment variable
/// `NAA_SPEC` (`spec/naaice.md`, section 16): items `address:port:function-code:parameter-count`
/// separated by commas, for example `10.0.0.7:12345:10:2,[fd00::7]::12:1`. An empty port is 12345;
/// the parameter count is that of the inputs.
///
/// Remembers which items are in use by a [NaaSession]. Any thread.
public final class NaaSpec {
    /// The environment variable with the items.
    public static final String SPEC_VARIABLE = "NAA_SPEC";

    /// The environment variable with the local address or host name to connect from.
    public static final String LOCAL_VARIABLE = "NAA_LOCAL_IP";

    private static final System.Logger LOGGER = System.getLogger(NaaSpec.class.getName());
    private static final String EXAMPLE =
            "address:port:function-code:parameter-count, for example 127.0.0.1:12345:1:1";

    /// NAA-MW-18: an IPv6 address stands in brackets.
    private static final Pattern ITEM =
            Pattern.compile("(?:\\[([^\\[\\]]+)]|([^:\\[\\]]+)):(\\d*):(\\d+):(\\d+)");

    private static final int MAX_PORT = 0xffff;

    private final List<Item> items;
    private final List<String> warnings;
    private final Optional<String> local;
    private final Set<Item> inUse = Collections.newSetFromMap(new IdentityHashMap<>());

    /// One NAA that offers one function.
    ///
    /// @param host a name or an address, an IPv6 address without brackets
    /// @param parameterCount how many inputs the function takes
    public record Item(String host, int port, int functionCode, int parameterCount) {
        /// As it would stand in `NAA_SPEC`.
        @Override
        public String toString() {
            String address = host.contains(":") ? "[" + host + "]" : host;
            return "%s:%d:%d:%d".formatted(address, port, functionCode, parameterCount);
        }
    }

    /// The environment of this process, read once.
    private static final class Environment {
        static final NaaSpec SPEC = of(System.getenv());

        static {
            SPEC.warnings.forEach(warning -> LOGGER.log(System.Logger.Level.WARNING, warning));
        }
    }

    private NaaSpec(List<Item> items, List<String> warnings, Optional<String> local) {
        this.items = List.copyOf(items);
        this.warnings = List.copyOf(warnings);
        this.local = local;
    }

    /// What the environment of this process says. Its warnings are logged.
    public static NaaSpec ofEnvironment() {
        return Environment.SPEC;
    }

    /// What an environment says.
    ///
    /// NAA-MW-17: with the local address.
    public static NaaSpec of(Map<String, String> environment) {
        NaaSpec spec = parse(environment.getOrDefault(SPEC_VARIABLE, ""));
        return spec.from(environment.getOrDefault(LOCAL_VARIABLE, ""));
    }

    /// What `text`, the value of an `NAA_SPEC`, says. Malformed items are skipped with a warning.
    ///
    /// NAA-MW-13: items with four fields.
    public static NaaSpec parse(String text) {
        List<Item> items = new ArrayList<>();
        List<String> warnings = new ArrayList<>();
        if (!text.isBlank()) {
            for (String item : text.split(",", -1)) {
                read(item.strip(), items, warnings);
            }
        }
        return new NaaSpec(items, warnings, Optional.empty());
    }

    /// The same NAAs, connected to from this local address or host name; empty lets the routing
    /// decide.
    public NaaSpec from(String localAddress) {
        return new NaaSpec(
                items, warnings, Optional.of(localAddress).filter(name -> !name.isEmpty()));
    }

    /// NAA-MW-14: what is malformed is named, and skipped.
    private static void read(String text, List<Item> items, List<String> warnings) {
        Matcher fields = ITEM.matcher(text);
        if (!fields.matches()) {
            warnings.add(warning(text, "expected " + EXAMPLE));
            return;
        }
        String host = fields.group(1) == null ? fields.group(2) : fields.group(1);
        int port = fields.group(3).isEmpty() ? NaaClient.DEFAULT_PORT : number(fields.group(3));
        int functionCode = number(fields.group(4));
        int parameterCount = number(fields.group(5));
        if (port < 1 || port > MAX_PORT) {
            warnings.add(warning(text, "the port is not in 1 to 65535"));
        } else if (functionCode < 1 || functionCode > Dialect.AP1_2023.maxFunctionCode()) {
            warnings.add(warning(text, "the function code is not in 1 to 255"));
        } else if (parameterCount > MrspMessage.MAX_REGIONS) {
            warnings.add(warning(text, "the parameter count is not in 0 to 255"));
        } else {
            items.add(new Item(host, port, functionCode, parameterCount));
        }
    }

    private static String warning(String item, String why) {
        return "NAA_SPEC: item '%s' is skipped: %s".formatted(item, why);
    }

    /// What is too long for an int is out of every range.
    private static int number(String digits) {
        return digits.length() > 9 ? Integer.MAX_VALUE : Integer.parseInt(digits);
    }

    /// The valid items, in order.
    public List<Item> items() {
        return items;
    }

    /// What was skipped and why, a line each.
    public List<String> warnings() {
        return warnings;
    }

    /// The local address or host name to connect from, if one is set.
    public Optional<String> localAddress() {
        return local;
    }

    /// Takes the first item for the function that is not in use.
    ///
    /// NAA-MW-15: the others stay for others.
    ///
    /// @throws NaaConnectException with NO_NAA if there is none
    synchronized Item take(int functionCode) {
        Optional<Item> free =
                items.stream()
                        .filter(item -> item.functionCode() == functionCode)
                        .filter(item -> !inUse.contains(item))
                        .findFirst();
        free.ifPresent(inUse::add);
        return free.orElseThrow(() ->
                new NaaConnectException(
                        new NaaException.Where(
                                NaaException.Phase.CONNECT,
                                NaaState.INIT,
                                "an NAA for function " + functionCode),
                        Reason.NO_NAA,
                        whyNone(functionCode)));
    }

    /// The item may be taken again.
    synchronized void release(Item item) {
        inUse.remove(item);
    }

    private String whyNone(int functionCode) {
        if (items.isEmpty()) {
            return warnings.isEmpty()
                    ? "NAA_SPEC is not set; expected " + EXAMPLE
                    : String.join("; ", warnings);
        }
        List<Item> offering =
                items.stream().filter(item -> item.functionCode() == functionCode).toList();
        return offering.isEmpty()
                ? "NAA_SPEC offers only " + list(items)
                : "all are in use: " + list(offering) + "; close a session first";
    }

    private static String list(List<Item> items) {
        return items.stream().map(Item::toString).collect(Collectors.joining(", "));
    }
}
