package dev.outboard.dpa.flexio;

import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.nic.ReceivePool;
import dev.outboard.dpacc.DpaAddr;

/// DPA-FXQ-1c: a receive memory pool: receive entries that several receive queues take from, of
/// frames or of queue pairs, each the next one.
public final class FlexioRmp extends FlexioObject {
    private final ReceivePool pool;

    private FlexioRmp(FlexioProcess process, ReceivePool pool) {
        super(process, "receive memory pool", pool.number());
        this.pool = pool;
    }

    /// Makes a pool.
    ///
    /// @param ring where its entries of 16 bytes lie
    /// @param logEntries the binary logarithm of their number, up to 15
    /// @param doorbellRecord where device code publishes its producer index
    /// @throws FlexioException if the depth is none, or the process has ended
    public static FlexioRmp create(
            FlexioProcess process, DpaAddr ring, int logEntries, DpaAddr doorbellRecord) {
        ReceivePool.Attributes attributes;
        try {
            attributes =
                    new ReceivePool.Attributes(ring.value(), logEntries, doorbellRecord.value());
        } catch (IllegalArgumentException e) {
            throw FlexioException.refuse(Reason.BAD_ARGUMENT, String.valueOf(e.getMessage()));
        }
        ReceivePool pool =
                process.act(host -> process.nic().receivePool(attributes, process.server()));
        return process.adopt(new FlexioRmp(process, pool));
    }

    ReceivePool pool() {
        return pool;
    }

    @Override
    void destroy() {
        // The queues that took from it are gone.
    }
}
