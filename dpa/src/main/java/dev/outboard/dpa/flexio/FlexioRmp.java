package dev.outboard.dpa.flexio;

import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.nic.ReceivePool;
import dev.outboard.dpacc.DpaAddr;
import java.util.List;

/// DPA-FXQ-1c: a receive memory pool: receive entries that several receive queues take from, of
/// frames or of queue pairs, each the next one.
public final class FlexioRmp extends FlexioObject {
    private final ReceivePool pool;
    private final FlexioPd domain;

    private FlexioRmp(FlexioProcess process, ReceivePool pool, FlexioPd domain) {
        super(process, "receive memory pool", pool.number());
        this.pool = pool;
        this.domain = domain;
    }

    /// Makes a pool.
    ///
    /// @param ring where its entries of 16 bytes lie
    /// @param logEntries the binary logarithm of their number, up to 15
    /// @param doorbellRecord where device code publishes its producer index
    /// @throws FlexioException if the depth is none, or the process has ended
    public static FlexioRmp create(
            FlexioProcess process, DpaAddr ring, int logEntries, DpaAddr doorbellRecord) {
        return create(process, process.domain(), ring, logEntries, doorbellRecord);
    }

    /// The same of another protection domain, of which the queue pairs are that take from it.
    ///
    /// @throws FlexioException also if the protection domain belongs to another process
    public static FlexioRmp create(
            FlexioProcess process,
            FlexioPd domain,
            DpaAddr ring,
            int logEntries,
            DpaAddr doorbellRecord) {
        ReceivePool.Attributes attributes;
        try {
            attributes =
                    new ReceivePool.Attributes(ring.value(), logEntries, doorbellRecord.value());
        } catch (IllegalArgumentException e) {
            throw FlexioException.refuse(Reason.BAD_ARGUMENT, String.valueOf(e.getMessage()));
        }
        ReceivePool pool =
                process.using(
                        List.of(domain),
                        _ ->
                                process.nic()
                                        .receivePool(
                                                domain.inNic(process),
                                                attributes,
                                                process.server()));
        return process.adopt(new FlexioRmp(process, pool, domain));
    }

    ReceivePool pool() {
        return pool;
    }

    @Override
    void destroy() {
        // The queues that took from it are gone.
        leave();
    }

    @Override
    void leave() {
        domain.release();
    }
}
