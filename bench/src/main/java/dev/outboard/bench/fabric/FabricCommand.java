package dev.outboard.bench.fabric;

import dev.outboard.bench.comparison.ComparisonCommand;
import dev.outboard.bench.comparison.Work;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `outboard bench fabric`: latency, bandwidth and message rate next to floors and peers.
@Command(
        name = "fabric",
        sortOptions = false,
        description = {
            "Measure the RoCEv2 stack over loopback.",
            "In turn with floors (the same packets without a protocol, in C and in Java) and with",
            "every peer that is installed.",
            "Both sides poll, so a machine needs two free processors for meaningful numbers."
        },
        footer = {
            "",
            "Works: rpc, rpc-blocking, rpc-4m, verbs, bulk-1m, bulk-64m, operations, rate,",
            "rate-8, rate-64.",
            "Floors and peers on the JVM are built by: ./mvnw -pl bench/peers package -DskipTests"
        })
public final class FabricCommand extends ComparisonCommand {
    @Mixin private PeerChoice peers;

    /// For picocli.
    public FabricCommand() {}

    @Override
    protected List<Work> works() {
        return peers.of(new Works(Home.here()).all());
    }

    @Override
    protected String furtherOptions() {
        return peers.option();
    }
}
