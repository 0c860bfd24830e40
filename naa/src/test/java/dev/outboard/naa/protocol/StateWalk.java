package dev.outboard.naa.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.SendRequest;
import dev.outboard.naa.NaaException;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.protocol.MachineDriver.Posted;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// Puts a machine into every situation, lets every event happen there, and writes down what it did.
///
/// @param <F> what holds the machine
final class StateWalk<F> {
    /// A machine in some situation.
    ///
    /// @param posted what it has posted and nobody has completed
    /// @param does what it asks of the layer around, other than to post
    record Stage<F>(F fixture, MachineDriver driver, List<Posted> posted, List<String> does) {
        Stage(F fixture, MachineDriver driver) {
            this(fixture, driver, new ArrayList<>(driver.take()), new ArrayList<>());
        }

        /// Whether a work request of this kind can complete.
        boolean has(SendRequest.Operation operation) {
            return posted.stream().anyMatch(request -> request.operation() == operation);
        }

        /// The oldest work request completes.
        void completeOne() {
            driver.sendCompletes(posted.removeFirst());
        }

        /// All work requests complete, in order.
        void completeAll() {
            posted.forEach(driver::sendCompletes);
        }

        /// Whether something can arrive.
        boolean hasReceive() {
            return !driver.receives.isEmpty();
        }

        Machine machine() {
            return driver.machine;
        }
    }

    private record Event<F>(String name, Predicate<Stage<F>> possible, Consumer<Stage<F>> happen) {}

    /// What an event led to; without `next` the state stays what it was.
    private record Outcome(Optional<NaaState> next, String does, String reports) {
        boolean isChange() {
            return next.isPresent() || !does.isEmpty();
        }
    }

    private final Map<String, Supplier<Stage<F>>> situations = new LinkedHashMap<>();
    private final List<Event<F>> events = new ArrayList<>();

    /// A situation, and how to get there.
    void in(String situation, Supplier<Stage<F>> reach) {
        situations.put(situation, reach);
    }

    /// A call, or an event that can come at any time.
    void on(String event, Consumer<F> happen) {
        onStage(event, _ -> true, stage -> happen.accept(stage.fixture()));
    }

    /// Something that can happen at `possible` stages.
    void onStage(String event, Predicate<Stage<F>> possible, Consumer<Stage<F>> happen) {
        events.add(new Event<>(event, possible, happen));
    }

    /// Two tables: of what changes something and of what does not.
    String tables() {
        Map<Outcome, Map<String, Set<String>>> situationsPerEvent = walk();
        StringBuilder changes =
                new StringBuilder(
                        """
                        | in | when | goes to | does | reports |
                        | --- | --- | --- | --- | --- |
                        """);
        StringBuilder rest =
                new StringBuilder(
                        """
                        | in | when | reports |
                        | --- | --- | --- |
                        """);
        situationsPerEvent.forEach((outcome, perEvent) ->
                together(perEvent)
                        .forEach((in, events) -> {
                            String where = describe(in);
                            String when = String.join(", ", events);
                            if (outcome.isChange()) {
                                String next =
                                        outcome.next().map(NaaState::toString).orElse("the same");
                                changes.append(
                                        row(where, when, next, outcome.does(), outcome.reports()));
                            } else {
                                rest.append(row(where, when, outcome.reports()));
                            }
                        }));
        return changes + "\nWhat changes nothing that can be seen:\n\n" + rest;
    }

    /// For each outcome the events that lead to it, with the situations in which they do.
    private Map<Outcome, Map<String, Set<String>>> walk() {
        Map<Outcome, Map<String, Set<String>>> outcomes = new LinkedHashMap<>();
        situations.forEach((situation, reach) -> {
            for (Event<F> event : events) {
                Stage<F> stage = reach.get();
                if (event.possible().test(stage)) {
                    outcomes.computeIfAbsent(outcome(stage, event), _ -> new LinkedHashMap<>())
                            .computeIfAbsent(event.name(), _ -> new LinkedHashSet<>())
                            .add(situation);
                }
            }
        });
        return outcomes;
    }

    private Outcome outcome(Stage<F> stage, Event<F> event) {
        NaaState before = stage.machine().state();
        stage.driver().order.clear();
        Optional<String> refusal = refusal(stage, event);
        stage.driver().take();
        stage.does().addAll(stage.driver().order);
        Optional<String> failure =
                stage.machine().takeFailure().map(e -> e.getClass().getSimpleName());
        Outcome outcome =
                new Outcome(
                        Optional.of(stage.machine().state()).filter(next -> next != before),
                        String.join(", ", stage.does()),
                        failure.or(() -> refusal).orElse(""));
        assertThat(refusal.isPresent() && (outcome.isChange() || failure.isPresent()))
                .as("%s in %s is refused, and something happens", event.name(), before)
                .isFalse();
        return outcome;
    }

    private static <F> Optional<String> refusal(Stage<F> stage, Event<F> event) {
        try {
            event.happen().accept(stage);
            return Optional.empty();
        } catch (IllegalStateException | NaaException e) {
            return Optional.of(e.getClass().getSimpleName());
        }
    }

    /// The events that share their situations.
    private static Map<Set<String>, List<String>> together(Map<String, Set<String>> perEvent) {
        Map<Set<String>, List<String>> events = new LinkedHashMap<>();
        perEvent.forEach(
                (event, in) -> events.computeIfAbsent(in, _ -> new ArrayList<>()).add(event));
        return events;
    }

    private String describe(Set<String> in) {
        Set<String> others = new LinkedHashSet<>(situations.keySet());
        others.removeAll(in);
        if (others.isEmpty()) {
            return "all";
        }
        return others.size() < 6 && others.size() < in.size()
                ? "all but " + String.join(", ", others)
                : String.join(", ", in);
    }

    private static String row(String... cells) {
        return "| " + String.join(" | ", cells).replace("|  |", "| |").strip() + " |\n";
    }
}
