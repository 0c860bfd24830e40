package dev.outboard.dpa.checker;

import dev.outboard.dpa.litmus.Actor;
import dev.outboard.dpa.litmus.LitmusProgram;
import dev.outboard.dpa.litmus.Place;
import dev.outboard.dpa.litmus.Statement;
import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.Sites;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/// The statements of a litmus program as sites, in the order of the text.
final class LitmusSites implements Sites {
    private final String file;
    private final List<CodePlace> places = new ArrayList<>();
    private final Map<Place, Integer> numbers = new HashMap<>();
    private final Set<Integer> polls = new HashSet<>();

    LitmusSites(LitmusProgram program, String file) {
        this.file = file;
        places.add(CodePlace.NONE);
        for (Actor actor : program.actors()) {
            add(actor.body(), actor.name());
        }
    }

    private void add(List<Statement> body, String actor) {
        for (Statement statement : body) {
            Place place = statement.place();
            numbers.put(place, places.size());
            switch (statement) {
                case Statement.Spin spin -> {
                    polls.add(places.size());
                    add(place, actor);
                    add(spin.body(), actor);
                }
                case Statement.If choice -> {
                    add(place, actor);
                    add(choice.then(), actor);
                    add(choice.otherwise(), actor);
                }
                case Statement.Repeat repeat -> {
                    add(place, actor);
                    add(repeat.body(), actor);
                }
                case Statement.Await await -> {
                    polls.add(places.size());
                    add(place, actor);
                }
                default -> add(place, actor);
            }
        }
    }

    private void add(Place place, String actor) {
        places.add(new CodePlace(file, place.line(), place.column(), actor));
    }

    /// The site of the statement at that place.
    int site(Place place) {
        return Objects.requireNonNull(numbers.get(place), place::toString);
    }

    @Override
    public CodePlace place(int site) {
        return places.get(site);
    }

    @Override
    public boolean inPollLoop(int site) {
        return polls.contains(site);
    }
}
