package dev.outboard.interop;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.MemoryWindow;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.util.ArrayDeque;

/// Our side of `windows.c`, which says what goes to and fro.
///
/// Arguments: `offer`, our address, the port, the window's type; or `use`, our address, the port,
/// the peer's address.
final class WindowPeer {
    private static final int LENGTH = 20_001;
    private static final int RECEIVES = 4;
    private static final int OFFER_BYTES = 16;
    private static final ConnectionParameters PARAMETERS =
            new ConnectionParameters(1, 1, 7, 7, new byte[0]);
    private static final ValueLayout.OfLong ADDRESS =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt NUMBER =
            ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);

    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final QueuePair pair;
    private final MemoryRegion memory;
    private final MemoryRegion copy;
    private final MemoryRegion outgoing;
    private final MemoryRegion incoming;
    private final ArrayDeque<Completion> received = new ArrayDeque<>();

    private WindowPeer(Device device, ConnectionId id) {
        domain = device.allocateProtectionDomain();
        completions = device.createCompletionQueue(2 * RECEIVES);
        pair = id.createQueuePair(domain, QueuePairAttributes.of(completions, RECEIVES, RECEIVES));
        memory = region(LENGTH, Access.LOCAL_WRITE, Access.MEMORY_WINDOW_BIND);
        copy = region(LENGTH, Access.LOCAL_WRITE);
        outgoing = region(OFFER_BYTES, Access.LOCAL_WRITE);
        incoming = region(OFFER_BYTES, Access.LOCAL_WRITE);
        for (int i = 0; i < RECEIVES; i++) {
            pair.post(new ReceiveRequest().buffer(incoming, 0, OFFER_BYTES));
        }
    }

    private MemoryRegion region(int bytes, Access... access) {
        return domain.register(Arena.ofAuto().allocate(bytes, Long.BYTES), access);
    }

    public static void main(String[] words) {
        int port = Integer.parseInt(words[2]);
        try (Device device = ConnectionSteps.open(words[1])) {
            ConnectionSteps steps = new ConnectionSteps(device);
            if (words[0].equals("offer")) {
                ConnectionId id = steps.awaitRequest(port).id();
                WindowPeer peer = new WindowPeer(device, id);
                id.accept(PARAMETERS);
                steps.expect(ConnectionEvent.Type.ESTABLISHED);
                peer.offer(Integer.parseInt(words[3]));
                steps.expect(ConnectionEvent.Type.DISCONNECTED);
            } else {
                ConnectionId id = steps.resolve(new InetSocketAddress(words[3], port));
                WindowPeer peer = new WindowPeer(device, id);
                id.connect(PARAMETERS);
                steps.expect(ConnectionEvent.Type.ESTABLISHED);
                peer.use();
                id.disconnect();
                steps.expect(ConnectionEvent.Type.DISCONNECTED);
            }
        }
    }

    private void offer(int type) {
        MemoryWindow.Type windowType = MemoryWindow.Type.values()[type - 1];
        MemoryWindow window = domain.allocateMemoryWindow(windowType);
        bind(window, LENGTH);
        int key = window.remoteKey();
        MemorySegment offer = outgoing.segment();
        offer.set(ADDRESS, 0, memory.address());
        offer.set(NUMBER, 8, key);
        offer.set(NUMBER, 12, type);
        complete(new SendRequest().payload(outgoing, 0, OFFER_BYTES), CompletionStatus.SUCCESS);

        Completion end = receive();
        require(isPattern(memory), "what was written is wrong");
        if (windowType == MemoryWindow.Type.TYPE_2B) {
            require(
                    end.hasInvalidatedKey() && end.invalidatedKey() == key,
                    "the window's key was not invalidated");
        } else {
            bind(window, 0);
        }
        complete(new SendRequest(), CompletionStatus.SUCCESS);
        require(
                take().status() == CompletionStatus.WORK_REQUEST_FLUSHED,
                "the peer was not refused");
    }

    private void bind(MemoryWindow window, int length) {
        complete(
                new SendRequest()
                        .bind(window, memory, 0, length, Access.REMOTE_WRITE, Access.REMOTE_READ),
                CompletionStatus.SUCCESS);
    }

    private void use() {
        receive();
        MemorySegment offer = incoming.segment();
        long address = offer.get(ADDRESS, 0);
        int key = offer.get(NUMBER, 8);
        boolean invalidates = offer.get(NUMBER, 12) == 2;
        for (int i = 0; i < LENGTH; i++) {
            memory.segment().set(ValueLayout.JAVA_BYTE, i, pattern(i));
        }
        SendRequest write = new SendRequest().payload(memory, 0, LENGTH).write(address, key);
        complete(write, CompletionStatus.SUCCESS);
        complete(
                new SendRequest().payload(copy, 0, LENGTH).read(address, key),
                CompletionStatus.SUCCESS);
        require(isPattern(copy), "what was read is wrong");
        complete(
                invalidates ? new SendRequest().sendWithInvalidate(key) : new SendRequest(),
                CompletionStatus.SUCCESS);
        receive();
        complete(write, CompletionStatus.REMOTE_ACCESS_ERROR);
    }

    private static byte pattern(int i) {
        return (byte) (i * 7 + 3);
    }

    private static boolean isPattern(MemoryRegion region) {
        for (int i = 0; i < LENGTH; i++) {
            if (region.segment().get(ValueLayout.JAVA_BYTE, i) != pattern(i)) {
                return false;
            }
        }
        return true;
    }

    private void complete(SendRequest request, CompletionStatus status) {
        require(pair.post(request), "the send queue is full");
        Completion completion = take();
        while (isReceive(completion)) {
            received.add(completion);
            completion = take();
        }
        require(completion.status() == status, request.operation() + ": " + completion.status());
    }

    private static boolean isReceive(Completion completion) {
        return completion.status() == CompletionStatus.SUCCESS
                && completion.opcode() == CompletionOpcode.RECEIVE;
    }

    private Completion receive() {
        Completion completion = received.isEmpty() ? take() : received.remove();
        require(isReceive(completion), "not a message: " + completion.status());
        return completion;
    }

    private Completion take() {
        Completion completion = new Completion();
        long deadline = System.nanoTime() + ConnectionSteps.LIMIT.toNanos();
        while (!completions.poll(completion)) {
            require(System.nanoTime() - deadline < 0, "nothing completes");
            Thread.onSpinWait();
        }
        return completion;
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalStateException(otherwise);
        }
    }
}
