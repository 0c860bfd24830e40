package dev.outboard.dpa.litmus.cat;

import dev.outboard.dpa.litmus.Comparison;
import dev.outboard.dpa.litmus.Expression;
import dev.outboard.dpa.litmus.Variable;
import dev.outboard.dpa.machine.AtomicOp;
import java.util.Optional;
import java.util.Set;

/// A step of one way through an actor's program.
sealed interface Step {
    /// Something that is an event.
    ///
    /// @param sets those of `dpa.cat` that it is in
    /// @param place of which it is: `M.x`, `X.x`, `O.SXD`; empty for fences
    /// @param variable that it accesses
    /// @param register that a read sets
    /// @param value that a write writes, or the operand of the operation
    /// @param doorbell the name of the doorbell that is rung, or waited for
    /// @param group the operation of a NIC whose writes appear in any order; 0 if there is none
    record Event(
            Set<String> sets,
            String place,
            Optional<Variable> variable,
            Optional<String> register,
            Optional<Expression> value,
            Optional<AtomicOp> operation,
            Optional<String> doorbell,
            int group)
            implements Step {
        /// An event in those sets, with nothing more to say.
        static Event in(Set<String> sets, String place) {
            Optional<Variable> variable = Optional.empty();
            Optional<String> register = Optional.empty();
            Optional<Expression> value = Optional.empty();
            Optional<AtomicOp> operation = Optional.empty();
            Optional<String> doorbell = Optional.empty();
            int group = 0;
            return new Event(sets, place, variable, register, value, operation, doorbell, group);
        }

        Event withVariable(Optional<Variable> variable) {
            return new Event(sets, place, variable, register, value, operation, doorbell, group);
        }

        Event withRegister(Optional<String> register) {
            return new Event(sets, place, variable, register, value, operation, doorbell, group);
        }

        Event withValue(Optional<Expression> value) {
            return new Event(sets, place, variable, register, value, operation, doorbell, group);
        }

        Event withOperation(Optional<AtomicOp> operation) {
            return new Event(sets, place, variable, register, value, operation, doorbell, group);
        }

        Event withDoorbell(String name) {
            Optional<String> doorbell = Optional.of(name);
            return new Event(sets, place, variable, register, value, operation, doorbell, group);
        }

        Event withGroup(int group) {
            return new Event(sets, place, variable, register, value, operation, doorbell, group);
        }

        boolean is(String set) {
            return sets.contains(set);
        }

        boolean isStore() {
            return is("T") && is("W") && !is("R");
        }

        boolean isWindowLoad() {
            return is("T") && is("X") && is("R");
        }
    }

    /// `r=t+1`.
    record Assign(String register, Expression value) implements Step {}

    /// The program goes this way only if the comparison gives that.
    record Assume(Expression left, Comparison comparison, Expression right, boolean holds)
            implements Step {}
}
