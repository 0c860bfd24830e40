package dev.outboard.dpa.checker;

import dev.outboard.dpa.litmus.Statement;
import dev.outboard.dpa.machine.Observer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The queues of the NICs of a litmus program. Each does its operations one after the other; what
/// two of them write is in no order, also where one was posted after the other.
final class LitmusQueues {
    private final LitmusSteps steps;
    private final Observer observer;
    private final Map<String, Integer> actors = new LinkedHashMap<>();
    private final Map<String, Deque<Operation>> pending = new HashMap<>();
    private final List<Long> done = new ArrayList<>();

    private record Operation(LitmusFiber poster, Statement.NicWrite write, long token) {}

    LitmusQueues(LitmusSteps steps, Observer observer) {
        this.steps = steps;
        this.observer = observer;
    }

    /// There is a queue, an actor of its own.
    void add(String queue, int actor) {
        actors.put(queue, actor);
        pending.put(queue, new ArrayDeque<>());
    }

    void post(LitmusFiber poster, Statement.NicWrite write, String queue) {
        long token = steps.nextToken();
        observer.announce(poster.number, Observer.Announcement.CALL, token, 0, 0);
        queue(queue).add(new Operation(poster, write, token));
    }

    private Deque<Operation> queue(String queue) {
        return Objects.requireNonNull(pending.get(queue), queue);
    }

    /// The queues that have something to do.
    List<String> busy() {
        return actors.keySet().stream().filter(queue -> !queue(queue).isEmpty()).toList();
    }

    /// Does the next operation of a queue. The one who posts goes by the operations that are done,
    /// of other queues too, but nothing orders what they write.
    void step(String queue) {
        int actor = Objects.requireNonNull(actors.get(queue), queue);
        Operation operation = queue(queue).remove();
        observer.receive(actor, operation.token(), 0);
        done.forEach(token -> observer.receive(actor, token, 0));
        steps.write(operation.poster(), actor, operation.write());
        long token = steps.nextToken();
        observer.announce(actor, Observer.Announcement.DONE, token, 0, 0);
        done.add(token);
        observer.order(actor);
    }
}
