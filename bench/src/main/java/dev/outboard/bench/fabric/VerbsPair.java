package dev.outboard.bench.fabric;

import dev.outboard.bench.comparison.Contender;
import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/// Two RoCE devices on loopback and a connected queue pair on each, with a region of memory. Each
/// end is for one thread.
final class VerbsPair implements AutoCloseable {
    static final int DEPTH = 512;

    private static final String LOOPBACK = "roce://auto?peer=127.0.0.1";
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final ConnectionParameters PARAMETERS =
            new ConnectionParameters(16, 16, 7, 7, new byte[0]);
    private static final long PAGE_BYTES = 4096;

    private final Arena arena = Arena.ofShared();
    private final ConnectionId listener;
    final End near;
    final End far;

    VerbsPair(long bytes) {
        Device nearDevice = Fabric.open(LOOPBACK);
        Device farDevice = Fabric.open(LOOPBACK);
        ConnectionChannel farChannel = farDevice.createConnectionChannel();
        listener = farChannel.createId();
        listener.listen(0, 1);
        ConnectionChannel nearChannel = nearDevice.createConnectionChannel();
        near = new End(nearDevice, nearChannel.createId(), bytes);
        near.id.resolveAddress(
                new InetSocketAddress(farDevice.address(), listener.localAddress().getPort()),
                PATIENCE);
        expect(nearChannel, ConnectionEvent.Type.ADDRESS_RESOLVED);
        near.id.resolveRoute(PATIENCE);
        expect(nearChannel, ConnectionEvent.Type.ROUTE_RESOLVED);
        near.id.connect(PARAMETERS);
        ConnectionId accepted = expect(farChannel, ConnectionEvent.Type.CONNECT_REQUEST).id();
        far = new End(farDevice, accepted, bytes);
        accepted.accept(PARAMETERS);
        expect(nearChannel, ConnectionEvent.Type.ESTABLISHED);
        expect(farChannel, ConnectionEvent.Type.ESTABLISHED);
    }

    private static ConnectionEvent expect(ConnectionChannel channel, ConnectionEvent.Type type) {
        ConnectionEvent event = channel.next(PATIENCE).orElseThrow();
        if (event.type() != type) {
            throw new IllegalStateException(event.type() + ": " + event.explanation());
        }
        return event;
    }

    @Override
    public void close() {
        near.close();
        far.close();
        arena.close();
    }

    /// One end.
    final class End {
        private final Device device;
        private final ConnectionId id;
        private final ProtectionDomain domain;
        private final QueuePair queuePair;
        private final ReceiveRequest receive = new ReceiveRequest();
        private final Completion completion = new Completion();
        final CompletionQueue sends;
        final CompletionQueue receives;
        final MemoryRegion region;
        final SendRequest send = new SendRequest();

        private End(Device device, ConnectionId id, long bytes) {
            this.device = device;
            this.id = id;
            domain = device.allocateProtectionDomain();
            sends = device.createCompletionQueue(2 * DEPTH);
            receives = device.createCompletionQueue(2 * DEPTH);
            queuePair =
                    id.createQueuePair(
                            domain,
                            QueuePairAttributes.of(sends, DEPTH, DEPTH).withReceiveQueue(receives));
            region =
                    domain.register(
                            arena.allocate(bytes, PAGE_BYTES).fill((byte) 1),
                            Access.LOCAL_WRITE,
                            Access.REMOTE_WRITE,
                            Access.REMOTE_READ);
        }

        void post() {
            while (!queuePair.post(send)) {
                Thread.onSpinWait();
            }
        }

        /// Posts as many of `requests` as fit.
        ///
        /// @return how many
        int post(List<SendRequest> requests) {
            return queuePair.post(requests);
        }

        /// Posts a receive that takes up to `bytes`.
        void postReceive(long bytes) {
            if (bytes == 0) {
                receive.noBuffer();
            } else {
                receive.buffer(region, 0, bytes);
            }
            if (!queuePair.post(receive)) {
                throw new IllegalStateException("the receive queue is full");
            }
        }

        /// Takes one completion, if there is one.
        boolean poll(CompletionQueue queue) {
            if (!queue.poll(completion)) {
                return false;
            }
            if (completion.status() != CompletionStatus.SUCCESS) {
                throw new Contender.MeasurementException(completion.toString());
            }
            return true;
        }

        private void close() {
            id.close();
            sends.close();
            receives.close();
            region.close();
            domain.close();
            device.close();
        }
    }
}
