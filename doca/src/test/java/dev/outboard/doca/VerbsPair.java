package dev.outboard.doca;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.contract.Completions;
import dev.outboard.fabric.contract.VerbsEnd;

/// Two connected queue pairs in the protection domains of two devices: what uses an mmap when there
/// is no context.
final class VerbsPair implements AutoCloseable {
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
        VerbsEnd.connect(device, queuePair, peerDevice, peer);
    }

    /// Posts `request` on the first device and waits for how it ends.
    Completion complete(SendRequest request) {
        if (!queuePair.post(request)) {
            throw new AssertionError("the queue is full");
        }
        return Completions.await(completions);
    }

    @Override
    public void close() {
        queuePair.close();
        peer.close();
        completions.close();
        peerCompletions.close();
    }
}
