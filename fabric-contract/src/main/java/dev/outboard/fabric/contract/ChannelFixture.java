package dev.outboard.fabric.contract;

import dev.outboard.fabric.CompletionChannel;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.NotificationHandle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// A device, a completion channel on it, and two ends of a connection of the device to itself.
final class ChannelFixture implements AutoCloseable {
    final Device device;
    final CompletionChannel channel;
    final VerbsEnd sender;
    final VerbsEnd receiver;

    ChannelFixture(Device device) {
        this.device = device;
        channel = device.createCompletionChannel();
        sender = new VerbsEnd(device).create();
        receiver = new VerbsEnd(device);
    }

    /// A queue of the channel, into which the receiver's queue pair completes 16 receives.
    CompletionQueue connectedQueue() {
        CompletionQueue queue = device.createCompletionQueue(4 * VerbsEnd.DEPTH, channel);
        receiver.create(attributes -> attributes.withReceiveQueue(queue));
        VerbsEnd.connect(sender, receiver);
        for (int id = 1; id <= VerbsEnd.DEPTH; id++) {
            receiver.postReceive(id);
        }
        return queue;
    }

    /// As `poll` would say: the kernel shows the counter of an eventfd.
    static boolean isReadable(NotificationHandle handle) {
        Path shown = Path.of("/proc/self/fdinfo/" + handle.fileDescriptor());
        try {
            return Files.readString(shown)
                    .lines()
                    .anyMatch(l -> l.matches("eventfd-count:.*[1-9].*"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        sender.close();
        receiver.close();
        device.close();
    }
}
