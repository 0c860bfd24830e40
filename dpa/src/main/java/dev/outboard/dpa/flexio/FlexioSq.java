package dev.outboard.dpa.flexio;

import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.nic.FrameSendQueue;
import dev.outboard.dpa.nic.NicPort;
import dev.outboard.dpa.nic.QueuePair;
import java.util.List;

/// DPA-FXQ-1c, DPA-FXQ-12: a send queue of raw Ethernet frames. Entries have an [Ethernet
/// segment][dev.outboard.dpa.nic.layout.EthernetSegment] after the control segment.
public final class FlexioSq extends FlexioObject {
    private final FrameSendQueue queue;
    private final FlexioCq completions;

    private FlexioSq(FlexioProcess process, FrameSendQueue queue, FlexioCq completions) {
        super(process, "send queue", queue.number());
        this.queue = queue;
        this.completions = completions;
    }

    /// Makes a send queue.
    ///
    /// @param userIndex what completions call it
    /// @param uar through whose outboxes it is rung; frames leave through the port of its function
    /// @throws FlexioException if the depth is none, the UAR or the completion queue belongs to
    ///   another process, or the process has ended
    public static FlexioSq create(
            FlexioProcess process, FlexioQp.Send send, int userIndex, FlexioUar uar) {
        QueuePair.Send sends = send.made();
        ThreadHandle poster = send.completions().poster();
        QueuePair.User user = new QueuePair.User(poster, userIndex, uar.numberFor(process));
        NicPort port = process.device().port(uar.function());
        FrameSendQueue queue =
                process.using(
                        List.of(send.completions()),
                        _ -> process.nic().frameSendQueue(port, sends, user));
        return process.adopt(new FlexioSq(process, queue, send.completions()));
    }

    @Override
    void destroy() {
        process().nic().remove(queue);
        completions.release();
    }
}
