package dev.outboard.console.verbs;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.terminal.CommandException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/// Bounces messages on queue pairs that share one completion queue: each queue pair sends the next
/// when its last send is complete and a message is back. One thread.
final class PingPong {
    /// What is sent, received and looked at.
    ///
    /// @param send the message, complete
    /// @param receive room for one
    /// @param received looks at a message that came
    record Traffic(SendRequest send, ReceiveRequest receive, Runnable received) {}

    /// Where it is sent and received.
    ///
    /// @param pairs not sending yet
    /// @param receives posts a receive to where all of `pairs` take receives from
    record Queues(List<QueuePair> pairs, Predicate<ReceiveRequest> receives) {}

    private final Completions completions;
    private final Queues queues;
    private final Traffic traffic;
    private final Map<Integer, Lane> lanes = new HashMap<>();
    private final int depth;
    private int receivesPosted;
    private int sent;
    private int received;

    /// @param depth receives posted at a time
    PingPong(Completions completions, Queues queues, Traffic traffic, int depth) {
        this.completions = completions;
        this.queues = queues;
        this.traffic = traffic;
        this.depth = depth;
        queues.pairs().forEach(pair -> lanes.put(pair.number(), new Lane(pair)));
    }

    /// Posts all receives; before the peer sends.
    void postReceives() {
        while (receivesPosted < depth) {
            requirePosted(queues.receives().test(traffic.receive()));
            receivesPosted++;
        }
    }

    /// Sends and receives `iterations` messages, all queue pairs taken together.
    ///
    /// @param first whether this side sends before it has received
    /// @return how long it took
    long run(int iterations, boolean first) {
        long start = System.nanoTime();
        lanes.values()
                .forEach(lane -> {
                    lane.receiving = true;
                    if (first) {
                        lane.send();
                    }
                });
        while (received < iterations || sent < iterations) {
            Lane lane = complete();
            if (sent < iterations && lane.isIdle()) {
                lane.receiving = true;
                lane.send();
            }
        }
        return System.nanoTime() - start;
    }

    private Lane complete() {
        Completion completion = completions.nextSuccess();
        Lane lane = lanes.get(completion.queuePairNumber());
        if (lane == null) {
            throw new IllegalStateException("no queue pair " + completion.queuePairNumber());
        }
        if (completion.opcode() == CompletionOpcode.RECEIVE) {
            received++;
            lane.receiving = false;
            traffic.received().run();
            receivesPosted--;
            if (receivesPosted <= lanes.size()) {
                postReceives();
            }
        } else {
            sent++;
            lane.sending = false;
        }
        return lane;
    }

    private static void requirePosted(boolean posted) {
        if (!posted) {
            throw new CommandException("the queue is full");
        }
    }

    /// One queue pair.
    private final class Lane {
        private final QueuePair pair;
        private boolean sending;
        private boolean receiving;

        Lane(QueuePair pair) {
            this.pair = pair;
        }

        boolean isIdle() {
            return !sending && !receiving;
        }

        void send() {
            requirePosted(pair.post(traffic.send()));
            sending = true;
        }
    }
}
