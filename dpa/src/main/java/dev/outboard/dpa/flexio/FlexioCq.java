package dev.outboard.dpa.flexio;

import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.nic.CompletionQueue;
import dev.outboard.dpa.nic.CompletionQueue.Arming;
import dev.outboard.dpa.nic.CompletionQueue.Option;
import dev.outboard.dpacc.DpaAddr;
import java.util.Optional;
import java.util.Set;

/// DPA-FXQ-1: a completion queue. Device code finds its entries in the ring.
public final class FlexioCq extends FlexioObject {
    private final CompletionQueue queue;
    private final Optional<FlexioEventHandler> handler;

    private FlexioCq(
            FlexioProcess process, CompletionQueue queue, Optional<FlexioEventHandler> handler) {
        super(process, "completion queue", queue.number());
        this.queue = queue;
        this.handler = handler;
    }

    /// DPA-FXQ-2: how a completion queue is made.
    ///
    /// @param ring where its entries lie, in memory of the DPA or of the host
    /// @param logDepth the binary logarithm of their number
    /// @param doorbellRecord where device code publishes its consumer index
    /// @param arming whether it is armed at first, or always
    /// @param options what is done otherwise than usually
    /// @param handler what it activates
    /// @param uar through whose outboxes it is armed; if empty, that of the process
    public record Attributes(
            DpaAddr ring,
            int logDepth,
            DpaAddr doorbellRecord,
            Arming arming,
            Set<Option> options,
            Optional<FlexioEventHandler> handler,
            Optional<FlexioUar> uar) {

        /// A queue that is armed, watches for overrun and activates nobody.
        public static Attributes of(DpaAddr ring, int logDepth, DpaAddr doorbellRecord) {
            return new Attributes(
                    ring,
                    logDepth,
                    doorbellRecord,
                    Arming.ARMED,
                    Set.of(),
                    Optional.empty(),
                    Optional.empty());
        }

        /// The same, armed otherwise.
        public Attributes with(Arming arming) {
            return new Attributes(ring, logDepth, doorbellRecord, arming, options, handler, uar);
        }

        /// The same with those options.
        public Attributes with(Option... added) {
            return new Attributes(
                    ring, logDepth, doorbellRecord, arming, Set.of(added), handler, uar);
        }

        /// The same with another UAR.
        public Attributes through(FlexioUar other) {
            return new Attributes(
                    ring, logDepth, doorbellRecord, arming, options, handler, Optional.of(other));
        }

        /// The same with a handler.
        public Attributes activating(FlexioEventHandler activated) {
            return new Attributes(
                    ring, logDepth, doorbellRecord, arming, options, Optional.of(activated), uar);
        }
    }

    /// Makes a completion queue, and fills its ring with entries of hardware.
    ///
    /// @throws FlexioException if the depth is none, the handler belongs to another process, or the
    ///   process has ended
    public static FlexioCq create(FlexioProcess process, Attributes attributes) {
        int uar = attributes.uar.orElse(process.uar()).numberFor(process);
        attributes.handler.ifPresent(handler -> handler.acquire(process));
        try {
            CompletionQueue.Attributes made =
                    new CompletionQueue.Attributes(
                            attributes.ring.value(),
                            attributes.logDepth,
                            attributes.doorbellRecord.value(),
                            attributes.arming,
                            attributes.options,
                            attributes.handler.map(FlexioEventHandler::thread),
                            uar);
            CompletionQueue queue = process.act(host -> process.nic().completionQueue(made));
            return process.adopt(new FlexioCq(process, queue, attributes.handler));
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            attributes.handler.ifPresent(FlexioObject::release);
            throw FlexioException.refuse(Reason.BAD_ARGUMENT, String.valueOf(e.getMessage()));
        }
    }

    /// DPA-SYS-9: the host itself arms it.
    ///
    /// @param index the consumer index, of 24 bits: how many entries have been taken so far
    public void arm(int index) {
        numberFor(process());
        process().perform(host -> process().nic().arm(host, queue, index));
    }

    CompletionQueue queue() {
        return queue;
    }

    /// Whom reports name as the thread that posts to a queue with these completions: the handler.
    ThreadHandle poster() {
        return handler.map(FlexioEventHandler::thread).orElse(process().server());
    }

    @Override
    void destroy() {
        process().nic().remove(queue);
        handler.ifPresent(FlexioObject::release);
    }
}
