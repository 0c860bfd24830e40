package dev.outboard.examples.dpa;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaApp;
import java.util.stream.Stream;

/// A device program in one of its languages, in a run mode.
record Form(RunMode mode, DpaApp<DpaThread> app) {
    /// A program in Java, and the one in C, in all those modes.
    static Stream<Form> of(DpaApp<DpaThread> inJava, Stream<RunMode> modes) {
        return modes.flatMap(mode -> InC.andJava(inJava).map(program -> new Form(mode, program)));
    }

    @Override
    public String toString() {
        return "%s, %s".formatted(app.image().isPresent() ? "C" : "Java", mode);
    }
}
