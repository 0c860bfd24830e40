package dev.outboard.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.TraceFile;
import java.util.Comparator;
import java.util.List;

/// What the traces of a client and its node, in one file, join of a call.
///
/// @param steps in the order in which they began; the answer has arrived when it is whole, as its
///   first bytes may come before its last packet is sent
public record TracedCall(List<TraceFile.Slice> steps) {
    /// All calls of a client, in the order in which it has made them.
    public static List<TracedCall> in(TraceFile file) {
        return file.slices("RPC").stream().map(call -> of(file, call)).toList();
    }

    private static TracedCall of(TraceFile file, TraceFile.Slice call) {
        List<List<TraceFile.Slice>> joined =
                file.joined().values().stream().filter(all -> all.contains(call)).toList();
        assertThat(joined).as("what %s is joined with", call.name()).hasSize(1);
        return new TracedCall(
                joined.getFirst().stream()
                        .sorted(Comparator.comparingLong(TracedCall::at))
                        .toList());
    }

    private static long at(TraceFile.Slice step) {
        return step.name().startsWith("WRITEs of the answer arrive") ? step.ended() : step.begin();
    }

    /// Who did what, without numbers.
    public List<String> words() {
        return steps.stream().map(TracedCall::words).toList();
    }

    private static String words(TraceFile.Slice step) {
        String group = step.track().group().replaceFirst("[ ,].*", "");
        String what = group.equals("NIC") ? step.track().name() : step.name();
        return "%s: %s".formatted(group, what.replaceFirst("(,| for| by|:) .*", ""));
    }
}
