package dev.outboard.bench.doca;

import dev.outboard.bench.comparison.ComparisonCommand;
import dev.outboard.bench.comparison.Ours;
import dev.outboard.bench.comparison.Work;
import dev.outboard.bench.comparison.Work.Unit;
import dev.outboard.bench.fabric.VerbsLatency;
import dev.outboard.bench.fabric.VerbsStream;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/// `outboard bench doca`: tasks next to the work requests they become.
@Command(
        name = "doca",
        sortOptions = false,
        description = {
            "Measure DOCA RDMA tasks over loopback.",
            "In turn with the same work requests through the bare verbs. Both sides poll, so a",
            "machine needs two free processors."
        },
        footer = {"", "Works: send, write-imm, rate, write-1m, read-1m."})
public final class DocaCommand extends ComparisonCommand {
    private static final int SMALL = 64;
    private static final int MIB = 1 << 20;
    private static final int IN_FLIGHT = 64;
    private static final int LARGE_IN_FLIGHT = 4;

    /// For picocli.
    public DocaCommand() {}

    @Override
    protected List<Work> works() {
        return List.of(
                new Work(
                        "send",
                        "round trip of 64 bytes by send and receive",
                        Unit.TIME,
                        List.of(
                                tasks(() -> new DocaLatency(false, SMALL)),
                                verbs(() ->
                                        new VerbsLatency(
                                                VerbsLatency.Operation.SEND, SMALL, false)))),
                new Work(
                        "write-imm",
                        "round trip of 64 bytes by write with immediate",
                        Unit.TIME,
                        List.of(
                                tasks(() -> new DocaLatency(true, SMALL)),
                                verbs(() ->
                                        new VerbsLatency(
                                                VerbsLatency.Operation.WRITE_WITH_IMMEDIATE,
                                                SMALL,
                                                false)))),
                stream("rate", "writes of 64 bytes, 64 in flight", true, SMALL),
                stream("write-1m", "writes of 1 MiB, 4 in flight", true, MIB),
                stream("read-1m", "reads of 1 MiB, 4 in flight", false, MIB));
    }

    private static Work stream(String name, String title, boolean writes, int bytes) {
        boolean countsBytes = bytes > SMALL;
        int inFlight = countsBytes ? LARGE_IN_FLIGHT : IN_FLIGHT;
        VerbsStream.Operation operation =
                writes ? VerbsStream.Operation.WRITE : VerbsStream.Operation.READ;
        return new Work(
                name,
                title,
                countsBytes ? Unit.BANDWIDTH : Unit.MESSAGES,
                List.of(
                        tasks(() -> new DocaStream(writes, bytes, inFlight, countsBytes)),
                        verbs(() -> new VerbsStream(operation, bytes, inFlight, countsBytes))));
    }

    private static Ours tasks(Callable<Ours.Subject> maker) {
        return new Ours("DOCA tasks", maker);
    }

    private static Ours verbs(Callable<Ours.Subject> maker) {
        return new Ours("bare verbs", maker);
    }
}
