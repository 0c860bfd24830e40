package dev.outboard.dpa.flexio;

import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.nic.FrameReceiveQueue;
import dev.outboard.dpa.nic.NicPort;
import dev.outboard.fabric.FlowMatch;
import java.util.Optional;

/// DPA-FXQ-12: a steering rule: frames that come to the port of a function and match go to a
/// receive queue. Of several rules that match the most specific one counts, as [FlowMatch] has it.
///
/// ```java
/// FlexioFlow flow = FlexioFlow.create(queue, FlowMatch.etherType(0x0800));
/// ```
public final class FlexioFlow extends FlexioObject {
    private final FlexioRq queue;
    private final FlowMatch match;

    private FlexioFlow(FlexioRq queue, FlowMatch match) {
        super(queue.process(), "steering rule", queue.process().device().nextNumber());
        this.queue = queue;
        this.match = match;
    }

    /// Makes a rule for the port of the queue's function.
    ///
    /// @throws FlexioException if the port has a rule for the same frames, or the queue is closed
    public static FlexioFlow create(FlexioRq queue, FlowMatch match) {
        FlexioProcess process = queue.process();
        process.check();
        process.checkNoFault();
        queue.acquire(process);
        Optional<FrameReceiveQueue> taker = port(queue).steer(match, queue.queue());
        if (taker.isPresent()) {
            queue.release();
            throw FlexioException.refuse(
                    Reason.IN_USE,
                    "The port of function %d has a rule for %s already, which leads to %s: close that first"
                            .formatted(queue.function(), match, taker.get()));
        }
        return process.adopt(new FlexioFlow(queue, match));
    }

    private static NicPort port(FlexioRq queue) {
        return queue.process().device().port(queue.function());
    }

    @Override
    void destroy() {
        port(queue).unsteer(match);
        queue.release();
    }
}
