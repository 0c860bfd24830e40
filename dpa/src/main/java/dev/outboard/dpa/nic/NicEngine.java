package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.Host;
import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.process.DpaProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The NIC of a process: one actor of its run, which serves all doorbells of the process. Its owner
/// makes queues and keys before the run, and reads counters after it; in between it belongs to the
/// run. It waits for doorbells, and polls memory only while a peer has no receive entry for what a
/// queue pair sends.
///
/// ```java
/// NicEngine nic = new NicEngine(process, "NIC", 4096, events::add);
/// CompletionQueue completions = nic.completionQueue(Attributes.of(ring, 4, index).activating(echo));
/// QueuePair pair = nic.queuePair(new Send(…), new Receive(…), new User(echo, 0));
/// pair.connect(peer);
/// ```
public final class NicEngine implements Nic.Program {
    private static final int FIRST_NUMBER = 0x40;

    /// How long the host waits for what it has asked for.
    private static final Duration COMMAND_LIMIT = Duration.ofSeconds(10);

    private final DpaProcess process;
    private final Shared shared;

    private final AtomicInteger numbers;

    /// By number. The receive queue of a queue pair has a number of its own, which nobody rings.
    private volatile @Nullable NicQueue[] queues = {};

    /// What the host wants to have done by the actor.
    private final Queue<Consumer<Nic>> commands = new ConcurrentLinkedQueue<>();

    /// Queue pairs that have something to do.
    private final List<QueuePair> active = new ArrayList<>();

    /// Adds a NIC to a process, which serves for as long as the others run.
    ///
    /// @param maxMessageBytes the longest message; each queue pair has a buffer of that size
    /// @param events is told what happens beside completions, in the run
    public NicEngine(
            DpaProcess process, String name, int maxMessageBytes, Consumer<AsyncEvent> events) {
        this(process, name, maxMessageBytes, new AtomicInteger(FIRST_NUMBER), events);
    }

    /// The same with numbers that it shares with others.
    ///
    /// @param numbers of queues: the next one that is free
    public NicEngine(
            DpaProcess process,
            String name,
            int maxMessageBytes,
            AtomicInteger numbers,
            Consumer<AsyncEvent> events) {
        this.numbers = numbers;
        if (maxMessageBytes < Long.BYTES) {
            throw new IllegalArgumentException(
                    "The longest message of NIC '%s' has at least 8 bytes, not %d"
                            .formatted(name, maxMessageBytes));
        }
        this.process = process;
        shared = new Shared(process.observer(), maxMessageBytes, numbers, events);
        process.nicServer(name, this);
    }

    /// DPA-FXQ-10: makes a key for memory of any kind.
    ///
    /// @throws IndexOutOfBoundsException if the process has no such memory
    public MemoryKey register(long address, long lengthBytes, Access... access) {
        if (lengthBytes < 1) {
            throw new IllegalArgumentException(
                    "A key covers at least 1 byte, not %d from 0x%x on"
                            .formatted(lengthBytes, address));
        }
        process.read(address, 1);
        process.read(address + lengthBytes - 1, 1);
        return shared.memory().register(address, lengthBytes, Set.of(access));
    }

    /// Ends a key. Requests that are under way may still end by it.
    public void deregister(MemoryKey key) {
        shared.memory().deregister(key);
    }

    /// Makes a completion queue and fills its ring, as a host does.
    public CompletionQueue completionQueue(CompletionQueue.Attributes attributes) {
        process.write(attributes.ring(), CompletionEntry.freshRing(attributes.logDepth()));
        CompletionQueue queue =
                new CompletionQueue(
                        numbers.getAndIncrement(),
                        attributes,
                        shared.observer(),
                        shared.counters(),
                        shared.events());
        add(queue);
        return queue;
    }

    /// DPA-FXQ-1: makes a queue pair that is not connected.
    public QueuePair queuePair(
            QueuePair.Send send, QueuePair.Receive receive, QueuePair.User user) {
        int number = numbers.getAndAdd(2);
        QueuePair pair = new QueuePair(number, number + 1, send, receive, user, shared);
        add(pair);
        return pair;
    }

    private synchronized void add(NicQueue queue) {
        @Nullable NicQueue[] more =
                Arrays.copyOf(queues, Math.max(queues.length, queue.number() + 1));
        more[queue.number()] = queue;
        queues = more;
    }

    /// Destroys a queue: when the call returns, the NIC is done with its memory.
    ///
    /// @return false if the process has ended, so that nobody does anything with it
    public boolean remove(NicQueue queue) {
        AtomicBoolean removed = new AtomicBoolean();
        commands.add(nic -> {
            synchronized (this) {
                @Nullable NicQueue[] left = queues.clone();
                left[queue.number()] = null;
                queues = left;
            }
            if (queue instanceof QueuePair pair) {
                pair.remove();
                active.remove(pair);
            }
            removed.set(true);
        });
        process.act(host -> {
            host.command();
            return true;
        });
        return process.await(removed::get, COMMAND_LIMIT);
    }

    /// DPA-SYS-9: the host rings: it has posted entries up to that producer index, of 16 bits.
    public void ring(Host host, QueuePair pair, int index) {
        commands.add(nic -> {
            if (pair.equals(queue(pair.number()))) {
                ring(pair, index);
            }
        });
        host.command();
    }

    /// DPA-SYS-9: the host arms a completion queue: the next entry from that consumer index on, of
    /// 24 bits, activates the handler.
    public void arm(Host host, CompletionQueue queue, int index) {
        commands.add(nic -> {
            if (queue.equals(queue(queue.number()))) {
                queue.arm(nic, index);
            }
        });
        host.command();
    }

    /// What was not done.
    public NicCounters counters() {
        return shared.counters();
    }

    @Override
    public void run(Nic nic) {
        shared.begin(nic);
        while (true) {
            boolean done = stepAll(nic);
            Optional<Doorbell> rung = nic.pollDoorbell();
            if (rung.isPresent()) {
                take(nic, rung.get());
            } else if (active.isEmpty()) {
                take(nic, nic.awaitDoorbell());
            } else if (!done) {
                nic.pause();
            }
        }
    }

    /// Lets each queue pair execute one entry.
    ///
    /// @return whether any did
    private boolean stepAll(Nic nic) {
        boolean done = false;
        for (int i = active.size() - 1; i >= 0; i--) {
            switch (active.get(i).sendQueue().step(nic)) {
                case IDLE -> active.remove(i);
                case DONE -> done = true;
                case WAITING -> {
                    // Its turn comes again.
                }
            }
        }
        return done;
    }

    /// DPA-FXO-4: to an outbox of another UAR, a queue is not there.
    ///
    /// DPA-FXO-7: a doorbell that is for no queue of the NIC is dropped; whoever rang goes on.
    private void take(Nic nic, Doorbell doorbell) {
        if (doorbell.register() == Doorbell.COMMAND) {
            Consumer<Nic> command;
            while ((command = commands.poll()) != null) {
                command.accept(nic);
            }
            return;
        }
        NicQueue queue = queue(doorbell.number());
        if (queue != null && queue.uar() != doorbell.uar()) {
            queue = null;
        }
        if (doorbell.register() == AddressMap.ARM_DOORBELL
                && queue instanceof CompletionQueue completions) {
            completions.arm(nic, doorbell.index());
        } else if (doorbell.register() == AddressMap.SEND_DOORBELL
                && queue instanceof QueuePair pair
                && pair.number() == doorbell.number()) {
            ring(pair, doorbell.index());
        } else {
            shared.counters().foreignDoorbells.getAndIncrement();
            AsyncEvent.Kind kind = AsyncEvent.Kind.FOREIGN_DOORBELL;
            shared.events().accept(new AsyncEvent(kind, doorbell.number()));
        }
    }

    private void ring(QueuePair pair, int index) {
        if (pair.sendQueue().ring(index) && !active.contains(pair)) {
            active.add(pair);
        }
    }

    private @Nullable NicQueue queue(int number) {
        @Nullable NicQueue[] all = queues;
        return number < all.length ? all[number] : null;
    }
}
