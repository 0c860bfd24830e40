package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.Observer.WordRole;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.EventEntry;
import java.util.OptionalInt;

/// DPA-FXQ-2c: an event queue (EQ): a ring in memory, into which the NIC writes an entry for each
/// event of the completion queues that report to it. It may interrupt the host. Made by a
/// [NicEngine]; in the run only its actor touches it.
public final class EventQueue implements NicQueue {
    private static final int INDEX_MASK = 0x3FF_FFFF;
    private static final int MAX_LOG_DEPTH = 22;

    private final int number;
    private final Attributes attributes;
    private final Shared shared;

    /// Counts the entries that were written.
    private long producer;

    private int consumer;
    private boolean armed;
    private boolean error;

    /// How an event queue is made. It is not armed.
    ///
    /// @param ring where its entries lie, in DPA or external memory
    /// @param logDepth the binary logarithm of their number
    /// @param vector of the interrupt at its next entry when it is armed; if empty, there is none
    /// @param uar through whose outboxes its index may be told
    public record Attributes(long ring, int logDepth, OptionalInt vector, int uar) {
        /// Checks the depth.
        public Attributes {
            if (logDepth < 0 || logDepth > MAX_LOG_DEPTH) {
                throw new IllegalArgumentException(
                        "An event queue has 2^0 to 2^%d entries, not 2^%d"
                                .formatted(MAX_LOG_DEPTH, logDepth));
            }
        }
    }

    EventQueue(int number, Attributes attributes, Shared shared) {
        this.number = number;
        this.attributes = attributes;
        this.shared = shared;
        for (long index = 0; index < 1L << attributes.logDepth; index++) {
            long owner = entry(index) + EventEntry.OWNER;
            shared.observer().role(owner, 1, WordRole.COMPLETION, number);
        }
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public int uar() {
        return attributes.uar;
    }

    @Override
    public boolean isInError() {
        return error;
    }

    QueueStatus status() {
        return new QueueStatus(
                QueueStatus.Kind.EVENT_QUEUE,
                number,
                1 << attributes.logDepth,
                producer,
                armed,
                error);
    }

    private long entry(long index) {
        return attributes.ring + (index & ((1L << attributes.logDepth) - 1)) * EventEntry.BYTES;
    }

    /// DPA-FXO-6: software has taken entries up to that consumer index, of 26 bits.
    ///
    /// @param rearm whether the next entry interrupts the host; if there is one already, it does so
    ///   at once
    void update(Nic nic, int index, boolean rearm) {
        consumer = index & INDEX_MASK;
        armed |= rearm && !error;
        if (armed && consumer != ((int) producer & INDEX_MASK)) {
            interrupt(nic);
        }
    }

    /// Writes an entry, after all that the NIC has written before. If there is no room, the event
    /// is lost and the queue is in error.
    void report(Nic nic, int completionQueue) {
        int waiting = ((int) producer - consumer) & INDEX_MASK;
        if (error || waiting >= 1 << attributes.logDepth) {
            lose();
            return;
        }
        nic.order();
        int owner = CompletionEntry.hardwareOwner(producer, attributes.logDepth);
        EventEntry.write(nic, entry(producer), completionQueue, owner);
        nic.order();
        producer++;
        if (armed) {
            interrupt(nic);
        }
    }

    private void lose() {
        shared.counters().lostEvents.getAndIncrement();
        armed = false;
        if (!error) {
            error = true;
            AsyncEvent.Kind kind = AsyncEvent.Kind.EVENT_QUEUE_OVERRUN;
            shared.events().accept(new AsyncEvent(kind, number));
        }
    }

    private void interrupt(Nic nic) {
        armed = false;
        attributes.vector.ifPresent(nic::interrupt);
    }
}
