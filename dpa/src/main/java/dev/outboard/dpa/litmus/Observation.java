package dev.outboard.dpa.litmus;

/// What an outcome tells at the end.
public sealed interface Observation {
    /// As outcomes name it.
    String name();

    /// A register of an actor. Its name is that of the register alone where no other actor has one
    /// of that name, else `T1.r`.
    record OfRegister(String name, String actor, String register) implements Observation {}

    /// `M.x`: what DPA threads read; `X.x`: external memory.
    record OfMemory(String variable, boolean external) implements Observation {
        @Override
        public String name() {
            return (external ? "X." : "M.") + variable;
        }
    }

    /// `nic.x`: what the NIC reads in DPA memory.
    record OfNicView(String variable) implements Observation {
        @Override
        public String name() {
            return "nic." + variable;
        }
    }
}
