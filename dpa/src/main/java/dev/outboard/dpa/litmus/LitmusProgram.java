package dev.outboard.dpa.litmus;

import java.util.List;

/// A litmus program: variables and actors. Immutable.
///
/// @param observed what outcomes tell, in their order
/// @param observedOnHang what outcomes tell in which some actor waits for ever
public record LitmusProgram(
        List<Variable> variables,
        List<Role> roles,
        List<Actor> actors,
        List<Observation> observed,
        List<Observation> observedOnHang) {
    /// The variable of that name.
    ///
    /// @throws IllegalArgumentException if there is none
    public Variable variable(String name) {
        return variables.stream()
                .filter(variable -> variable.name().equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException(
                                "No variable is called '%s': there are %s"
                                        .formatted(
                                                name,
                                                variables.stream().map(Variable::name).toList())));
    }
}
