package dev.outboard.dpa.doca;

import dev.outboard.dpa.flexio.FlexioCq;
import dev.outboard.dpa.nic.CompletionQueue.Arming;
import dev.outboard.dpa.nic.CompletionQueue.Option;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import java.util.function.UnaryOperator;

/// A completion queue that has entries without content only: each is an event.
final class Bell {
    private Bell() {}

    /// Makes one.
    ///
    /// @param element what it tells
    /// @return its number
    static int create(Holdings holdings, UnaryOperator<FlexioCq.Attributes> element) {
        FlexioCq.Attributes plain =
                FlexioCq.Attributes.of(holdings.zeros(CompletionEntry.BYTES), 0, holdings.line());
        return holdings.keep(
                        holdings.loaded.queue(
                                element.apply(
                                        plain.with(Arming.ALWAYS).with(Option.IGNORES_OVERRUN))))
                .number();
    }
}
