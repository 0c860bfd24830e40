package dev.outboard.dpa.process;

/// A whole program: what a process needs before it runs. The machine makes an instance by the
/// constructor without parameters, in a class loader of the process, so the class and those nested
/// in it belong to that process alone; static fields are not shared with anybody.
@FunctionalInterface
public interface DpaProgram {

    /// Allocates memory and creates threads, NICs and hosts.
    void setUp(DpaProcess process);
}
