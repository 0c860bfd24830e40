package dev.outboard.dpa.litmus;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What can be observed of a program, by name.
final class ObservationNames {
    private final Map<String, Set<String>> registers = new LinkedHashMap<>();
    private final VariableTable variables;

    ObservationNames(List<Actor> actors, VariableTable variables) {
        this.variables = variables;
        for (Actor actor : actors) {
            registers.put(actor.name(), ProgramChecks.assigned(actor.body()));
        }
    }

    /// All registers.
    List<Observation> registers() {
        List<Observation> all = new ArrayList<>();
        registers.forEach(
                (actor, names) -> names.forEach(name -> all.add(ofRegister(actor, name))));
        return all;
    }

    /// @throws LitmusSyntaxException if it is nothing to observe
    Observation resolve(String name, Place place) {
        int dot = name.indexOf('.');
        if (dot < 0) {
            List<String> owners = owners(name);
            if (owners.size() == 1) {
                return new Observation.OfRegister(name, owners.getFirst(), name);
            }
            throw new LitmusSyntaxException(
                    place,
                    owners.isEmpty()
                            ? "no actor sets a register '%s'".formatted(name)
                            : "register '%s' is one of %s each: write %s.%s"
                                    .formatted(name, owners, owners.getFirst(), name));
        }
        String owner = name.substring(0, dot);
        Scanner.Token item = new Scanner.Token(Scanner.Kind.WORD, name.substring(dot + 1), place);
        Set<String> own = registers.get(owner);
        if (own != null) {
            if (!own.contains(item.text())) {
                throw new LitmusSyntaxException(
                        place, "%s sets no register %s: it sets %s".formatted(owner, item, own));
            }
            return new Observation.OfRegister(name, owner, item.text());
        }
        Observation observation = ofMemory(owner, variables.require(item));
        if (observation == null) {
            throw new LitmusSyntaxException(
                    place,
                    "'%s' is nothing to observe: a register, T1.r, M.x and nic.x for DPA memory,"
                                    .formatted(name)
                            + " X.x for external memory");
        }
        return observation;
    }

    private static @Nullable Observation ofMemory(String owner, Variable variable) {
        boolean inDpaMemory = variable.inDpaMemory();
        return switch (owner) {
            case "M" -> inDpaMemory ? new Observation.OfMemory(variable.name(), false) : null;
            case "nic" -> inDpaMemory ? new Observation.OfNicView(variable.name()) : null;
            case "X" -> inDpaMemory ? null : new Observation.OfMemory(variable.name(), true);
            default -> null;
        };
    }

    private List<String> owners(String register) {
        return registers.entrySet().stream()
                .filter(entry -> entry.getValue().contains(register))
                .map(Map.Entry::getKey)
                .toList();
    }

    /// A register of an actor, named after it only where it has to be.
    Observation.OfRegister ofRegister(String actor, String register) {
        String name = owners(register).size() == 1 ? register : actor + "." + register;
        return new Observation.OfRegister(name, actor, register);
    }
}
