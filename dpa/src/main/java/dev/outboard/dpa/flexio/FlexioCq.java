package dev.outboard.dpa.flexio;

import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.nic.CompletionQueue;
import dev.outboard.dpa.nic.CompletionQueue.Arming;
import dev.outboard.dpa.nic.CompletionQueue.Option;
import dev.outboard.dpa.nic.Moderation;
import dev.outboard.dpacc.DpaAddr;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// DPA-FXQ-1: a completion queue. Device code finds its entries in the ring.
public final class FlexioCq extends FlexioObject {
    private final CompletionQueue queue;
    private final Optional<Element> element;

    private FlexioCq(FlexioProcess process, CompletionQueue queue, Optional<Element> element) {
        super(process, "completion queue", queue.number());
        this.queue = queue;
        this.element = element;
    }

    /// DPA-FXQ-2c: what a completion queue tells of its entries: a handler, an event queue, or the
    /// host. A queue without one (`NON_DPA_CQ`) is polled.
    public abstract static sealed class Element extends FlexioObject
            permits FlexioEventHandler, FlexioEq, FlexioMsix {
        Element(FlexioProcess process, String kind, int number) {
            super(process, kind, number);
        }

        /// As the NIC knows it.
        abstract CompletionQueue.Element made();
    }

    /// DPA-FXQ-2: how a completion queue is made.
    ///
    /// @param ring where its entries lie, in memory of the DPA or of the host
    /// @param logDepth the binary logarithm of their number
    /// @param doorbellRecord where device code publishes its consumer index
    /// @param arming whether it is armed at first, or always
    /// @param options what is done otherwise than usually
    /// @param element what it tells of its entries
    /// @param uar through whose outboxes it is armed; if empty, that of the process
    public record Attributes(
            DpaAddr ring,
            int logDepth,
            DpaAddr doorbellRecord,
            Arming arming,
            Set<Option> options,
            Optional<Element> element,
            Optional<FlexioUar> uar) {

        /// A queue that is armed, watches for overrun and tells nobody.
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
            return new Attributes(ring, logDepth, doorbellRecord, arming, options, element, uar);
        }

        /// The same with those options.
        public Attributes with(Option... added) {
            return new Attributes(
                    ring, logDepth, doorbellRecord, arming, Set.of(added), element, uar);
        }

        /// The same with another UAR.
        public Attributes through(FlexioUar other) {
            return new Attributes(
                    ring, logDepth, doorbellRecord, arming, options, element, Optional.of(other));
        }

        /// The same with a handler, which it activates (`DPA_THREAD`).
        public Attributes activating(FlexioEventHandler handler) {
            return telling(handler);
        }

        /// The same with an event queue, which gets an entry (`EXT_EQ`).
        public Attributes reporting(FlexioEq events) {
            return telling(events);
        }

        /// The same with a vector, by which it interrupts the host (`DPA_MSIX_EMULATED_CQ`). Device
        /// code makes entries by [dev.outboard.dpa.flexio.dev.FlexioDev#triggerCompletionQueue].
        public Attributes interrupting(FlexioMsix vector) {
            return telling(vector);
        }

        private Attributes telling(Element told) {
            return new Attributes(
                    ring, logDepth, doorbellRecord, arming, options, Optional.of(told), uar);
        }

        /// As the NIC knows it.
        ///
        /// @throws IllegalArgumentException if the depth is none
        private CompletionQueue.Attributes made(int through) {
            return new CompletionQueue.Attributes(
                    ring.value(),
                    logDepth,
                    doorbellRecord.value(),
                    arming,
                    options,
                    element.map(Element::made).orElseGet(CompletionQueue.Element.None::new),
                    through);
        }
    }

    /// Makes a completion queue, and fills its ring with entries of hardware.
    ///
    /// @throws FlexioException if the depth is none, the element belongs to another process, or the
    ///   process has ended
    public static FlexioCq create(FlexioProcess process, Attributes attributes) {
        int uar = attributes.uar.orElse(process.uar()).numberFor(process);
        List<Element> used = attributes.element.stream().toList();
        CompletionQueue queue =
                process.using(used, _ -> process.nic().completionQueue(attributes.made(uar)));
        return process.adopt(new FlexioCq(process, queue, attributes.element));
    }

    /// DPA-SYS-9: the host itself arms it.
    ///
    /// @param index the consumer index, of 24 bits: how many entries have been taken so far
    public void arm(int index) {
        numberFor(process());
        process().perform(host -> process().nic().arm(host, queue, index));
    }

    /// DPA-FXQ-2c: `flexio_cq_modify_moderation`: how many events it makes of its entries from now
    /// on. At first each entry makes one.
    ///
    /// @throws FlexioException if the queue has been closed, or the process has ended
    public void moderate(Moderation moderation) {
        numberFor(process());
        process().checkDone(process().nic().moderate(queue, moderation), this);
    }

    /// `flexio_cq_query_moderation`: how many events it makes of its entries.
    public Moderation moderation() {
        numberFor(process());
        return queue.moderation();
    }

    CompletionQueue queue() {
        return queue;
    }

    /// Whom reports name as the thread that posts to a queue with these completions: the handler.
    ThreadHandle poster() {
        return element.isPresent() && element.get() instanceof FlexioEventHandler handler
                ? handler.thread()
                : process().server();
    }

    @Override
    void destroy() {
        process().nic().remove(queue);
        element.ifPresent(FlexioObject::release);
    }
}
