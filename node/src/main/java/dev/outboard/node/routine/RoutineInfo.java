package dev.outboard.node.routine;

import dev.outboard.naa.Routine;
import java.util.List;

/// A routine of the catalog: its function code, what it does and what it takes.
///
/// @param functionCode by which clients call it
/// @param name short, in lower case
/// @param description one line
/// @param parameters the regions it takes, in order; empty if it takes any regions
/// @param routine what runs; it checks the number and sizes of its regions itself
public record RoutineInfo(
        int functionCode,
        String name,
        String description,
        List<Parameter> parameters,
        Routine routine) {
    public RoutineInfo {
        parameters = List.copyOf(parameters);
    }

    /// What happens to a region in an RPC.
    public enum Role {
        IN,
        OUT,
        INOUT
    }

    /// A region that a routine takes.
    ///
    /// @param content what its bytes are, for people
    public record Parameter(String name, Role role, String content) {}
}
