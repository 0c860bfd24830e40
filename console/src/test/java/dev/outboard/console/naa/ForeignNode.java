package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.contract.roce.RoceLoopback;
import dev.outboard.naa.MrspMessage;
import dev.outboard.naa.MrspMessage.Advertise;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.MrspMessage.Entry;
import dev.outboard.naa.PeerRegion;
import dev.outboard.naa.RegionFlags;
import dev.outboard.naa.protocol.MrspCodec;
import dev.outboard.testkit.Eventually;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;

/// A node that somebody else wrote: it keeps to the protocol with one client, and answers each RPC
/// as the test says.
final class ForeignNode implements AutoCloseable {
    private static final int BUFFER = 8192;
    private static final long MEMORY = 1 << 20;

    private final Device device = RoceLoopback.open();
    private final Arena arena = Arena.ofShared();
    private final ConnectionChannel channel = device.createConnectionChannel();
    private final ConnectionId listener = channel.createId();
    private final Completion completion = new Completion();
    private final ProtectionDomain domain = device.allocateProtectionDomain();
    private final CompletionQueue queue = device.createCompletionQueue(64);
    private final MemoryRegion memory =
            domain.register(arena.allocate(MEMORY), Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    private final int immediate;
    private final long[] returned;
    private final Thread thread;
    private QueuePair pair;
    private volatile boolean closed;

    /// @param immediate the value that ends an RPC
    /// @param returned how many bytes of its memory it writes into each output of the client's
    ForeignNode(int immediate, long... returned) {
        this.immediate = immediate;
        this.returned = returned;
        memory.segment().fill((byte) 9);
        listener.listen(0, 1);
        thread = Thread.ofPlatform().daemon().name("foreign-node").start(this::serve);
    }

    String address() {
        return device.address().getHostAddress() + ":" + listener.localAddress().getPort();
    }

    private void serve() {
        ConnectionId client = await(ConnectionEvent.Type.CONNECT_REQUEST).id();
        pair = client.createQueuePair(domain, QueuePairAttributes.of(queue, 16, 16));
        receive();
        receive();
        client.accept(new ConnectionParameters(1, 1, 7, 6, new byte[0]));
        await(ConnectionEvent.Type.ESTABLISHED);
        if (!completes(CompletionOpcode.RECEIVE)) {
            return;
        }
        List<Entry> regions =
                ((AdvertiseRequest)
                                MrspCodec.decode(
                                        memory.segment().asSlice(0, completion.byteCount())))
                        .entries();
        memory.segment().asSlice(0, BUFFER).fill((byte) 9);
        advertise(regions.stream().filter(entry -> !entry.isInternal()).toList());
        while (completes(CompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE)) {
            receive();
            answer(
                    regions.stream()
                            .filter(entry -> (entry.flags() & RegionFlags.OUTPUT) != 0)
                            .toList());
        }
    }

    private ConnectionEvent await(ConnectionEvent.Type type) {
        ConnectionEvent[] found = new ConnectionEvent[1];
        Eventually.until(() -> {
            found[0] = channel.next(Duration.ofSeconds(10)).orElseThrow();
            return found[0].type() == type;
        });
        return found[0];
    }

    private void receive() {
        pair.post(new ReceiveRequest().buffer(memory, 0, BUFFER));
    }

    /// @return false if the node was closed before
    private boolean completes(CompletionOpcode opcode) {
        while (!closed) {
            if (queue.poll(completion) && completion.opcode() == opcode) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    private void advertise(List<Entry> regions) {
        MrspMessage message =
                new Advertise(
                        regions.stream()
                                .map(entry ->
                                        new PeerRegion(
                                                memory.address() + BUFFER,
                                                memory.remoteKey(),
                                                entry.size()))
                                .toList());
        int length = MrspCodec.encode(message, memory.segment().asSlice(BUFFER));
        pair.post(new SendRequest().send().payload(memory, BUFFER, length).solicited(true));
    }

    private void answer(List<Entry> outputs) {
        assertThat(returned).hasSameSizeAs(outputs.toArray());
        for (int i = 0; i < returned.length; i++) {
            Entry output = outputs.get(i);
            SendRequest write = new SendRequest();
            if (i < returned.length - 1) {
                write.write(output.address(), output.remoteKey());
            } else {
                write.writeWithImmediate(output.address(), output.remoteKey(), immediate);
                write.solicited(true);
            }
            pair.post(write.payload(memory, 2L * BUFFER, returned[i]));
        }
    }

    @Override
    public void close() {
        closed = true;
        Eventually.until(() -> !thread.isAlive());
        device.close();
        arena.close();
    }
}
