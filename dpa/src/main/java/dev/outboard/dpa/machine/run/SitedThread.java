package dev.outboard.dpa.machine.run;

import dev.outboard.dpa.machine.memory.FaultSignal;
import java.util.Optional;

/// A thread whose program has its places from elsewhere than from classes: C code.
public interface SitedThread {
    /// All its operations come from there, until it is told another place: those of a part of the
    /// device that the program calls, too.
    void within(int site);

    /// The program goes round a loop for ever that looks at nothing but registers.
    ///
    /// @return the fault that ends it: that of the watchdog, which would in the end
    FaultSignal endless();

    /// The places of the run; empty if nobody wants to know any.
    Optional<CodeSites> wantedSites();
}
