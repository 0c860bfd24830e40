package dev.outboard.dpa.checker;

import dev.outboard.dpa.machine.Observer.Ending;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// DPA-CHK-13, DPA-CHK-14: how the activations of handlers end.
final class Activations {
    private final Scene scene;
    private final Map<Integer, Attached> queues = new TreeMap<>();
    private final Map<Long, Integer> registers = new HashMap<>();
    private final Set<Integer> handlers = new HashSet<>();

    private static final class Attached {
        final int actor;
        final boolean alwaysArmed;
        boolean armed = true;

        /// It fired, and the activation that follows has not begun.
        boolean pending;

        int waiting;

        Attached(int actor, boolean alwaysArmed) {
            this.actor = actor;
            this.alwaysArmed = alwaysArmed;
        }
    }

    Activations(Scene scene) {
        this.scene = scene;
    }

    void attach(int queue, int actor, boolean alwaysArmed) {
        queues.put(queue, new Attached(actor, alwaysArmed));
    }

    /// The doorbells at that register are for the queue, and arm it.
    void doorbellOf(int queue, long register) {
        registers.put(register, queue);
    }

    /// A thread rang there: a queue is armed at once, though the NIC sees that later.
    void rung(long register) {
        Integer queue = registers.get(register);
        if (queue != null) {
            armed(queue);
        }
    }

    void armed(int queue) {
        Attached attached = queues.get(queue);
        if (attached != null) {
            attached.armed = true;
        }
    }

    /// DPA-FXE-10: an event that comes during an activation leads to one more.
    void fired(int queue) {
        Attached attached = queues.get(queue);
        if (attached != null) {
            attached.armed = false;
            attached.pending = true;
        }
    }

    void waiting(int queue, int entries) {
        Attached attached = queues.get(queue);
        if (attached != null) {
            attached.waiting = entries;
        }
    }

    void begin(ActorState by, boolean handler) {
        for (Attached queue : queues.values()) {
            queue.pending &= queue.actor != by.number;
        }
        if (handler) {
            handlers.add(by.number);
        } else {
            handlers.remove(by.number);
        }
    }

    void end(ActorState by, Ending ending, int site) {
        boolean handler = handlers.contains(by.number);
        if (handler && ending == Ending.RETURN) {
            report(Rule.PLAIN_RETURN, Rule.PLAIN_RETURN.severity(), by, "return", site);
        }
        if (ending == Ending.RESCHEDULE || (handler && ending == Ending.RETURN)) {
            queues.forEach((number, queue) -> {
                boolean wakes = queue.armed || queue.alwaysArmed || queue.pending;
                if (queue.actor == by.number && !wakes) {
                    report(
                            Rule.UNARMED_RESCHEDULE,
                            queue.waiting > 0 ? Severity.ERROR : Rule.UNARMED_RESCHEDULE.severity(),
                            by,
                            "end with queue %d unarmed%s"
                                    .formatted(
                                            number,
                                            queue.waiting > 0 ? " and entries waiting" : ""),
                            site);
                }
            });
        }
    }

    private void report(Rule rule, Severity severity, ActorState by, String action, int site) {
        if (scene.findings.isNew(rule, by, site, by, site)) {
            Spot spot = scene.findings.spot(by, action, site);
            scene.findings.add(
                    new Finding(
                            rule, severity, spot, spot, "", Optional.empty(), Optional.empty()));
        }
    }
}
