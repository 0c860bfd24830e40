package dev.outboard.console.verbs;

import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `outboard verbs rc-pingpong`: one reliable connection.
@Command(
        name = "rc-pingpong",
        sortOptions = false,
        description = "Bounce messages over a reliable connection, like ibv_rc_pingpong.")
final class RcPingPongCommand extends PingPongTool {
    @Option(
            names = {"-m", "--mtu"},
            paramLabel = "BYTES",
            defaultValue = "1024",
            description = "Path MTU, the same on both sides: 256 to 4096, default 1024.")
    private int mtu;

    @Mixin private ToolOptions options;

    @Override
    ToolOptions options() {
        return options;
    }

    @Override
    int defaultSize() {
        return 4096;
    }

    @Override
    PingPong.Queues createQueues(ProtectionDomain domain, CompletionQueue queue, int depth) {
        QueuePair pair = domain.createQueuePair(QueuePairAttributes.of(queue, SENDS, depth));
        OutOfBand.initialize(pair);
        return new PingPong.Queues(List.of(pair), pair::post);
    }

    @Override
    void connect(QueuePair pair, int psn, PairAddress remote) {
        OutOfBand.connect(pair, psn, remote, mtu, 1);
    }
}
