package dev.outboard.bench.fabric;

import dev.outboard.bench.comparison.Ours;
import dev.outboard.bench.comparison.ProgramRun;
import java.util.List;
import java.util.Map;

/// Something that is measured while another program takes a whole processor, if it gets one.
final class BesideLoad implements Ours.Subject {
    /// Ends with this process, however that ends.
    private static final String LOOP =
            "while kill -0 %d; do :; done".formatted(ProcessHandle.current().pid());

    private final Ours.Subject subject;
    private final ProgramRun load = new ProgramRun(List.of("sh", "-c", LOOP), Map.of());

    BesideLoad(Ours.Subject subject) {
        this.subject = subject;
    }

    @Override
    public double run(long nanos) {
        return subject.run(nanos);
    }

    @Override
    public void close() {
        load.close();
        subject.close();
    }
}
