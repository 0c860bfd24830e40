package dev.outboard.dpa.litmus;

import dev.outboard.dpa.model.Action;

/// What the statements of an actor are compiled to. Values are computed from its registers.
sealed interface Instruction {
    /// A value, from registers.
    @FunctionalInterface
    interface Value {
        long of(long[] registers);
    }

    /// A question, to registers.
    @FunctionalInterface
    interface Test {
        boolean of(long[] registers);
    }

    /// An action, from registers.
    @FunctionalInterface
    interface Maker {
        Action of(long[] registers);
    }

    /// Computes a register.
    record Set(int register, Value value) implements Instruction {}

    /// Goes on elsewhere unless the test holds.
    record Branch(Test test, int otherwise) implements Instruction {}

    /// Goes on elsewhere.
    record Jump(int target) implements Instruction {}

    /// An action.
    ///
    /// @param register for what it gives, or a negative number
    record Act(Maker maker, int register) implements Instruction {}

    /// The load of a loop: leaves the loop if what it gives passes.
    record Poll(Action load, Comparison comparison, Value value, int exit) implements Instruction {}

    /// Actions that come in any order.
    record Group(Maker[] makers) implements Instruction {}
}
