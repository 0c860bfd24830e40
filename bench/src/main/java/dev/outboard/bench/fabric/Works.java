package dev.outboard.bench.fabric;

import dev.outboard.bench.comparison.Contender;
import dev.outboard.bench.comparison.Ours;
import dev.outboard.bench.comparison.Work;
import dev.outboard.bench.comparison.Work.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.DoubleUnaryOperator;
import java.util.regex.Pattern;

/// What is compared with what. Nobody is pinned to a processor: neither are our threads, nor do the
/// programs of others pin theirs unless they are told to.
final class Works {
    private static final int SMALL = 64;
    private static final int MIB = 1 << 20;
    private static final double MICROS = 1e3;
    private static final double MEGABYTES = 1e6;

    /// UCX as over a network: an accelerator behind one shares no memory with its clients. On
    /// loopback alone, as everybody else: by itself it takes the network card besides.
    private static final Map<String, String> OVER_TCP =
            Map.of("UCX_TLS", "tcp", "UCX_NET_DEVICES", "lo");

    private static final Map<String, String> AS_IT_IS = Map.of();

    /// iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr
    private static final Pattern UCX_MEDIAN =
            Pattern.compile("(?m)^\\d+,([0-9.]+),(?:[0-9.]+,){5}[0-9.]+$");

    private static final Pattern UCX_RATE = Pattern.compile("(?m)^\\d+,(?:[0-9.]+,){6}([0-9.]+)$");

    /// bytes #sent #ack total time MB/sec usec/xfer Mxfers/sec
    private static final Pattern PINGPONG_MICROS =
            Pattern.compile("(?m)^\\S+ +\\S+ +\\S+ +\\S+ +\\S+ +[0-9.]+ +([0-9.]+) +[0-9.]+ *$");

    private static final Pattern PINGPONG_MEGABYTES =
            Pattern.compile("(?m)^\\S+ +\\S+ +\\S+ +\\S+ +\\S+ +([0-9.]+) +[0-9.]+ +[0-9.]+ *$");

    private static final Pattern IPERF_RECEIVED =
            Pattern.compile("(?m)([0-9.]+) Mbits/sec +receiver");

    private final Home home;
    private final CFloor.Program floor;
    private final List<Work> works;

    Works(Home home) {
        this.home = home;
        this.floor = CFloor.Program.fabric(home);
        this.works =
                List.of(
                        emptyRpc(),
                        emptyRpcBlocking(),
                        largeRpc(),
                        latency(),
                        stream("bulk-1m", "WRITE of 1 MiB, one direction", MIB),
                        stream("bulk-64m", "WRITE of 64 MiB, one direction", 64 * MIB),
                        operations(),
                        messageRate("rate", VerbsPair.DEPTH),
                        messageRate("rate-8", 8),
                        messageRate("rate-64", 64));
    }

    List<Work> all() {
        return works;
    }

    private Work emptyRpc() {
        return new Work(
                "rpc",
                "RPC of the empty routine, 64 bytes in and out, all sides poll",
                Unit.TIME,
                List.of(
                        ours("Outboard RPC", () -> new RpcSubject(SMALL, false)),
                        floor("same packets in C", "rpc", "poll", SMALL),
                        jvm("same packets in Java", "floor-rpc", "poll", "64"),
                        floor("UDP ping-pong in C", "udp", "poll", SMALL),
                        ucxLatency("UCX tcp active message", "ucp_am_lat"),
                        ucxLatency("UCX tcp tag", "tag_lat"),
                        ucxLatency("UCX tcp stream", "stream_lat"),
                        pingPong(
                                "libfabric tcp",
                                "tcp",
                                "msg",
                                SMALL,
                                PINGPONG_MICROS,
                                Works::roundTrip),
                        pingPong(
                                "libfabric udp",
                                "udp;ofi_rxd",
                                "rdm",
                                SMALL,
                                PINGPONG_MICROS,
                                Works::roundTrip),
                        jvm("Aeron UDP", "aeron-latency", "64"),
                        jvm("Netty tcp, polled", "netty", "poll", "64"),
                        jvm("Netty tcp, asleep", "netty", "block", "64"),
                        jvm("gRPC", "grpc", "64")));
    }

    private Work emptyRpcBlocking() {
        return new Work(
                "rpc-blocking",
                "RPC of the empty routine, 64 bytes in and out, all sides sleep at once",
                Unit.TIME,
                List.of(
                        ours("Outboard RPC", () -> new RpcSubject(SMALL, true)),
                        floor("same packets in C", "rpc", "block", SMALL),
                        jvm("same packets in Java", "floor-rpc", "block", "64"),
                        jvm("Netty tcp, asleep", "netty", "block", "64"),
                        jvm("gRPC", "grpc", "64")));
    }

    private Work largeRpc() {
        return new Work(
                "rpc-4m",
                "RPC of the empty routine, 4 MiB in and out, all sides poll",
                Unit.TIME,
                List.of(
                        ours("Outboard RPC", () -> new RpcSubject(4 * MIB, false)),
                        jvm("gRPC", "grpc", String.valueOf(4 * MIB))));
    }

    private Work latency() {
        return new Work(
                "verbs",
                "round trip of 64 bytes through the verbs, all sides poll",
                Unit.TIME,
                List.of(
                        ours("WRITE with immediate", latency(true)),
                        ours("SEND", latency(false)),
                        ours(
                                "READ",
                                () -> new VerbsLatency(VerbsLatency.Operation.READ, SMALL, false)),
                        jvm("same packets in Java", "floor-rpc", "poll", "64"),
                        floor("same packets in C", "rpc", "poll", SMALL)));
    }

    private static Callable<Ours.Subject> latency(boolean writes) {
        VerbsLatency.Operation operation =
                writes ? VerbsLatency.Operation.WRITE_WITH_IMMEDIATE : VerbsLatency.Operation.SEND;
        return () -> new VerbsLatency(operation, SMALL, false);
    }

    private Work stream(String name, String title, int bytes) {
        String size = String.valueOf(bytes);
        return new Work(
                name,
                title,
                Unit.BANDWIDTH,
                List.of(
                        ours("Outboard WRITE", stream(VerbsStream.Operation.WRITE, bytes)),
                        floor("same packets in C", "stream", "poll", bytes),
                        jvm("same packets in Java", "floor-stream", size),
                        new ClientServer(
                                "iperf3 tcp",
                                "iperf3",
                                "iperf3 -s -1 -p PORT",
                                // Its first second is warm-up.
                                "iperf3 -c 127.0.0.1 -p PORT -O 1 -t SECONDS -f m",
                                AS_IT_IS,
                                IPERF_RECEIVED,
                                megabits -> megabits * MEGABYTES / Byte.SIZE),
                        pingPong(
                                "libfabric udp",
                                "udp;ofi_rxd",
                                "rdm",
                                MIB,
                                PINGPONG_MEGABYTES,
                                megabytes -> megabytes * MEGABYTES),
                        // 8096, 32 KiB and 128 KiB are slower.
                        jvm("Aeron UDP 64 KiB", "aeron-stream", "65472")));
    }

    private Work operations() {
        return new Work(
                "operations",
                "messages of 1 MiB, one direction",
                Unit.BANDWIDTH,
                List.of(
                        ours("WRITE", stream(VerbsStream.Operation.WRITE, MIB)),
                        ours("SEND", stream(VerbsStream.Operation.SEND, MIB)),
                        ours("READ", stream(VerbsStream.Operation.READ, MIB))));
    }

    /// Those without a choice of how many are on their way take part only where it is the most.
    private Work messageRate(String name, int inFlight) {
        List<Contender> contenders = new ArrayList<>();
        contenders.add(rate("Outboard WRITE", VerbsStream.Operation.WRITE, inFlight));
        contenders.add(rate("Outboard SEND", VerbsStream.Operation.SEND, inFlight));
        contenders.add(
                new CFloor(
                        "same packets in C",
                        floor,
                        "rate",
                        "poll",
                        String.valueOf(SMALL),
                        String.valueOf(inFlight)));
        if (inFlight == VerbsPair.DEPTH) {
            contenders.add(jvm("same packets in Java", "floor-rate", "64"));
            contenders.add(ucxRate("UCX tcp active message", "ucp_am_bw"));
            contenders.add(ucxRate("UCX tcp tag", "tag_bw"));
            contenders.add(ucxRate("UCX tcp stream", "stream_bw"));
        }
        return new Work(
                name,
                "messages of 64 bytes, one direction, %d on their way".formatted(inFlight),
                Unit.MESSAGES,
                contenders);
    }

    private static Contender rate(String name, VerbsStream.Operation operation, int inFlight) {
        return ours(name, () -> new VerbsStream(operation, SMALL, inFlight, false));
    }

    private static Contender ours(String name, Callable<Ours.Subject> maker) {
        return new Ours(name, maker);
    }

    private static Callable<Ours.Subject> stream(VerbsStream.Operation operation, long bytes) {
        return () -> new VerbsStream(operation, bytes);
    }

    /// Programs print the time of one way, in microseconds.
    private static double roundTrip(double oneWay) {
        return 2 * MICROS * oneWay;
    }

    private Contender floor(String name, String mode, String wait, int bytes) {
        return new CFloor(name, floor, mode, wait, String.valueOf(bytes));
    }

    private Contender jvm(String name, String... arguments) {
        return new JvmPeer(name, home, arguments);
    }

    private static Contender ucxLatency(String name, String test) {
        return ucx(name, test, 50_000, UCX_MEDIAN, Works::roundTrip);
    }

    private static Contender ucxRate(String name, String test) {
        return ucx(name, test, 500_000, UCX_RATE, rate -> rate);
    }

    private static Contender ucx(
            String name, String test, int count, Pattern result, DoubleUnaryOperator scale) {
        return new ClientServer(
                name,
                "ucx-utils",
                "ucx_perftest -p PORT",
                "ucx_perftest 127.0.0.1 -p PORT -t %s -s %d -n %d -w %d -f -v"
                        .formatted(test, SMALL, count, count / 10),
                OVER_TCP,
                result,
                scale);
    }

    private static Contender pingPong(
            String name,
            String provider,
            String endpoint,
            int bytes,
            Pattern result,
            DoubleUnaryOperator scale) {
        return new ClientServer(
                name,
                "libfabric-bin",
                "fi_pingpong -p %s -e %s -B PORT".formatted(provider, endpoint),
                "fi_pingpong -p %s -e %s -I %d -S %d -P PORT 127.0.0.1"
                        .formatted(provider, endpoint, bytes > SMALL ? 100 : 10_000, bytes),
                AS_IT_IS,
                result,
                scale);
    }
}
