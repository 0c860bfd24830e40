package dev.outboard.dpa.flexio;

import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.nic.FrameReceiveQueue;
import dev.outboard.dpa.nic.QueuePair;
import java.util.List;
import java.util.Optional;

/// DPA-FXQ-1c, DPA-FXQ-12: a receive queue of raw Ethernet frames. It gets those that a
/// [FlexioFlow] steers to it.
public final class FlexioRq extends FlexioObject {
    private final FrameReceiveQueue queue;
    private final FlexioCq completions;
    private final Optional<FlexioRmp> pool;
    private final int function;

    private FlexioRq(
            FlexioProcess process,
            FrameReceiveQueue queue,
            FlexioCq completions,
            Optional<FlexioRmp> pool,
            int function) {
        super(process, "receive queue", queue.number());
        this.queue = queue;
        this.completions = completions;
        this.pool = pool;
        this.function = function;
    }

    /// Makes a receive queue with entries of its own.
    ///
    /// @param userIndex what completions call it
    /// @param uar of the function whose port frames come from
    /// @throws FlexioException if the depth is none, the UAR or the completion queue belongs to
    ///   another process, or the process has ended
    public static FlexioRq create(
            FlexioProcess process, FlexioQp.Receive receive, int userIndex, FlexioUar uar) {
        QueuePair.Receive receives = receive.made();
        FlexioCq completions = receive.completions();
        QueuePair.User user = user(process, completions, userIndex, uar);
        FrameReceiveQueue queue =
                process.using(
                        List.of(completions), _ -> process.nic().frameReceiveQueue(receives, user));
        return process.adopt(
                new FlexioRq(process, queue, completions, Optional.empty(), uar.function()));
    }

    /// Makes one that takes its entries from a pool.
    public static FlexioRq create(
            FlexioProcess process,
            FlexioRmp pool,
            FlexioCq completions,
            int userIndex,
            FlexioUar uar) {
        QueuePair.User user = user(process, completions, userIndex, uar);
        FrameReceiveQueue queue =
                process.using(
                        List.of(completions, pool),
                        _ ->
                                process.nic()
                                        .frameReceiveQueue(pool.pool(), completions.queue(), user));
        return process.adopt(
                new FlexioRq(process, queue, completions, Optional.of(pool), uar.function()));
    }

    private static QueuePair.User user(
            FlexioProcess process, FlexioCq completions, int userIndex, FlexioUar uar) {
        ThreadHandle poster = completions.poster();
        return new QueuePair.User(poster, userIndex, uar.numberFor(process));
    }

    /// `flexio_rq_set_err_state`: has the queue fail: it takes no frame any more, and what was
    /// posted to it completes as flushed; entries of a pool stay for others. A second time does
    /// nothing.
    ///
    /// @throws FlexioException if the queue has been closed, or the process has ended
    public void fail() {
        numberFor(process());
        process().checkDone(process().nic().fail(queue), this);
    }

    FrameReceiveQueue queue() {
        return queue;
    }

    /// Whose port frames come from.
    int function() {
        return function;
    }

    @Override
    void destroy() {
        process().nic().remove(queue);
        completions.release();
        pool.ifPresent(FlexioObject::release);
    }
}
