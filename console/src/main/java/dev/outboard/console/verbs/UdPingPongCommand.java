package dev.outboard.console.verbs;

import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.SendRequest;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `outboard verbs ud-pingpong`: datagrams.
@Command(
        name = "ud-pingpong",
        sortOptions = false,
        description = {
            "Bounce datagrams, like ibv_ud_pingpong.",
            "A message is one packet, so -s is at most the path MTU. One that is lost ends it."
        })
final class UdPingPongCommand extends PingPongTool {
    private static final int QUEUE_KEY = 0x1111_1111;

    @Mixin private ToolOptions options;

    @Override
    ToolOptions options() {
        return options;
    }

    @Override
    int defaultSize() {
        return 2048;
    }

    @Override
    int headerBytes() {
        return MessageEnd.ROUTE_HEADER_BYTES;
    }

    @Override
    PingPong.Queues createQueues(ProtectionDomain domain, CompletionQueue queue, int depth) {
        QueuePair pair =
                domain.createQueuePair(
                        QueuePairAttributes.of(queue, SENDS, depth)
                                .withType(QueuePairType.UNRELIABLE_DATAGRAM));
        pair.modify(QueuePairChange.to(QueuePairState.INIT).queueKey(QUEUE_KEY));
        return new PingPong.Queues(List.of(pair), pair::post);
    }

    @Override
    void connect(QueuePair pair, int psn, PairAddress remote) {
        pair.modify(QueuePairChange.to(QueuePairState.READY_TO_RECEIVE));
        pair.modify(QueuePairChange.to(QueuePairState.READY_TO_SEND).sendPsn(psn));
    }

    @Override
    void address(SendRequest request, ProtectionDomain domain, PairAddress remote) {
        request.to(
                domain.createAddressHandle(AddressVector.to(remote.address())),
                remote.number(),
                QUEUE_KEY);
    }
}
