package dev.outboard.dpa.checker;

import dev.outboard.dpa.litmus.Actor;
import dev.outboard.dpa.litmus.LitmusProgram;
import dev.outboard.dpa.litmus.Observation;
import dev.outboard.dpa.litmus.Outcome;
import dev.outboard.dpa.litmus.Statement;
import dev.outboard.dpa.litmus.Variable;
import dev.outboard.dpa.machine.Observer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// DPA-OPM-17: one run of a litmus program under FAST rules: every store is visible to everybody at
/// once. Which actor comes next is chosen by a seed, so that a seed replays a run.
final class LitmusRun {
    private static final int LIMIT = 20_000;

    /// Failed tests of a loop in a row, with nothing changed, after which others come first. More
    /// than the checker needs to see a loop.
    private static final int PATIENCE = Polls.ROUNDS + 2;

    /// The same after which nobody expects the loop to end, as one that counts its rounds would.
    private static final int LAST_PATIENCE = 200;

    private final LitmusProgram program;
    private final Observer observer;
    private final LitmusMemory memory;
    private final LitmusSites sites;
    private final LitmusSteps steps;
    private final List<LitmusFiber> fibers = new ArrayList<>();
    private final Turns turns;
    private final List<String> queues;
    private long changes;
    private boolean hang;

    LitmusRun(LitmusProgram program, LitmusSites sites, Observer observer, long seed) {
        this.program = program;
        this.sites = sites;
        this.observer = observer;
        memory = new LitmusMemory(program);
        SplittableRandom random = new SplittableRandom(seed);
        queues = List.copyOf(queues(program));
        turns = new Turns(program.actors().size() + queues.size(), seed, random);
        LitmusRoles roles = new LitmusRoles(program);
        steps = new LitmusSteps(memory, sites, roles, observer, random);
        declare(roles);
    }

    private static Set<String> queues(LitmusProgram program) {
        Set<String> queues = new LinkedHashSet<>();
        for (Statement statement : statements(program)) {
            if (statement instanceof Statement.NicWrite write) {
                write.queue().ifPresent(queues::add);
            }
        }
        return queues;
    }

    private static List<Statement> statements(LitmusProgram program) {
        List<Statement> all = new ArrayList<>();
        program.actors().forEach(actor -> add(actor.body(), all));
        return all;
    }

    private static void add(List<Statement> body, List<Statement> all) {
        for (Statement statement : body) {
            all.add(statement);
            switch (statement) {
                case Statement.If choice -> {
                    add(choice.then(), all);
                    add(choice.otherwise(), all);
                }
                case Statement.Repeat repeat -> add(repeat.body(), all);
                case Statement.Spin spin -> add(spin.body(), all);
                default -> {}
            }
        }
    }

    private void declare(LitmusRoles roles) {
        observer.sites(sites);
        for (Actor actor : program.actors()) {
            LitmusFiber fiber = new LitmusFiber(fibers.size(), actor);
            fibers.add(fiber);
            Observer.ActorKind kind =
                    switch (actor.kind()) {
                        case THREAD -> Observer.ActorKind.THREAD;
                        case NIC -> Observer.ActorKind.NIC;
                        case HOST -> Observer.ActorKind.HOST;
                    };
            observer.actor(fiber.number, kind, actor.name());
        }
        int number = fibers.size();
        for (String queue : queues) {
            observer.actor(number, Observer.ActorKind.NIC, queue);
            steps.queues().add(queue, number);
            number++;
        }
        List<Statement.Doorbell> doorbells =
                statements(program).stream()
                        .filter(Statement.Doorbell.class::isInstance)
                        .map(Statement.Doorbell.class::cast)
                        .toList();
        roles.declare(observer, doorbells);
        observer.started();
    }

    /// Runs to the end.
    Outcome run() {
        for (LitmusFiber fiber : fibers) {
            if (fiber.isThread()) {
                observer.begin(fiber.number, false, 0);
            }
        }
        for (int step = 0; step < LIMIT; step++) {
            List<Integer> ready = ready(PATIENCE);
            if (ready.isEmpty()) {
                ready = ready(LAST_PATIENCE);
            }
            if (ready.isEmpty()) {
                break;
            }
            int next = turns.next(ready);
            if (next < fibers.size()) {
                step(fibers.get(next));
            } else {
                steps.queues().step(queues.get(next - fibers.size()));
            }
        }
        end();
        observer.finished();
        return outcome();
    }

    /// Who can go on, by number: the actors, and after them the queues. A loop that has failed so
    /// often with nothing changed can not.
    private List<Integer> ready(int patience) {
        List<Integer> ready = new ArrayList<>();
        for (LitmusFiber fiber : fibers) {
            if (!fiber.isEnded() && fiber.idleRounds < patience && steps.isReady(fiber)) {
                ready.add(fiber.number);
            }
        }
        for (String queue : steps.queues().busy()) {
            ready.add(fibers.size() + queues.indexOf(queue));
        }
        return ready;
    }

    private void step(LitmusFiber fiber) {
        int site = sites.site(fiber.next().place());
        steps.step(fiber);
        if (changes != steps.changes()) {
            changes = steps.changes();
            for (LitmusFiber other : fibers) {
                other.idleRounds = 0;
            }
        }
        if (fiber.isEnded() && fiber.isThread()) {
            observer.end(fiber.number, Observer.Ending.RETURN, site);
        }
    }

    /// DPA-OPM-14: what waits now, waits for ever.
    private void end() {
        int[] spinning =
                fibers.stream()
                        .filter(fiber -> fiber.isThread() && !fiber.isEnded())
                        .mapToInt(fiber -> fiber.number)
                        .toArray();
        hang = fibers.stream().anyMatch(fiber -> !fiber.isEnded() && !fiber.actor.optional());
        if (spinning.length > 0) {
            observer.stuck(spinning);
        }
    }

    private Outcome outcome() {
        Map<String, String> values = new TreeMap<>();
        for (Observation observation : hang ? program.observedOnHang() : program.observed()) {
            values.put(observation.name(), value(observation));
        }
        return new Outcome(values, hang);
    }

    private String value(Observation observation) {
        return switch (observation) {
            case Observation.OfRegister register ->
                    fibers.stream()
                            .filter(fiber -> fiber.actor.name().equals(register.actor()))
                            .findFirst()
                            .orElseThrow()
                            .register(register.register());
            case Observation.OfMemory of -> value(of.variable());
            case Observation.OfNicView of -> value(of.variable());
        };
    }

    private String value(String name) {
        Variable variable = program.variable(name);
        return Long.toUnsignedString(
                memory.get(LitmusMemory.address(variable), variable.sizeBytes()));
    }
}
