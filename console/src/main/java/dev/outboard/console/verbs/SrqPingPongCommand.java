package dev.outboard.console.verbs;

import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.SharedReceiveQueue;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `outboard verbs srq-pingpong`: many reliable connections, one shared receive queue.
@Command(
        name = "srq-pingpong",
        sortOptions = false,
        description = {
            "Bounce messages over connections with a shared receive queue, like ibv_srq_pingpong.",
            "Both sides need the same -q."
        })
final class SrqPingPongCommand extends PingPongTool {
    /// The sides exchange as many addresses, whatever -q is.
    private static final int MOST_PAIRS = 256;

    @Option(
            names = {"-q", "--num-qp"},
            paramLabel = "N",
            defaultValue = "16",
            description = "Queue pairs, default 16, at most 256.")
    private int pairCount;

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

    /// The original sends from the buffer it receives to, which holds zeros at first: any other
    /// filling would come back mixed with them.
    @Override
    byte filling() {
        return 0;
    }

    @Override
    int addressCount() {
        return MOST_PAIRS;
    }

    @Override
    PingPong.Queues createQueues(ProtectionDomain domain, CompletionQueue queue, int depth) {
        require("-q", pairCount, 1, MOST_PAIRS);
        SharedReceiveQueue shared = domain.createSharedReceiveQueue(depth, 1);
        List<QueuePair> pairs = new ArrayList<>();
        for (int i = 0; i < pairCount; i++) {
            QueuePair pair =
                    domain.createQueuePair(
                            QueuePairAttributes.of(queue, SENDS, 0).withSharedReceiveQueue(shared));
            OutOfBand.initialize(pair);
            pairs.add(pair);
        }
        return new PingPong.Queues(pairs, shared::post);
    }

    @Override
    void connect(QueuePair pair, int psn, PairAddress remote) {
        OutOfBand.connect(pair, psn, remote, mtu, 1);
    }
}
