package dev.outboard.dpa.flexio;

import dev.outboard.dpa.nic.CompletionQueue;
import dev.outboard.dpa.nic.EventQueue;
import dev.outboard.dpacc.DpaAddr;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/// DPA-FXQ-2c: an event queue. Each event of the completion queues that
/// [report][FlexioCq.Attributes#reporting] to it is an
/// [entry][dev.outboard.dpa.nic.layout.EventEntry] in its ring, so that one place shows which of
/// many queues have something. Whoever takes entries says so by their index; else the queue
/// overruns, and is in error from then on.
public final class FlexioEq extends FlexioCq.Element {
    private final EventQueue queue;
    private final Optional<FlexioMsix> vector;

    private FlexioEq(FlexioProcess process, EventQueue queue, Optional<FlexioMsix> vector) {
        super(process, "event queue", queue.number());
        this.queue = queue;
        this.vector = vector;
    }

    /// How an event queue is made.
    ///
    /// @param ring where its entries lie, in memory of the DPA or of the host
    /// @param logDepth the binary logarithm of their number, up to 22
    /// @param vector what the next entry interrupts when it is armed, which it is not at first
    /// @param uar through whose outboxes its index is told; if empty, that of the process
    public record Attributes(
            DpaAddr ring, int logDepth, Optional<FlexioMsix> vector, Optional<FlexioUar> uar) {

        /// A queue that interrupts nobody.
        public static Attributes of(DpaAddr ring, int logDepth) {
            return new Attributes(ring, logDepth, Optional.empty(), Optional.empty());
        }

        /// The same with an interrupt.
        public Attributes interrupting(FlexioMsix vector) {
            return new Attributes(ring, logDepth, Optional.of(vector), uar);
        }

        /// The same with another UAR.
        public Attributes through(FlexioUar other) {
            return new Attributes(ring, logDepth, vector, Optional.of(other));
        }
    }

    /// Makes an event queue, and fills its ring with entries of hardware.
    ///
    /// @throws FlexioException if the depth is none, the vector belongs to another process, or the
    ///   process has ended
    public static FlexioEq create(FlexioProcess process, Attributes attributes) {
        int uar = attributes.uar.orElse(process.uar()).numberFor(process);
        List<FlexioMsix> used = attributes.vector.stream().toList();
        EventQueue queue =
                process.using(
                        used,
                        host -> {
                            OptionalInt vector =
                                    used.stream().mapToInt(FlexioObject::number).findAny();
                            return process.nic()
                                    .eventQueue(
                                            new EventQueue.Attributes(
                                                    attributes.ring.value(),
                                                    attributes.logDepth,
                                                    vector,
                                                    uar));
                        });
        return process.adopt(new FlexioEq(process, queue, attributes.vector));
    }

    /// DPA-SYS-9: the host tells that it has taken entries, and wants to be interrupted by the next
    /// one; at once if it is there already.
    ///
    /// @param index the consumer index, of 26 bits: how many entries have been taken so far
    public void arm(int index) {
        numberFor(process());
        process().perform(host -> process().nic().arm(host, queue, index));
    }

    @Override
    CompletionQueue.Element made() {
        return new CompletionQueue.Element.Events(queue);
    }

    @Override
    void destroy() {
        process().nic().remove(queue);
        vector.ifPresent(FlexioObject::release);
    }
}
