package dev.outboard.dpa.machine.run;

/// An actor that can be told which place of the program its next operation comes from. Rewritten
/// programs do so before each operation.
public interface SitedActor {
    /// The next operation comes from there.
    void site(int site);
}
