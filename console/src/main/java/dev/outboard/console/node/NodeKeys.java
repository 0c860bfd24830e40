package dev.outboard.console.node;

import static dev.outboard.console.node.ValueType.SIZE;
import static dev.outboard.console.node.ValueType.TIME;
import static dev.outboard.console.node.ValueType.atLeast;

import dev.outboard.ccip.rtl.RtlDesign;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.MrspMessage;
import dev.outboard.naa.server.AddressPrefix;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.offload.KernelLanguage;
import dev.outboard.node.offload.Target;
import dev.outboard.terminal.ByteSize;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/// All keys of a node file: what the reader of the file, the options and the reference page are
/// made of.
final class NodeKeys {
    /// What serves.
    static final NodeKey<String> BIND =
            NodeKey.of(
                    "bind",
                    "--bind",
                    ValueType.ADDRESS,
                    "127.0.0.1",
                    "The local address to serve; 'auto' takes a free loopback address. One process"
                            + " can serve an address");

    static final NodeKey<Integer> PORT =
            NodeKey.of(
                    "port",
                    "--port",
                    ValueType.PORT,
                    "12345",
                    "The port to serve; 0 takes a free one");

    static final NodeKey<Optional<Dialect>> DIALECT =
            NodeKey.of(
                    "dialect", "--dialect", dialects(), "auto", "The dialect to serve; auto: both");

    static final NodeKey<Integer> METRICS =
            NodeKey.of(
                    "metrics",
                    "--metrics",
                    ValueType.PORT,
                    "none",
                    "Show the counters to Prometheus at http://ADDR:PORT/metrics; 0 takes a free"
                            + " port");

    static final NodeKey<Path> JARS =
            new NodeKey<>(
                    "jars",
                    "--routines",
                    ValueType.JAR,
                    true,
                    "none",
                    "Add the routines of the providers in JAR");

    static final NodeKey<Path> ISOLATED =
            new NodeKey<>(
                    "isolated",
                    "--isolated",
                    ValueType.JAR,
                    true,
                    "none",
                    "Add them in processes of their own: what one does there, crash or never end,"
                            + " costs its caller a code, and nobody else anything");

    static final NodeKey<ByteSize> ISOLATED_MEMORY =
            NodeKey.of(
                    "isolated-memory",
                    "--isolated-memory",
                    SIZE,
                    "256MiB",
                    "How much heap such a process may have, and how much other memory");

    static final NodeKey<Boolean> BUILTINS =
            NodeKey.of(
                    "builtins",
                    "--builtins",
                    ValueType.TRUTH,
                    "true",
                    "Whether to offer the routines that come with Outboard; without them the"
                            + " function codes are all yours, and routines of yours are needed");

    static final NodeKey<KernelLanguage> KERNEL =
            NodeKey.of(
                    "kernel",
                    "--kernel",
                    kernels(),
                    "java",
                    "What the node's own programs of a data-path accelerator are written in, on"
                            + " targets dpa, dpa-handler and chain; those in c are compiled when the"
                            + " node starts, by clang and lld");

    /// A routine that is named at all.
    static final NodeKey<String> OFFER =
            new NodeKey<>(
                    "routines.*",
                    "--offer",
                    ValueType.NAME,
                    true,
                    "all",
                    "Offer the routines of these names only");

    static final NodeKey<Path> SYSTEMVERILOG =
            new NodeKey<>(
                    "routines.*.systemverilog",
                    "--systemverilog",
                    ValueType.FILE,
                    true,
                    "none",
                    "Add the routine NAME, a function of a simulated FPGA: its sources in"
                            + " SystemVerilog, packages before those who use them, or lists of these"
                            + " (.txt, .f), and the JSON file with its AFU_ID");

    static final NodeKey<Integer> CODE =
            NodeKey.of(
                    "routines.*.code",
                    "--code",
                    ValueType.number("N", 1, Dialect.UPSTREAM_2026.maxFunctionCode()),
                    "none",
                    "The function code of the routine NAME in SystemVerilog, which needs one");

    static final NodeKey<String> TOP =
            NodeKey.of(
                    "routines.*.top",
                    "--top",
                    ValueType.MODULE,
                    RtlDesign.STANDARD_TOP,
                    "The top module of the routine NAME in SystemVerilog");

    static final NodeKey<Target> TARGET =
            NodeKey.of(
                    "routines.*.target",
                    "--target",
                    targets(),
                    "cpu, of one in SystemVerilog afu",
                    "Where the routine NAME runs: cpu; afu, a function of a simulated FPGA; dpa, a"
                            + " kernel of a simulated data-path accelerator; dpa-handler, a handler"
                            + " of it that answers by itself; or chain, a function of an FPGA that"
                            + " such a handler drives. 'edges' runs on all of them, 'empty' on the"
                            + " cpu and in a handler, one in SystemVerilog on afu and chain, the"
                            + " others on the cpu. With dpa-handler or chain, the node offers the"
                            + " routines there and no others");

    static final NodeKey<Target> FALLBACK =
            NodeKey.of(
                    "routines.*.fallback",
                    "--fallback",
                    targets(),
                    "none",
                    "Where the routine NAME runs when its target cannot be opened, fails or is"
                            + " busy");

    static final NodeKey<Duration> ROUTINE_TIME =
            NodeKey.of(
                    "routines.*.time",
                    "--time",
                    TIME,
                    "what the routine says",
                    "What a call of the routine NAME may take; 0s: as long as any");

    static final NodeKey<Integer> CALLS =
            NodeKey.of(
                    "targets.*.calls",
                    "--target-calls",
                    atLeast(1),
                    "as many as workers",
                    "Calls that the target NAME computes at a time; a short routine on the cpu does"
                            + " not count");

    static final NodeKey<Integer> WAITING =
            NodeKey.of(
                    "targets.*.waiting",
                    "--target-waiting",
                    atLeast(0),
                    "as many as workers",
                    "Calls that may wait for the target NAME, each with a worker; others run on"
                            + " their second target or get code 0x19");

    static final NodeKey<AddressPrefix> ALLOW =
            new NodeKey<>(
                    "limits.allow",
                    "--allow",
                    ValueType.NETWORK,
                    true,
                    "all",
                    "Serve clients of these networks only, for example 10.0.0.0/8,::1/128");

    static final NodeKey<ByteSize> ADDRESS_SPACE =
            limit("address-space", SIZE, "2^56", "Clients may ask for NAA addresses below SIZE");

    static final NodeKey<Integer> BANKS =
            limit(
                    "banks",
                    atLeast(1),
                    "1",
                    "The address space has N banks, and a region lies in one");

    static final NodeKey<Duration> SHUTDOWN_TIME =
            limit(
                    "shutdown-time",
                    TIME,
                    "5s",
                    "What running calls get to finish when the node ends");

    /// A limit of the server with a setting of its own.
    record Limit<T>(NodeKey<T> key, BiConsumer<ServerOptions.Builder, T> setting) {
        /// Sets it, if anything is said about it.
        void apply(Settings settings, ServerOptions.Builder builder) {
            settings.find(key).ifPresent(found -> setting.accept(builder, found.value()));
        }
    }

    /// In an order in which those that say more come later.
    static final List<Limit<?>> LIMITS =
            List.of(
                    new Limit<>(
                            limit("max-connections", atLeast(1), "64", "Clients at a time"),
                            ServerOptions.Builder::maxConnections),
                    new Limit<>(
                            limit(
                                    "max-address-connections",
                                    atLeast(1),
                                    "three quarters of all, from this machine all",
                                    "Clients from one address at a time"),
                            ServerOptions.Builder::maxAddressConnections),
                    new Limit<>(
                            limit(
                                    "max-regions",
                                    ValueType.number("N", 1, MrspMessage.MAX_REGIONS),
                                    "" + MrspMessage.MAX_REGIONS,
                                    "Regions of one client"),
                            ServerOptions.Builder::maxRegions),
                    new Limit<>(
                            limit(
                                    "max-memory",
                                    SIZE,
                                    "half of the machine's",
                                    "Memory for the regions of all clients"),
                            (builder, size) ->
                                    builder.maxTotalBytes(size.bytes())
                                            .maxConnectionBytes(size.bytes())),
                    new Limit<>(
                            limit(
                                    "max-client-memory",
                                    SIZE,
                                    "a quarter of the machine's, or all of --max-memory",
                                    "Memory for the regions of one client"),
                            (builder, size) -> builder.maxConnectionBytes(size.bytes())),
                    new Limit<>(
                            limit(
                                    "max-address-memory",
                                    SIZE,
                                    "three quarters of that of all, from this machine all",
                                    "Memory for the regions of all clients from one address"),
                            (builder, size) -> builder.maxAddressBytes(size.bytes())),
                    time(
                            "setup-time",
                            "10s",
                            "What a client may take to set up its regions",
                            ServerOptions.Builder::setupLimit),
                    time(
                            "idle-time",
                            "0s: for ever",
                            "How long a client may be without a call",
                            ServerOptions.Builder::idleLimit),
                    time(
                            "transfer-time",
                            "60s, 0s for ever",
                            "What a client may take to get an answer",
                            ServerOptions.Builder::transferLimit),
                    time(
                            "evict-after",
                            "10s, 0s for ever",
                            "How long a client may be without a call when others want its place",
                            ServerOptions.Builder::evictAfter),
                    time(
                            "probe-interval",
                            "5s",
                            "How often a silent client is asked whether it is there",
                            ServerOptions.Builder::probeInterval),
                    time(
                            "probe-time",
                            "5s",
                            "What a client may take to answer a probe",
                            ServerOptions.Builder::probeLimit),
                    time(
                            "rpc-time",
                            "60s, 0s for ever",
                            "What a call may take",
                            ServerOptions.Builder::routineLimit),
                    new Limit<>(
                            limit(
                                    "workers",
                                    atLeast(1),
                                    "one more than processors",
                                    "Calls computed at a time"),
                            ServerOptions.Builder::workers),
                    new Limit<>(
                            limit(
                                    "max-address-workers",
                                    atLeast(1),
                                    "all but one",
                                    "Calls from one address computed at a time"),
                            ServerOptions.Builder::maxAddressWorkers),
                    new Limit<>(
                            limit(
                                    "max-queued",
                                    atLeast(0),
                                    "64",
                                    "Calls that may wait for a worker"),
                            ServerOptions.Builder::maxQueuedRpcs),
                    time(
                            "short-time",
                            "1ms",
                            "What a routine that says it is short may take, again and again",
                            ServerOptions.Builder::shortLimit),
                    time(
                            "spin",
                            "20us",
                            "How long the node polls before it sleeps",
                            ServerOptions.Builder::spin),
                    new Limit<>(SHUTDOWN_TIME, ServerOptions.Builder::shutdownLimit));

    /// What counts from a reload on.
    static final List<NodeKey<?>> OF_ROUTINES =
            List.of(
                    JARS,
                    ISOLATED,
                    ISOLATED_MEMORY,
                    BUILTINS,
                    KERNEL,
                    OFFER,
                    SYSTEMVERILOG,
                    CODE,
                    TOP,
                    TARGET,
                    FALLBACK,
                    ROUTINE_TIME,
                    CALLS,
                    WAITING);

    /// What limits whom a node serves, and what they get.
    static final List<NodeKey<?>> OF_LIMITS = ofLimits();

    /// All, in the order of the reference page.
    static final List<NodeKey<?>> ALL = all();

    private NodeKeys() {}

    /// What counts when the node is started again.
    static List<NodeKey<?>> ofStart() {
        return ALL.stream().filter(key -> !OF_ROUTINES.contains(key)).toList();
    }

    /// The names that a key can have in the place of its `*`; empty if they are the user's.
    ///
    /// @param section before the name
    static List<String> names(String section) {
        return section.equals("targets") ? TARGET.type().words() : List.of();
    }

    private static <T> NodeKey<T> limit(
            String word, ValueType<T> type, String standard, String meaning) {
        return NodeKey.of("limits." + word, "--" + word, type, standard, meaning);
    }

    private static Limit<Duration> time(
            String word,
            String standard,
            String meaning,
            BiConsumer<ServerOptions.Builder, Duration> setting) {
        return new Limit<>(limit(word, TIME, standard, meaning), setting);
    }

    private static List<NodeKey<?>> ofLimits() {
        List<NodeKey<?>> keys = new ArrayList<>(List.of(ALLOW));
        LIMITS.forEach(one -> keys.add(one.key()));
        keys.addAll(List.of(ADDRESS_SPACE, BANKS));
        return List.copyOf(keys);
    }

    private static List<NodeKey<?>> all() {
        List<NodeKey<?>> keys = new ArrayList<>(List.of(BIND, PORT, DIALECT, METRICS));
        keys.addAll(OF_ROUTINES);
        keys.addAll(OF_LIMITS);
        return List.copyOf(keys);
    }

    private static ValueType<Optional<Dialect>> dialects() {
        Map<String, Optional<Dialect>> words = new LinkedHashMap<>();
        words.put("auto", Optional.empty());
        Arrays.stream(Dialect.values())
                .forEach(dialect -> words.put(dialect.toString(), Optional.of(dialect)));
        return ValueType.oneOf("DIALECT", words);
    }

    private static ValueType<KernelLanguage> kernels() {
        Map<String, KernelLanguage> words = new LinkedHashMap<>();
        Arrays.stream(KernelLanguage.values()).forEach(one -> words.put(one.word(), one));
        return ValueType.oneOf("LANGUAGE", words);
    }

    private static ValueType<Target> targets() {
        Map<String, Target> words = new LinkedHashMap<>();
        Arrays.stream(Target.values()).forEach(target -> words.put(target.word(), target));
        return ValueType.oneOf("TARGET", words);
    }
}
