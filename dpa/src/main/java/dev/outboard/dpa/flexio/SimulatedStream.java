package dev.outboard.dpa.flexio;

import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.ExternalRegion;
import dev.outboard.dpa.machine.Host;
import dev.outboard.dpa.machine.MemoryAccess;
import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.Observer.WordRole;
import dev.outboard.dpa.machine.ProcessEndedException;
import dev.outboard.dpa.machine.run.OutsidePort;
import dev.outboard.dpacc.DpaAddr;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// A stream of a simulated GPU: an actor that reaches memory as a NIC does. It takes one operation
/// for each command of the host, and waits for commands when it has none.
final class SimulatedStream extends FlexioObject implements GpuStream {
    private static final System.Logger LOGGER = System.getLogger(SimulatedStream.class.getName());

    /// How many operations may wait.
    private static final int MOST_OPERATIONS = 1024;

    /// How long the host waits for the actor to leave.
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

    /// Those that have not begun.
    private final Queue<Consumer<Nic>> operations = new ArrayDeque<>();

    /// The words that it has ever waited for.
    private final Set<Long> flags = new HashSet<>();

    /// How many have not ended.
    private int undone;

    private volatile boolean closing;
    private volatile boolean gone;

    private SimulatedStream(FlexioProcess process, String name) {
        super(process, "GPU stream '%s'".formatted(name), process.device().nextNumber());
    }

    static SimulatedStream create(FlexioProcess process, String name) {
        process.check();
        process.checkNoFault();
        SimulatedStream created = new SimulatedStream(process, name);
        process.process().nicServer(created.toString(), created::run);
        return process.adopt(created);
    }

    // Operations, as the host adds them

    @Override
    public void copy(DpaAddr to, DpaAddr from, long lengthBytes) {
        checkMemory(to, lengthBytes);
        checkMemory(from, lengthBytes);
        long distance = to.value() - from.value();
        if (Math.abs(distance) < lengthBytes) {
            throw FlexioException.refuse(
                    Reason.BAD_ARGUMENT,
                    "%d bytes at %s and at %s overlap".formatted(lengthBytes, from, to));
        }
        add(nic -> copy(nic, to.value(), from.value(), lengthBytes));
    }

    @Override
    public void update32(DpaAddr word, int value) {
        checkWord(word, Integer.BYTES);
        add(nic -> nic.store32(word.value(), value));
    }

    @Override
    public void update64(DpaAddr word, long value) {
        checkWord(word, Long.BYTES);
        add(nic -> nic.store64(word.value(), value));
    }

    @Override
    public void add64(DpaAddr word, long addend) {
        checkWord(word, Long.BYTES);
        add(nic -> nic.fetchAdd64(word.value(), addend));
    }

    @Override
    public void await32(DpaAddr word, int least) {
        checkWord(word, Integer.BYTES);
        await(
                word,
                Integer.BYTES,
                nic -> Integer.toUnsignedLong(nic.load32(word.value())),
                Integer.toUnsignedLong(least));
    }

    @Override
    public void await64(DpaAddr word, long least) {
        checkWord(word, Long.BYTES);
        await(word, Long.BYTES, nic -> nic.load64(word.value()), least);
    }

    private void await(DpaAddr word, int lengthBytes, ToLongFunction<Nic> load, long least) {
        process()
                .perform(host -> {
                    tell(word.value(), lengthBytes);
                    add(
                            host,
                            nic -> {
                                while (!closing
                                        && Long.compareUnsigned(load.applyAsLong(nic), least) < 0) {
                                    nic.pause();
                                }
                            });
                });
    }

    /// Threads that store a word that a stream waits for have to write it back.
    private void tell(long word, int lengthBytes) {
        synchronized (this) {
            if (!flags.add(word)) {
                return;
            }
        }
        process().process().observer().role(word, lengthBytes, WordRole.FLAG, -1);
    }

    private void add(Consumer<Nic> operation) {
        process().perform(host -> add(host, operation));
    }

    private void add(Host host, Consumer<Nic> operation) {
        synchronized (this) {
            numberFor(process());
            if (operations.size() == MOST_OPERATIONS) {
                throw FlexioException.refuse(
                        Reason.WRONG_TIME,
                        "%s has %d operations waiting, and takes no more before some are done"
                                .formatted(this, MOST_OPERATIONS));
            }
            operations.add(operation);
            undone++;
        }
        host.command(ownNumber());
    }

    private void checkWord(DpaAddr word, int lengthBytes) {
        if (word.value() % lengthBytes != 0) {
            throw FlexioException.refuse(
                    Reason.BAD_ARGUMENT,
                    "A word of %d bytes lies at an address that they divide, not at %s"
                            .formatted(lengthBytes, word));
        }
        checkMemory(word, lengthBytes);
    }

    private void checkMemory(DpaAddr address, long lengthBytes) {
        process().check();
        try {
            ExternalRegion region =
                    process().process().external().region(address.value(), lengthBytes);
            if (lengthBytes >= 1 && region.kind() != ExternalKind.MMIO) {
                return;
            }
        } catch (IndexOutOfBoundsException e) {
            // Refused below, like everything else that is no memory.
        }
        throw FlexioException.refuse(
                Reason.BAD_ARGUMENT,
                "%s reaches no %d bytes at %s: it reaches buffers of its process that are memory"
                        .formatted(this, lengthBytes, address));
    }

    @Override
    public boolean synchronize(Duration atMost) {
        process().check();
        process().checkNoFault();
        numberFor(process());
        boolean done = process().process().await(this::isIdle, atMost);
        process().check();
        process().checkNoFault();
        return done;
    }

    private synchronized boolean isIdle() {
        return undone == 0;
    }

    @Override
    void destroy() {
        closing = true;
        int dropped = drop();
        if (dropped > 0) {
            LOGGER.log(System.Logger.Level.WARNING, "{0} drops {1} operations", this, dropped);
        }
        try {
            process()
                    .process()
                    .act(host -> {
                        host.command(ownNumber());
                        return true;
                    });
            process().process().await(() -> gone, CLOSE_LIMIT);
        } catch (ProcessEndedException e) {
            // The actor has ended with it.
        }
    }

    private synchronized int drop() {
        int dropped = operations.size();
        operations.clear();
        undone -= dropped;
        return dropped;
    }

    // The actor

    private void run(Nic nic) {
        while (!closing) {
            nic.awaitDoorbell(Doorbell.COMMAND, ownNumber());
            Consumer<Nic> operation = next();
            if (operation != null) {
                operation.accept(nic);
                nic.order();
                end();
            }
        }
        gone = true;
    }

    private synchronized @Nullable Consumer<Nic> next() {
        return operations.poll();
    }

    private synchronized void end() {
        undone--;
    }

    /// In the largest words that both places allow.
    private static void copy(Nic nic, long to, long from, long lengthBytes) {
        for (long i = 0; i < lengthBytes; ) {
            int left = (int) Math.min(Long.BYTES, lengthBytes - i);
            int length =
                    Math.min(OutsidePort.wordAt(to + i, left), OutsidePort.wordAt(from + i, left));
            copyWord(nic, to + i, from + i, length);
            i += length;
        }
    }

    private static void copyWord(MemoryAccess nic, long to, long from, int lengthBytes) {
        switch (lengthBytes) {
            case Long.BYTES -> nic.store64(to, nic.load64(from));
            case Integer.BYTES -> nic.store32(to, nic.load32(from));
            case Short.BYTES -> nic.store16(to, nic.load16(from));
            default -> nic.store8(to, nic.load8(from));
        }
    }
}
