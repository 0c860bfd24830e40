package dev.outboard.bench.fabric;

import dev.outboard.bench.comparison.ComparisonCommand;
import dev.outboard.bench.comparison.Contender;
import dev.outboard.bench.comparison.Ours;
import dev.outboard.bench.comparison.Work;
import dev.outboard.bench.comparison.Work.Unit;
import dev.outboard.bench.fabric.ClientsSubject.Figure;
import dev.outboard.bench.fabric.ClientsSubject.Scene;
import dev.outboard.bench.fabric.ClientsSubject.Style;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `outboard bench clients`: one node and many clients, next to floors and peers.
@Command(
        name = "clients",
        sortOptions = false,
        description = {
            "Measure RPCs of many clients of one node over loopback.",
            "Each client has one RPC of the empty routine with 64 bytes in and out in flight. In turn",
            "with the same packets from as many addresses without a protocol, in C, and with gRPC and",
            "Netty doing the same on a connection each. Then what clients cost that do nothing, what",
            "large answers to many at once, a stream beside them and a program that takes a processor",
            "do, and what a node and clients in processes of their own reach."
        },
        footer = {
            "",
            "Works: rate-1, rate-8, rate-64, rate-256, tail-1, tail-8, tail-64, tail-256,",
            "idle-256, crowd, incast, beside-stream, beside-load, apart-8, apart-64, apart-256.",
            "Peers on the JVM are built by: ./mvnw -pl bench/peers package -DskipTests"
        })
public final class ClientsCommand extends ComparisonCommand {
    private static final int[] CLIENTS = {1, 8, 64, 256};
    private static final int[] CLIENTS_APART = {8, 64, 256};
    private static final int SMALL = 64;
    private static final int INCAST = 64 << 10;
    private static final int STREAM = 4 << 20;
    private static final String BYTES = String.valueOf(SMALL);

    private final Home home = Home.here();

    @Mixin private PeerChoice peers;

    /// For picocli.
    public ClientsCommand() {}

    @Override
    protected List<Work> works() {
        return peers.of(
                Stream.of(
                                IntStream.of(CLIENTS).mapToObj(this::rate),
                                IntStream.of(CLIENTS).mapToObj(this::tail),
                                Stream.of(idle(), crowd(), incast(), besideStream(), besideLoad()),
                                IntStream.of(CLIENTS_APART).mapToObj(this::apart))
                        .flatMap(Function.identity())
                        .toList());
    }

    @Override
    protected String furtherOptions() {
        return peers.option();
    }

    private Work rate(int clients) {
        String count = String.valueOf(clients);
        CFloor.Program floor = CFloor.Program.fabric(home);
        return new Work(
                "rate-" + count,
                "RPCs of the empty routine, " + clients(clients),
                Unit.MESSAGES,
                List.of(
                        ours("Outboard, threads", clients, Style.THREADS, Figure.RATE),
                        ours("Outboard, futures", clients, Style.FUTURES, Figure.RATE),
                        new CFloor(
                                "same packets in C, polled",
                                floor,
                                "clients",
                                "poll",
                                BYTES,
                                count),
                        new CFloor(
                                "same packets in C, asleep",
                                floor,
                                "clients",
                                "block",
                                BYTES,
                                count),
                        new JvmPeer(
                                "Netty tcp, polled", home, "netty-clients", "poll", BYTES, count),
                        new JvmPeer(
                                "Netty tcp, asleep", home, "netty-clients", "block", BYTES, count),
                        new JvmPeer("gRPC", home, "grpc-clients", BYTES, count)));
    }

    private Work tail(int clients) {
        List<Contender> contenders = new ArrayList<>();
        CFloor.Program floor = CFloor.Program.fabric(home);
        for (Figure figure : List.of(Figure.MEDIAN, Figure.P99)) {
            boolean isMedian = figure == Figure.MEDIAN;
            String end = isMedian ? ": median" : ": p99";
            contenders.add(ours("Outboard, threads" + end, clients, Style.THREADS, figure));
            contenders.add(ours("Outboard, futures" + end, clients, Style.FUTURES, figure));
            if (clients == 1) {
                String mode = isMedian ? "rpc" : "tail";
                contenders.add(new CFloor("same packets in C" + end, floor, mode, "poll", BYTES));
                contenders.add(
                        new JvmPeer(
                                "same packets in Java" + end,
                                home,
                                "floor-" + mode,
                                "poll",
                                BYTES));
            }
        }
        return new Work(
                "tail-" + clients,
                "time of an RPC of the empty routine, " + clients(clients),
                Unit.TIME,
                contenders);
    }

    private static Work idle() {
        return new Work(
                "idle-256",
                "processor time in a second of a node and 256 clients that do nothing",
                Unit.TIME,
                List.of(
                        ours(
                                "Outboard",
                                new Scene(0, Style.FUTURES, SMALL, 256, 0),
                                Figure.PROCESSOR_TIME_PER_SECOND)));
    }

    /// Clients that do nothing would take processor time in the rounds of the others too.
    private static Work crowd() {
        return new Work(
                "crowd",
                "processor time of an RPC of the empty routine, both sides, 16 clients; not in turns",
                Unit.TIME,
                List.of(
                        kept(
                                "among 10,000 that do nothing",
                                new Scene(16, Style.FUTURES, SMALL, 10_000, 0),
                                Figure.PROCESSOR_TIME),
                        kept(
                                "alone",
                                new Scene(16, Style.FUTURES, SMALL, 0, 0),
                                Figure.PROCESSOR_TIME)),
                false);
    }

    private static Work incast() {
        Scene scene = new Scene(100, Style.FUTURES, INCAST, 0, 0);
        return new Work(
                "incast",
                "time of an RPC of the empty routine, 100 clients with 64 KiB in and out each",
                Unit.TIME,
                List.of(
                        ours("Outboard: median", scene, Figure.MEDIAN),
                        ours("Outboard: p99", scene, Figure.P99)));
    }

    private static Work besideStream() {
        return new Work(
                "beside-stream",
                "p99 of the time of an RPC of the empty routine",
                Unit.TIME,
                List.of(
                        ours(
                                "beside a client with 4 MiB in and out",
                                new Scene(1, Style.THREADS, SMALL, 0, STREAM),
                                Figure.P99),
                        ours("alone", new Scene(1, Style.THREADS, SMALL, 0, 0), Figure.P99)));
    }

    /// Where both sides poll for a while before they sleep, which is what they do without options.
    private static Work besideLoad() {
        Scene scene = new Scene(1, Style.THREADS, SMALL, 0, 0);
        return new Work(
                "beside-load",
                "median of the time of an RPC of the empty routine",
                Unit.TIME,
                List.of(
                        new Ours(
                                "beside a program that takes a processor",
                                () -> new BesideLoad(new ClientsSubject(scene, Figure.MEDIAN))),
                        ours("alone", scene, Figure.MEDIAN)));
    }

    private Work apart(int clients) {
        return new Work(
                "apart-" + clients,
                "RPCs of the empty routine, %d clients in %d processes, the server in another"
                        .formatted(clients, Apart.CLIENT_PROCESSES),
                Unit.MESSAGES,
                List.of(
                        Apart.outboard("Outboard, threads", Style.THREADS, SMALL, clients),
                        Apart.outboard("Outboard, futures", Style.FUTURES, SMALL, clients),
                        Apart.grpc(home, SMALL, clients)));
    }

    private static String clients(int clients) {
        return clients == 1 ? "1 client" : clients + " clients";
    }

    private static Contender ours(String name, int clients, Style style, Figure figure) {
        return ours(name, new Scene(clients, style, SMALL, 0, 0), figure);
    }

    private static Contender ours(String name, Scene scene, Figure figure) {
        return new Ours(name, () -> new ClientsSubject(scene, figure));
    }

    /// One whose clients stay connected from round to round.
    private static Contender kept(String name, Scene scene, Figure figure) {
        return Ours.kept(name, () -> new ClientsSubject(scene, figure));
    }
}
