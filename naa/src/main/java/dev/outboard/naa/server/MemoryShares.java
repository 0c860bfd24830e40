package dev.outboard.naa.server;

import java.util.HashMap;
import java.util.Map;

/// How much memory the clients have, all together and by address. Any thread may call.
final class MemoryShares {
    private final ServerOptions options;
    private final Map<Origin, Long> used = new HashMap<>();
    private long usedByAll;

    /// How a demand ends.
    enum Answer {
        GRANTED,
        ALL_USED,
        ADDRESS_USED
    }

    MemoryShares(ServerOptions options) {
        this.options = options;
    }

    /// Charges `bytes` to an address, if it and all together have that much left.
    ///
    /// NAA-LIM-5: the caps of an address and of all.
    synchronized Answer take(Origin origin, long bytes) {
        long ofAddress = used.getOrDefault(origin, 0L);
        if (bytes > options.maxTotalBytes() - usedByAll) {
            return Answer.ALL_USED;
        }
        if (bytes > options.share(origin).bytes() - ofAddress) {
            return Answer.ADDRESS_USED;
        }
        usedByAll += bytes;
        used.put(origin, ofAddress + bytes);
        return Answer.GRANTED;
    }

    /// Gives back what [#take] has granted.
    synchronized void giveBack(Origin origin, long bytes) {
        usedByAll -= bytes;
        used.computeIfPresent(origin, (_, before) -> before == bytes ? null : before - bytes);
    }

    /// The bytes that all clients together have.
    synchronized long used() {
        return usedByAll;
    }
}
