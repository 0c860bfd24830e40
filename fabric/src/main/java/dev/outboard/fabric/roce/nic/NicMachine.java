package dev.outboard.fabric.roce.nic;

import dev.outboard.fabric.PacketWatch;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairChange.Attribute;
import dev.outboard.fabric.drive.Machine;
import dev.outboard.fabric.roce.cm.CaGuid;
import dev.outboard.fabric.roce.cm.CmConfiguration;
import dev.outboard.fabric.roce.raw.RawPacketQueuePair;
import dev.outboard.fabric.roce.rc.CongestionControl;
import dev.outboard.fabric.roce.rc.RcQueuePair;
import dev.outboard.fabric.roce.transport.Discard;
import dev.outboard.fabric.roce.transport.PacketHandler;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.transport.QueuePairMachine;
import dev.outboard.fabric.roce.transport.TransmitListener;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.steering.Steering;
import dev.outboard.fabric.table.KeyedTable;
import dev.outboard.fabric.verbs.Counters;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// A network card: its queue pairs, its connection manager, and the order in which they get their
/// turns.
public final class NicMachine implements Machine, PacketHandler, TransmitListener {
    /// One system call brings up to 64 KiB of packets; a second one that finds nothing costs 0.3 µs
    /// before the first packet is answered.
    private static final int MESSAGES_PER_TURN = 1;

    /// With many queue pairs at work, or a timer about to fire, what has arrived goes first. Else
    /// answers wait in the socket while ten thousand queue pairs ask for them again, until the
    /// socket overflows and nobody gets any further.
    private static final int BACKLOG_MESSAGES = 64;

    /// Queue pairs that send in one turn. Fewer than the messages received in a backlog, so that a
    /// flood of answers is worked off faster than it is asked for.
    private static final int SERVED_PER_TURN = 32;

    /// 2 to 0xFFFFFE: 0 and 1 are the management queue pairs, 0xFFFFFF is multicast (roce.md 1.3).
    private static final int FIRST_NUMBER = 2;

    private static final int NUMBER_COUNT = 0xFFFFFE - FIRST_NUMBER + 1;

    private final NicLink link;
    private final PacketTap tap;
    private final GeneralServices services;
    private final CongestionControl congestion;
    private final long guid;
    private final IntConsumer admission = this::admit;
    private final KeyedTable<NicQueuePair> queuePairs = new KeyedTable<>();
    private final ReadyQueue ready = new ReadyQueue();
    private final DeadlineQueue deadlines = new DeadlineQueue();

    private final Steering<NicQueuePair> steering = new Steering<>();

    /// Of acknowledgements, which wait for a request to go with.
    private final Deferral answers = new Deferral();

    private final Set<Path> distrusted = new HashSet<>();
    private @Nullable Path failedPath;
    private int nextNumber;
    private long deadlineNanos = Long.MAX_VALUE;
    private boolean hasMore;
    private long congestionNotifications;
    private final Counters<Discard> discards = new Counters<>(Discard.class);

    /// A network card without queue pairs.
    ///
    /// @param random for the numbers of queue pairs and for the connection manager
    public NicMachine(
            CmConfiguration configuration,
            RandomGenerator random,
            CongestionControl congestion,
            NicLink link) {
        this.link = link;
        tap = new PacketTap(link.sink());
        this.congestion = congestion;
        guid = configuration.caGuid();
        nextNumber = random.nextInt(NUMBER_COUNT);
        services = new GeneralServices(configuration, random, congestion, discards::increment);
    }

    public GeneralServices services() {
        return services;
    }

    /// A number that no queue pair has or had a short while ago; at least one must be free.
    public int freeNumber() {
        while (true) {
            nextNumber = (nextNumber + 1) % NUMBER_COUNT;
            int number = FIRST_NUMBER + nextNumber;
            if (queuePairs.find(number) == null && !services.agent().isInTimewait(number)) {
                return number;
            }
        }
    }

    /// Adds a queue pair, whose number is [free][#freeNumber].
    public NicQueuePair add(QueuePairMachine machine) {
        NicQueuePair queuePair = new NicQueuePair(machine);
        queuePairs.add(machine.number(), queuePair);
        return queuePair;
    }

    /// Changes `queuePair`, or nothing if it throws.
    public void modify(NicQueuePair queuePair, QueuePairChange change) {
        QueuePairMachine machine = queuePair.machine();
        Path before = machine.path();
        answer(machine);
        machine.modify(change);
        tap.forget(machine.number());
        if (before != null && !before.equals(machine.path())) {
            distrusted.remove(before);
        }
        if (change.given().contains(Attribute.PEER_GUID)
                && machine instanceof RcQueuePair connected) {
            change.addressVector()
                    .map(vector -> Gid.of(vector.destination()))
                    .ifPresent(peer -> recognize(connected, peer, change.peerGuid()));
        }
        ready.add(queuePair);
    }

    /// What the GUID of the peer's device says about it.
    private void recognize(RcQueuePair machine, Gid peer, long peerGuid) {
        boolean requestsAhead =
                CaGuid.takesRequestsAhead(guid) && CaGuid.takesRequestsAhead(peerGuid);
        services.recognize(machine, peer, CaGuid.receiveBufferBytes(peerGuid), requestsAhead);
    }

    /// Destroys `queuePair`.
    public void remove(NicQueuePair queuePair) {
        QueuePairMachine machine = queuePair.machine();
        answer(machine);
        machine.close();
        tap.forget(machine.number());
        queuePair.leave();
        queuePairs.remove(machine.number());
        steering.removeIf(taker -> taker == queuePair);
        Path path = machine.path();
        if (path != null) {
            distrusted.remove(path);
        }
    }

    /// It is about to forget what it has received. The application may have been told of it, but an
    /// acknowledgement that waits for its turn, or for a request to ride behind, has not left yet:
    /// without it the peer would ask nobody until its retries are used up.
    private void answer(QueuePairMachine machine) {
        machine.answer(tap.sinkOf(machine.number()));
    }

    /// `queuePair` may have something to send.
    public void ready(NicQueuePair queuePair) {
        ready.add(queuePair);
    }

    /// Who gets which raw Ethernet frames.
    public Steering<NicQueuePair> steering() {
        return steering;
    }

    /// Has `watch` told of packets from now on, and nobody else.
    public void watch(PacketWatch watch) {
        tap.watch(watch);
    }

    /// How often a watch of packets has failed; any thread.
    public long watchFailures() {
        return tap.failures();
    }

    /// The packets and frames that were dropped, by reason.
    public Counters<Discard> discards() {
        return discards;
    }

    /// Packets of congestion control that arrived.
    public long congestionNotifications() {
        return congestionNotifications;
    }

    @Override
    public long deadlineNanos() {
        return deadlineNanos;
    }

    /// Whether queue pairs could send more at once: the window or the sink was not the limit, only
    /// their share.
    @Override
    public boolean hasMore() {
        return hasMore;
    }

    @Override
    public boolean isDeferring() {
        return answers.isOn();
    }

    /// What a turn brings for a thread that looks, it usually answers. So an acknowledgement that
    /// may ride behind a request waits: until its queue pair sends, or for the third look, or for a
    /// turn that finds nothing more to do.
    @Override
    public boolean turn(long now, boolean receives, boolean looks) {
        if (looks && isIdle(now) && answers.outlastsLook(now)) {
            return true;
        }
        boolean worked = receives && receive(now);
        if (receives && !(worked && looks)) {
            answers.endAll(ready);
        } else {
            answers.endLate(now, ready);
        }
        worked |= send(now, receives && looks);
        return worked;
    }

    /// Whether there is nothing to send and no timer to see to.
    private boolean isIdle(long now) {
        return ready.isEmpty() && !services.hasOutgoing() && now < deadlineNanos;
    }

    private boolean receive(long now) {
        boolean isDue = now >= deadlineNanos;
        boolean hasBacklog = isDue || ready.size() > SERVED_PER_TURN;
        int messages = hasBacklog ? BACKLOG_MESSAGES : MESSAGES_PER_TURN;
        boolean worked = link.receive(messages, now, this) > 0;
        if (isDue) {
            expire(now);
        }
        return worked || isDue;
    }

    /// The queue pairs that may have something to send get their share, in turn; then everything
    /// leaves.
    @Override
    public boolean finishTurn(long now) {
        return send(now, false);
    }

    /// @param mayWait whether acknowledgements may wait for a request
    private boolean send(long now, boolean mayWait) {
        PacketSink sink = link.sink();
        congestion.admit(admission);
        int count = Math.min(ready.size(), SERVED_PER_TURN);
        boolean worked = count > 0;
        for (int i = 0; i < count; i++) {
            NicQueuePair queuePair = ready.remove();
            boolean owesOnly = queuePair.machine().mayAnswerLater();
            if (mayWait && owesOnly && answers.keeps(queuePair, now)) {
                continue;
            }
            queuePair.patience.end(now, !owesOnly);
            if (queuePair.transmit(tap.sinkOf(queuePair.machine().number()), now)) {
                ready.add(queuePair);
            }
            if (!sink.hasRoom()) {
                link.flush(now);
            }
            note(deadlines.note(queuePair));
        }
        congestion.admit(admission);
        worked |= services.transmit(tap.sinkOf(QueuePairOne.NUMBER));
        note(services.deadlineNanos());
        link.flush(now);
        note(link.deadlineNanos());
        failTooLong();
        hasMore = !ready.isEmpty();
        return worked;
    }

    @Override
    public void packet(Packet packet, long nowNanos) {
        Opcode.Transport transport = packet.opcode().transport();
        if (packet.destinationQpn() == QueuePairOne.NUMBER && transport == Opcode.Transport.UD) {
            tap.received(packet);
            services.receive(packet, nowNanos);
            return;
        }
        NicQueuePair queuePair = queuePairs.find(packet.destinationQpn());
        if (queuePair == null) {
            discards.increment(Discard.UNKNOWN_QPN);
        } else if (!queuePair.isOf(transport)) {
            discards.increment(Discard.WRONG_TRANSPORT);
        } else if (!queuePair.machine().accepts(packet)) {
            discards.increment(Discard.WRONG_SOURCE);
        } else {
            if (transport == Opcode.Transport.CNP) {
                congestionNotifications++;
            }
            tap.received(packet);
            queuePair.receive(packet, nowNanos);
            ready.add(queuePair);
        }
    }

    @Override
    public void frame(MemorySegment frame, int length) {
        NicQueuePair queuePair = steering.find(frame);
        if (queuePair != null && queuePair.machine() instanceof RawPacketQueuePair taker) {
            taker.receive(frame, length);
        } else {
            discards.increment(Discard.NO_FLOW);
        }
    }

    @Override
    public boolean maySegment(Path path) {
        return distrusted.isEmpty() || !distrusted.contains(path);
    }

    /// The queue pairs on `path` fail after the turn.
    @Override
    public void tooLong(Path path) {
        failedPath = path;
    }

    @Override
    public void unreadable(Path path) {
        // The requester finds the closed arena itself when it sends the packet again.
    }

    /// The deadline of `queuePair` has passed.
    ///
    /// ROCE-SOCK-7: packets timed out; perhaps the way there does not number segments as the ICRC
    /// expects (roce.md 2.2). A peer that does not acknowledge such packets is spared them.
    void expired(NicQueuePair queuePair, long now) {
        Path path = queuePair.machine().path();
        if (queuePair.machine().onTimer(now) && path != null) {
            distrusted.add(path);
        }
        ready.add(queuePair);
    }

    private void admit(int queuePairNumber) {
        NicQueuePair queuePair = queuePairs.find(queuePairNumber);
        if (queuePair != null) {
            ready.add(queuePair);
        }
    }

    private void expire(long now) {
        deadlineNanos = Long.MAX_VALUE;
        services.onTimer(now);
        note(deadlines.expire(now, this));
    }

    private void note(long deadline) {
        deadlineNanos = Math.min(deadlineNanos, deadline);
    }

    private void failTooLong() {
        Path path = failedPath;
        if (path != null) {
            failedPath = null;
            queuePairs.forEach(queuePair -> queuePair.machine().tooLong(path));
        }
    }
}
