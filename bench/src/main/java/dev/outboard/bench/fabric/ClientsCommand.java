package dev.outboard.bench.fabric;

import dev.outboard.bench.comparison.ComparisonCommand;
import dev.outboard.bench.comparison.Contender;
import dev.outboard.bench.comparison.Ours;
import dev.outboard.bench.comparison.Work;
import dev.outboard.bench.comparison.Work.Unit;
import dev.outboard.bench.fabric.ClientsSubject.Figure;
import dev.outboard.bench.fabric.ClientsSubject.Style;
import java.util.List;
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
            "Netty doing the same on a connection each."
        },
        footer = {
            "",
            "Works: rate-1, rate-8, rate-64, rate-256, tail-1, tail-8, tail-64, tail-256.",
            "Peers on the JVM are built by: ./mvnw -pl bench/peers package -DskipTests"
        })
public final class ClientsCommand extends ComparisonCommand {
    private static final int[] CLIENTS = {1, 8, 64, 256};
    private static final String BYTES = "64";

    private final Home home = Home.here();

    @Mixin private PeerChoice peers;

    /// For picocli.
    public ClientsCommand() {}

    @Override
    protected List<Work> works() {
        return peers.of(
                Stream.concat(
                                IntStream.of(CLIENTS).mapToObj(this::rate),
                                IntStream.of(CLIENTS).mapToObj(ClientsCommand::tail))
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
                        new JvmPeer("Netty tcp", home, "netty-clients", BYTES, count),
                        new JvmPeer("gRPC", home, "grpc-clients", BYTES, count)));
    }

    private static Work tail(int clients) {
        return new Work(
                "tail-" + clients,
                "time of an RPC of the empty routine, " + clients(clients),
                Unit.TIME,
                List.of(
                        ours("Outboard, threads: median", clients, Style.THREADS, Figure.MEDIAN),
                        ours("Outboard, threads: p99", clients, Style.THREADS, Figure.P99),
                        ours("Outboard, futures: median", clients, Style.FUTURES, Figure.MEDIAN),
                        ours("Outboard, futures: p99", clients, Style.FUTURES, Figure.P99)));
    }

    private static String clients(int clients) {
        return clients == 1 ? "1 client" : clients + " clients";
    }

    private static Contender ours(String name, int clients, Style style, Figure figure) {
        return new Ours(name, () -> new ClientsSubject(clients, style, figure));
    }
}
