package dev.outboard.examples.dpa;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeoutException;

/// A client of a [StoreServer], with nothing but verbs: it knows of no DPA. One thread uses it.
public final class StoreClient implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int PSN_BITS = 24;
    private static final long ANSWERS = StoreKernels.LINE;
    private static final long BYTES = 2 * StoreKernels.LINE;

    private final Socket socket;
    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final MemoryRegion region;
    private final QueuePair pair;
    private final StorePeer store;
    private final SendRequest send = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private final Completion completion = new Completion();

    /// Connects with a store.
    StoreClient(Device device, InetSocketAddress address) throws IOException {
        socket = new Socket(address.getAddress(), address.getPort());
        domain = device.allocateProtectionDomain();
        completions = device.createCompletionQueue(2 * StoreKernels.DEPTH);
        region = domain.register(arena.allocate(BYTES, StoreKernels.LINE), Access.LOCAL_WRITE);
        pair =
                domain.createQueuePair(
                        QueuePairAttributes.of(
                                completions, StoreKernels.DEPTH, StoreKernels.DEPTH));
        int psn = new SecureRandom().nextInt(1 << PSN_BITS);
        new StorePeer(device.address(), pair.number(), psn, 0, 0).send(socket);
        store = StorePeer.receive(socket);
        for (QueuePairChange change : store.changes(psn)) {
            pair.modify(change);
        }
    }

    /// Puts and gets keys for ever, each in every way:
    ///
    /// ```
    /// java … StoreClient roce://127.0.0.3 127.0.0.2
    /// ```
    public static void main(String[] arguments) throws IOException, TimeoutException {
        try (Device device = Fabric.open(arguments[0]);
                StoreClient client =
                        new StoreClient(
                                device, new InetSocketAddress(arguments[1], port(arguments)))) {
            System.out.println("connected");
            for (long round = 1; ; round++) {
                long key = 1 + round % 1000;
                client.put(key, round);
                client.read(key);
                client.add(key, 1);
                client.get(key);
            }
        }
    }

    private static int port(String[] arguments) {
        return arguments.length > 2 ? Integer.parseInt(arguments[2]) : StorePeer.PORT;
    }

    /// Has the store send a word back.
    long echo(long word) throws TimeoutException {
        return request(StoreKernels.ECHO, word, 0).getAtIndex(ValueLayout.JAVA_LONG, 1);
    }

    /// Has the store keep a value.
    ///
    /// @param key any but 0
    /// @return whether there was room
    boolean put(long key, long value) throws TimeoutException {
        return request(StoreKernels.PUT, key, value).get(ValueLayout.JAVA_LONG, 0) == 1;
    }

    /// Asks the store for a value.
    OptionalLong get(long key) throws TimeoutException {
        MemorySegment answer = request(StoreKernels.GET, key, 0);
        return answer.get(ValueLayout.JAVA_LONG, 0) == 0
                ? OptionalLong.empty()
                : OptionalLong.of(answer.getAtIndex(ValueLayout.JAVA_LONG, 1));
    }

    private MemorySegment request(long operation, long key, long value) throws TimeoutException {
        MemorySegment words = region.segment();
        words.setAtIndex(ValueLayout.JAVA_LONG, 0, operation);
        words.setAtIndex(ValueLayout.JAVA_LONG, 1, key);
        words.setAtIndex(ValueLayout.JAVA_LONG, 2, value);
        pair.post(receive.buffer(region, ANSWERS, StoreKernels.LINE));
        pair.post(send.send().payload(region, 0, 3 * Long.BYTES).signaled(false));
        await();
        return words.asSlice(ANSWERS, StoreKernels.LINE);
    }

    /// Looks for a value without the store: by READs of its table.
    OptionalLong read(long key) throws TimeoutException {
        for (int i = 0; i < StoreKernels.SLOTS; i++) {
            perform(send.read(slot(key, i), store.key()), StoreKernels.SLOT_BYTES);
            MemorySegment slot = region.segment();
            long found = slot.get(ValueLayout.JAVA_LONG, 0);
            if (found == key || found == 0) {
                return found == 0
                        ? OptionalLong.empty()
                        : OptionalLong.of(slot.get(ValueLayout.JAVA_LONG, Long.BYTES));
            }
        }
        return OptionalLong.empty();
    }

    /// Writes the value of a key that is there, without the store.
    void write(long key, long value) throws TimeoutException {
        long slot = find(key);
        region.segment().set(ValueLayout.JAVA_LONG, 0, value);
        perform(send.write(slot + Long.BYTES, store.key()), Long.BYTES);
    }

    /// Adds to the value of a key that is there, without the store.
    ///
    /// @return the former value
    long add(long key, long addend) throws TimeoutException {
        long slot = find(key);
        perform(send.fetchAndAdd(slot + Long.BYTES, store.key(), addend), Long.BYTES);
        return region.segment().get(ValueLayout.JAVA_LONG, 0);
    }

    /// Replaces the value of a key that is there, if it is the one expected, without the store.
    ///
    /// @return the former value
    long compareAndSwap(long key, long expected, long value) throws TimeoutException {
        long slot = find(key);
        perform(send.compareAndSwap(slot + Long.BYTES, store.key(), expected, value), Long.BYTES);
        return region.segment().get(ValueLayout.JAVA_LONG, 0);
    }

    private long find(long key) throws TimeoutException {
        for (int i = 0; i < StoreKernels.SLOTS; i++) {
            perform(send.read(slot(key, i), store.key()), Long.BYTES);
            if (region.segment().get(ValueLayout.JAVA_LONG, 0) == key) {
                return slot(key, i);
            }
        }
        throw new IllegalArgumentException("The store has no key " + key);
    }

    private long slot(long key, int probe) {
        long index = (StoreKernels.home(key) + probe) % StoreKernels.SLOTS;
        return store.table() + index * StoreKernels.SLOT_BYTES;
    }

    private void perform(SendRequest request, int lengthBytes) throws TimeoutException {
        pair.post(request.payload(region, 0, lengthBytes).signaled(true));
        await();
    }

    /// Waits for a completion.
    private void await() throws TimeoutException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!completions.poll(completion)) {
            completions.requestNotification(false);
            if (completions.poll(completion)) {
                break;
            }
            if (!completions.await(deadline - System.nanoTime())) {
                throw new TimeoutException("No completion within " + PATIENCE);
            }
        }
        if (completion.status() != CompletionStatus.SUCCESS) {
            throw new IllegalStateException(completion.status().explanation());
        }
    }

    @Override
    public void close() throws IOException {
        pair.close();
        region.close();
        completions.close();
        domain.close();
        arena.close();
        socket.close();
    }
}
