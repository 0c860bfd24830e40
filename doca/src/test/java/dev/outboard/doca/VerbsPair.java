package dev.outboard.doca;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.SendRequest;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/// Two connected queue pairs in the protection domains of two devices: what uses an mmap when there
/// is no context.
final class VerbsPair implements AutoCloseable {
    private static final long PATIENCE_NANOS = Duration.ofSeconds(20).toNanos();
    private static final int DEPTH = 4;

    private final CompletionQueue completions;
    private final CompletionQueue peerCompletions;
    private final QueuePair queuePair;
    private final QueuePair peer;

    VerbsPair(DocaDev dev, DocaDev peerDev) {
        Device device = dev.protectionDomain().device();
        Device peerDevice = peerDev.protectionDomain().device();
        completions = device.createCompletionQueue(2 * DEPTH);
        peerCompletions = peerDevice.createCompletionQueue(2 * DEPTH);
        queuePair =
                dev.protectionDomain()
                        .createQueuePair(QueuePairAttributes.of(completions, DEPTH, DEPTH));
        peer =
                peerDev.protectionDomain()
                        .createQueuePair(QueuePairAttributes.of(peerCompletions, DEPTH, DEPTH));
        initialize(queuePair);
        initialize(peer);
        connect(queuePair, peerDevice, peer.number());
        connect(peer, device, queuePair.number());
    }

    /// Posts `request` on the first device and waits for how it ends.
    Completion complete(SendRequest request) {
        if (!queuePair.post(request)) {
            throw new AssertionError("the queue is full");
        }
        Completion completion = new Completion();
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!completions.poll(completion)) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("no completion");
            }
            completions.requestNotification(false);
            if (completions.poll(completion)) {
                break;
            }
            completions.await(TimeUnit.SECONDS.toNanos(1));
        }
        return completion;
    }

    @Override
    public void close() {
        queuePair.close();
        peer.close();
        completions.close();
        peerCompletions.close();
    }

    private static void initialize(QueuePair pair) {
        pair.modify(
                QueuePairChange.to(QueuePairState.INIT)
                        .access(Access.REMOTE_WRITE, Access.REMOTE_READ));
    }

    private static void connect(QueuePair pair, Device peerDevice, int peerNumber) {
        pair.modify(
                QueuePairChange.to(QueuePairState.READY_TO_RECEIVE)
                        .addressVector(AddressVector.to(peerDevice.address()))
                        .destinationNumber(peerNumber)
                        .pathMtu(1024)
                        .receivePsn(0)
                        .maxDestinationReadAtomic(1)
                        .minRnrTimer(12));
        pair.modify(
                QueuePairChange.to(QueuePairState.READY_TO_SEND)
                        .sendPsn(0)
                        .maxReadAtomic(1)
                        .timeout(14)
                        .retryCount(7)
                        .rnrRetryCount(7));
    }
}
