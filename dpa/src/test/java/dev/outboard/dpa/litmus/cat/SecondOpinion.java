package dev.outboard.dpa.litmus.cat;

import dev.outboard.dpa.litmus.LitmusCatalog;
import dev.outboard.dpa.litmus.LitmusProgram;
import dev.outboard.dpa.litmus.Outcome;
import dev.outboard.dpa.machine.Profile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// Finds the outcomes of litmus programs by `dpa.cat`: makes up all executions of a program and
/// keeps those in which all its checks hold. Belongs to one thread.
public final class SecondOpinion {
    private final Profile profile;
    private final CatModel model;
    private final Execution execution = new Execution();

    public SecondOpinion(Profile profile) {
        this(profile, text());
    }

    /// @param text instead of that of `dpa.cat`
    public SecondOpinion(Profile profile, String text) {
        this.profile = profile;
        model = new CatModel(text, Set.of(profile.name()));
    }

    /// The text of `dpa.cat`.
    public static String text() {
        try (InputStream resource = LitmusCatalog.class.getResourceAsStream("dpa.cat")) {
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read dpa.cat", e);
        }
    }

    /// All outcomes but those in which an actor waits for ever.
    ///
    /// @throws UnsupportedOperationException if the program is outside of the fragment
    public Set<Outcome> outcomes(LitmusProgram program) {
        requireWholeGranules(program);
        List<List<List<Step>>> ways = new ArrayList<>(List.of(List.of()));
        program.actors()
                .forEach(actor -> {
                    List<List<Step>> own = Ways.of(program, actor);
                    List<List<List<Step>>> longer = new ArrayList<>();
                    ways.forEach(way ->
                            own.forEach(one -> {
                                List<List<Step>> both = new ArrayList<>(way);
                                both.add(one);
                                longer.add(both);
                            }));
                    ways.clear();
                    ways.addAll(longer);
                });
        Set<Outcome> outcomes = new TreeSet<>();
        for (List<List<Step>> way : ways) {
            Events events = new Events(program, way);
            new Candidates(program, profile == Profile.COHERENT, events, execution, model, outcomes)
                    .tryAll();
        }
        return outcomes;
    }

    private static void requireWholeGranules(LitmusProgram program) {
        Set<String> granules = new TreeSet<>();
        program.variables()
                .forEach(variable -> {
                    String granule = variable.inDpaMemory() + " " + variable.address() / Long.BYTES;
                    if (!granules.add(granule)) {
                        throw new UnsupportedOperationException(
                                "'%s' shares its granule: outside of the fragment of dpa.cat"
                                        .formatted(variable.name()));
                    }
                });
    }
}
