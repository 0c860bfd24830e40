package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.Host;
import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.ProcessEndedException;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.nic.PortCounters.Drop;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.EventEntry;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpa.trace.NicTimeline;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.table.KeyedTable;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The NIC of a process: one actor of its run, which serves all doorbells of the process. Its owner
/// makes queues and keys before the run, and reads counters after it; in between it belongs to the
/// run. It waits for doorbells, and polls memory only while a peer has no receive entry for what a
/// queue pair sends, or an entry waits for a word.
///
/// ```java
/// NicEngine nic = new NicEngine(process, "NIC", 4096, events::add);
/// CompletionQueue completions = nic.completionQueue(Attributes.of(ring, 4, index).activating(echo));
/// QueuePair pair = nic.queuePair(new Send(…), new Receive(…), new User(echo, 0));
/// pair.connect(peer);
/// ```
public final class NicEngine implements Nic.Engine {
    private static final int FIRST_NUMBER = 0x40;

    /// How long the host waits for what it has asked for.
    private static final Duration COMMAND_LIMIT = Duration.ofSeconds(10);

    private final DpaProcess process;
    private final Shared shared;

    private final AtomicInteger numbers;

    private final KeyedTable<CompletionQueue> completionQueues = new KeyedTable<>();
    private final KeyedTable<EventQueue> eventQueues = new KeyedTable<>();
    private final KeyedTable<SendingQueue> sendingQueues = new KeyedTable<>();
    private final KeyedTable<FrameReceiveQueue> receiveQueues = new KeyedTable<>();

    private final NicDomain home;

    /// The first is its own one.
    private volatile List<NicDomain> domains;

    /// What the host wants to have done by the actor.
    private final Queue<Consumer<Nic>> commands = new ConcurrentLinkedQueue<>();

    /// Send queues that have something to do.
    private final List<SendingQueue> active = new ArrayList<>();

    /// What an entry without content says.
    private final Completion empty = new Completion(0, 0);

    private final Doorbell.Use taken;

    /// What other queues of the device send to queues of this NIC.
    private final FrameInbox frames;

    /// Adds a NIC to a process, which serves for as long as the others run.
    ///
    /// @param maxMessageBytes the longest message; each queue pair has a buffer of that size
    /// @param events is told what happens beside completions, in the run
    public NicEngine(
            DpaProcess process, String name, int maxMessageBytes, Consumer<AsyncEvent> events) {
        this(
                process,
                name,
                maxMessageBytes,
                new AtomicInteger(FIRST_NUMBER),
                Optional.empty(),
                events);
    }

    /// The same with numbers that it shares with others.
    ///
    /// @param numbers of queues: the next one that is free
    /// @param domain of a device that carries what queue pairs send, under FAST only: peers may use
    ///   what is registered there; if empty, queue pairs can be connected with each other. It stays
    ///   open longer than the NIC
    public NicEngine(
            DpaProcess process,
            String name,
            int maxMessageBytes,
            AtomicInteger numbers,
            Optional<ProtectionDomain> domain,
            Consumer<AsyncEvent> events) {
        this.numbers = numbers;
        if (maxMessageBytes < Long.BYTES) {
            throw new IllegalArgumentException(
                    "The longest message of NIC '%s' has at least 8 bytes, not %d"
                            .formatted(name, maxMessageBytes));
        }
        this.process = process;
        frames = new FrameInbox(process::command);
        shared = new Shared(process.observer(), maxMessageBytes, numbers, events);
        home = new NicDomain(process, shared, domain.map(this::port).orElse(null));
        domains = List.of(home);
        taken = (register, value, uar, token) -> take(shared.nic(), register, value, uar, token);
        process.nicServer(name, this);
    }

    private FabricPort port(ProtectionDomain domain) {
        return new FabricPort(
                domain, process, shared, this::later, number -> sendingQueues.find(number) != null);
    }

    /// The protection domain that it has by itself.
    public NicDomain home() {
        return home;
    }

    /// DPA-HW-16: makes another protection domain, as functions of a NIC have them.
    ///
    /// @param fabric as that of the NIC, of whatever device
    public synchronized NicDomain domain(Optional<ProtectionDomain> fabric) {
        NicDomain made =
                new NicDomain(process, shared.withoutKeys(), fabric.map(this::port).orElse(null));
        domains = Stream.concat(domains.stream(), Stream.of(made)).toList();
        return made;
    }

    /// Gives back one that has no queues and keys any more.
    public synchronized void remove(NicDomain domain) {
        domains = domains.stream().filter(one -> !one.equals(domain)).toList();
        if (domain.port() != null) {
            domain.port().close();
        }
    }

    /// Makes a key of its own protection domain.
    public MemoryKey register(long address, long lengthBytes, Access... access) {
        return home.register(address, lengthBytes, access);
    }

    /// Ends one.
    public void deregister(MemoryKey key) {
        home.deregister(key);
    }

    /// Makes a completion queue and fills its ring, as a host does.
    public CompletionQueue completionQueue(CompletionQueue.Attributes attributes) {
        process.write(attributes.ring(), CompletionEntry.freshRing(attributes.logDepth()));
        CompletionQueue queue = new CompletionQueue(numbers.getAndIncrement(), attributes, shared);
        completionQueues.add(queue.number(), queue);
        return queue;
    }

    /// DPA-FXQ-2c: makes an event queue and fills its ring, as a host does.
    public EventQueue eventQueue(EventQueue.Attributes attributes) {
        process.write(attributes.ring(), EventEntry.freshRing(attributes.logDepth()));
        EventQueue queue = new EventQueue(numbers.getAndIncrement(), attributes, shared);
        eventQueues.add(queue.number(), queue);
        return queue;
    }

    /// DPA-FXQ-1: makes a queue pair that is not connected, of its own protection domain.
    public QueuePair queuePair(
            QueuePair.Send send, QueuePair.Receive receive, QueuePair.User user) {
        return queuePair(home, send, receive, user);
    }

    /// The same of another one.
    public QueuePair queuePair(
            NicDomain domain, QueuePair.Send send, QueuePair.Receive receive, QueuePair.User user) {
        int number = numbers.getAndAdd(2);
        ReceivePool own = ReceivePool.of(number + 1, receive, user.thread().actor(), domain);
        return queuePair(number, send, own, receive.completions(), user);
    }

    /// DPA-FXQ-1: makes one that takes receive entries from a pool, and is of its protection
    /// domain.
    ///
    /// @param receives where completions of those go
    public QueuePair queuePair(
            QueuePair.Send send, ReceivePool pool, CompletionQueue receives, QueuePair.User user) {
        return queuePair(numbers.getAndIncrement(), send, pool, receives, user);
    }

    /// @param number unless a device of the fabric gives it one
    private QueuePair queuePair(
            int number,
            QueuePair.Send send,
            ReceivePool pool,
            CompletionQueue receives,
            QueuePair.User user) {
        Shared shared = pool.domain().shared();
        FabricPort port = pool.domain().port();
        QueuePair pair =
                port == null
                        ? new SimulatedPair(number, send, pool, receives, user, shared)
                        : new FabricPair(port, send, pool, receives, user, shared);
        sendingQueues.add(pair.number(), pair);
        return pair;
    }

    /// The queue pair of that number, if there is one.
    public Optional<QueuePair> queuePair(int number) {
        return Optional.ofNullable(
                sendingQueues.find(number) instanceof QueuePair pair ? pair : null);
    }

    /// Has a queue pair fail: what is posted to it ends as flushed.
    ///
    /// @return false if the process has ended, or has not come to it in time
    public boolean fail(QueuePair pair) {
        return perform(pair::fail);
    }

    /// DPA-FXQ-1c: makes a send queue of frames that leave through a port.
    public FrameSendQueue frameSendQueue(NicPort port, QueuePair.Send send, QueuePair.User user) {
        FrameSendQueue queue =
                new FrameSendQueue(numbers.getAndIncrement(), port, send, user, shared);
        sendingQueues.add(queue.number(), queue);
        return queue;
    }

    /// DPA-FXQ-1c: makes a receive queue of frames.
    public FrameReceiveQueue frameReceiveQueue(QueuePair.Receive receive, QueuePair.User user) {
        int number = numbers.getAndIncrement();
        ReceivePool own = ReceivePool.of(number, receive, user.thread().actor(), home);
        return frameReceiveQueue(number, own, receive.completions(), user);
    }

    /// DPA-FXQ-1c: makes a receive queue of frames that takes entries from a pool.
    public FrameReceiveQueue frameReceiveQueue(
            ReceivePool pool, CompletionQueue completions, QueuePair.User user) {
        return frameReceiveQueue(numbers.getAndIncrement(), pool, completions, user);
    }

    private FrameReceiveQueue frameReceiveQueue(
            int number, ReceivePool pool, CompletionQueue completions, QueuePair.User user) {
        FrameReceiveQueue queue =
                new FrameReceiveQueue(this, number, pool, completions, user, shared);
        receiveQueues.add(number, queue);
        return queue;
    }

    /// DPA-FXQ-1c: makes a receive memory pool.
    ///
    /// @param thread the one that posts, for reports
    public ReceivePool receivePool(
            NicDomain domain, ReceivePool.Attributes attributes, ThreadHandle thread) {
        return new ReceivePool(numbers.getAndIncrement(), attributes, true, thread.actor(), domain);
    }

    /// Destroys a queue: when the call returns, the NIC is done with its memory.
    ///
    /// @return false if the process has ended, so that nobody does anything with it
    public boolean remove(NicQueue queue) {
        return perform(nic -> {
            switch (queue) {
                case CompletionQueue completions -> {
                    completionQueues.remove(completions.number());
                    completions.moderator().remove();
                }
                case EventQueue events -> eventQueues.remove(events.number());
                case SendingQueue sender -> {
                    sendingQueues.remove(sender.number());
                    sender.remove(nic);
                    active.remove(sender);
                }
                case FrameReceiveQueue receiver -> {
                    receiveQueues.remove(receiver.number());
                    receiver.remove();
                }
            }
        });
    }

    /// Has a receive queue fail, if it has not: when the call returns, what was posted to it is
    /// flushed.
    ///
    /// @return false if the process has ended, or has not come to it in time
    public boolean fail(FrameReceiveQueue queue) {
        return perform(nic -> {
            if (!queue.isInError()) {
                queue.fail(nic);
            }
        });
    }

    /// A port gives a frame of the host to one of the queues, and counts what becomes of it.
    ///
    /// @return whether the queue has it when the call returns
    boolean receive(FrameReceiveQueue queue, NicPort port, MemorySegment frame) {
        AtomicBoolean received = new AtomicBoolean();
        boolean done =
                perform(nic ->
                        received.set(queue.receive(nic, port, frame, (int) frame.byteSize())));
        return done ? received.get() : port.drop(Drop.QUEUE_GONE);
    }

    /// Where ports put frames of other queues of the device.
    FrameInbox frames() {
        return frames;
    }

    /// Has the actor do something, and waits for it.
    ///
    /// @return false if the process has ended, or has not come to it in time
    private boolean perform(Consumer<Nic> command) {
        AtomicBoolean done = new AtomicBoolean();
        commands.add(nic -> {
            command.accept(nic);
            done.set(true);
        });
        try {
            process.act(host -> {
                host.command();
                return true;
            });
            return process.await(done::get, COMMAND_LIMIT);
        } catch (ProcessEndedException e) {
            return false;
        }
    }

    /// Waits until the actor has ended the entry that it is at: it uses no key any more that was
    /// ended before.
    ///
    /// @return false if the process has ended, or the actor has not come to it in time
    public boolean settle() {
        return perform(nic -> {});
    }

    /// Has the NIC's own thread do something, from any thread.
    private void later(Runnable command) {
        commands.add(nic -> command.run());
        process.command();
    }

    /// DPA-SYS-9: the host rings: it has posted entries up to that producer index, of 16 bits.
    public void ring(Host host, QueuePair pair, int index) {
        commands.add(nic -> {
            if (pair.equals(sendingQueues.find(pair.number()))) {
                NicTimeline.of(nic).command(pair.number());
                ring(nic, pair, index);
            }
        });
        host.command();
    }

    /// DPA-SYS-9: the host arms a completion queue: the next entry from that consumer index on, of
    /// 24 bits, activates the handler.
    public void arm(Host host, CompletionQueue queue, int index) {
        commands.add(nic -> {
            if (queue.equals(completionQueues.find(queue.number()))) {
                NicTimeline.of(nic).command(queue.number());
                queue.arm(nic, index);
            }
        });
        host.command();
    }

    /// DPA-SYS-9: the host tells up to where it has taken entries of an event queue, an index of 26
    /// bits, and arms it: the next entry interrupts the host.
    public void arm(Host host, EventQueue queue, int index) {
        commands.add(nic -> {
            if (queue.equals(eventQueues.find(queue.number()))) {
                NicTimeline.of(nic).command(queue.number());
                queue.update(nic, index, true);
            }
        });
        host.command();
    }

    /// DPA-FXQ-2c: another moderation of a completion queue, which holds when the call returns.
    ///
    /// @return false if the process has ended, or has not come to it in time
    public boolean moderate(CompletionQueue queue, Moderation moderation) {
        return perform(nic -> queue.moderator().moderate(nic, moderation));
    }

    /// Its queues, by their numbers. Any thread may ask; what changes meanwhile may be seen or not.
    public List<QueueStatus> status() {
        List<QueueStatus> all = new ArrayList<>();
        completionQueues.forEach(queue -> all.add(queue.status()));
        eventQueues.forEach(queue -> all.add(queue.status()));
        sendingQueues.forEach(queue -> all.add(queue.status()));
        receiveQueues.forEach(queue -> all.add(queue.status()));
        all.sort(Comparator.comparingInt(QueueStatus::number));
        return all;
    }

    /// What was not done.
    public NicCounters counters() {
        return shared.counters();
    }

    @Override
    public void begin(Nic nic) {
        shared.begin(nic);
    }

    @Override
    public void end() {
        forEachPort(FabricPort::stop);
    }

    private void forEachPort(Consumer<FabricPort> action) {
        List<NicDomain> all = domains;
        for (int i = 0; i < all.size(); i++) {
            FabricPort port = all.get(i).port();
            if (port != null) {
                action.accept(port);
            }
        }
    }

    @Override
    public Nic.Work work(Nic nic) {
        boolean done = stepAll(nic);
        done |= takeCompletions(nic);
        done |= nic.pollDoorbell(taken);
        if (done) {
            return Nic.Work.DONE;
        }
        return active.isEmpty() ? Nic.Work.NONE : Nic.Work.WAITS;
    }

    private boolean takeCompletions(Nic nic) {
        boolean any = false;
        List<NicDomain> all = domains;
        for (int i = 0; i < all.size(); i++) {
            FabricPort port = all.get(i).port();
            any |= port != null && port.takeCompletions(nic);
        }
        return any;
    }

    @Override
    public boolean hasWire() {
        FabricPort port = home.port();
        return port != null && port.canAwait();
    }

    @Override
    public boolean awaitsWire() {
        return awaited().isAwaited();
    }

    @Override
    public void awaitWire(BooleanSupplier mayWait) {
        awaited().await(mayWait);
    }

    /// The port that a thread waits at: its own one, unless a peer has to answer at another. What
    /// comes to the others meanwhile is brought by those who drive their devices.
    private FabricPort awaited() {
        FabricPort own = Objects.requireNonNull(home.port());
        List<NicDomain> all = domains;
        for (int i = 1; i < all.size() && !own.isOutstanding(); i++) {
            FabricPort port = all.get(i).port();
            if (port != null && port.canAwait() && port.isOutstanding()) {
                return port;
            }
        }
        return own;
    }

    @Override
    public void drive() {
        forEachPort(FabricPort::drive);
    }

    @Override
    public void wake() {
        forEachPort(FabricPort::wake);
    }

    /// DPA-SYS-3: nothing of the process is left at the devices of the fabric. Called when the
    /// process has ended.
    public void close() {
        forEachPort(FabricPort::close);
    }

    /// Lets each send queue execute one entry.
    ///
    /// @return whether any did
    private boolean stepAll(Nic nic) {
        boolean done = false;
        for (int i = active.size() - 1; i >= 0; i--) {
            switch (active.get(i).step(nic)) {
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
    ///
    /// DPA-FXO-6: one of the MSI-X register makes an entry without content in a completion queue,
    /// and whatever that queue tells of entries interrupts the host, if it is to.
    @Override
    public void take(Nic nic, int register, long value, int uar, long token) {
        NicTimeline.of(nic).take(register, value, token);
        if (register == Doorbell.COMMAND) {
            Consumer<Nic> command;
            while ((command = commands.poll()) != null) {
                command.accept(nic);
            }
            frames.take(nic);
            for (int i = shared.waiting().size() - 1; i >= 0; i--) {
                shared.waiting().get(i).look(nic);
            }
            return;
        }
        int number = Doorbell.number(register, value);
        NicQueue queue = find(register, number);
        if (queue != null && queue.uar() == uar) {
            ring(nic, queue, register, Doorbell.index(register, value));
        } else {
            shared.counters().foreignDoorbells.getAndIncrement();
            AsyncEvent.Kind kind = AsyncEvent.Kind.FOREIGN_DOORBELL;
            shared.events().accept(new AsyncEvent(kind, number));
        }
    }

    /// Whom a doorbell of that register is for.
    private @Nullable NicQueue find(int register, int number) {
        return switch (register) {
            case AddressMap.ARM_DOORBELL, AddressMap.MSIX_DOORBELL -> completionQueues.find(number);
            case AddressMap.EVENT_QUEUE_DOORBELL, AddressMap.EVENT_QUEUE_ARM_DOORBELL ->
                    eventQueues.find(number);
            case AddressMap.SEND_DOORBELL -> sendingQueues.find(number);
            default -> null;
        };
    }

    private void ring(Nic nic, NicQueue queue, int register, int index) {
        switch (queue) {
            case CompletionQueue completions when register == AddressMap.MSIX_DOORBELL ->
                    completions.add(nic, empty);
            case CompletionQueue completions -> completions.arm(nic, index);
            case EventQueue events ->
                    events.update(nic, index, register == AddressMap.EVENT_QUEUE_ARM_DOORBELL);
            case SendingQueue sender -> ring(nic, sender, index);
            case FrameReceiveQueue _ -> {
                // It has no doorbell.
            }
        }
    }

    private void ring(Nic nic, SendingQueue sender, int index) {
        if (sender.ring(nic, index) && !active.contains(sender)) {
            active.add(sender);
        }
    }
}
