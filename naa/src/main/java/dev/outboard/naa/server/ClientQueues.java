package dev.outboard.naa.server;

import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import java.util.Map;
import java.util.function.IntFunction;

/// The queues by which one client is served. They are of this host, unless an accelerator answers
/// RPCs by itself: then this host gets what sets the connection up, and nothing of the RPCs. Called
/// by the thread of the client.
public interface ClientQueues extends AutoCloseable {
    /// What this host posts to.
    QueuePair pair();

    /// What tells this host of the client.
    CompletionQueue queue();

    /// Where the memory of the client's regions comes from.
    default RegionAllocator allocator() {
        return RegionAllocator.ON_HOST;
    }

    /// The client has regions. It is told of them when this returns, and may call then.
    default void granted(NaaServerContext client) {
        // This host serves it.
    }

    /// Whether an accelerator answers the RPCs of the client. Then none comes to this host, unless
    /// the client calls before it has its last answer.
    default boolean isElsewhere() {
        return false;
    }

    /// What the accelerator has done so far.
    default Progress progress() {
        return Progress.NONE;
    }

    /// What an accelerator has done for a client.
    ///
    /// @param begun how many RPCs have begun
    /// @param answered how many of these it has answered
    record Progress(long begun, long answered) {
        /// Nothing.
        static final Progress NONE = new Progress(0, 0);

        /// Whether it is at an RPC, and takes nothing else that comes meanwhile.
        boolean isComputing() {
            return begun != answered;
        }
    }

    /// What the accelerator has counted, by name; also after the end. Any thread.
    default Map<String, Long> counters() {
        return Map.of();
    }

    /// The connection is over: gives up everything but a queue pair that belongs to its identifier.
    @Override
    void close();

    /// Makes the queues of a client.
    interface Maker {
        /// Makes them for a connection that is about to be accepted.
        ///
        /// @param domain where the memory of the client is registered
        /// @throws dev.outboard.fabric.FabricException if something cannot be created; nothing is
        ///   left then
        ClientQueues make(ConnectionId id, ProtectionDomain domain, int maxSends, int maxReceives);
    }

    /// Those of this host.
    ///
    /// @param queues makes a completion queue of a capacity
    static Maker onHost(IntFunction<CompletionQueue> queues) {
        return (id, domain, maxSends, maxReceives) -> {
            CompletionQueue queue = queues.apply(maxSends + maxReceives);
            try {
                QueuePair pair =
                        id.createQueuePair(
                                domain, QueuePairAttributes.of(queue, maxSends, maxReceives));
                return new OfHost(pair, queue);
            } catch (RuntimeException e) {
                queue.close();
                throw e;
            }
        };
    }

    /// A queue pair and its completion queue.
    record OfHost(QueuePair pair, CompletionQueue queue) implements ClientQueues {
        @Override
        public void close() {
            queue.close();
        }
    }
}
