package dev.outboard.bench.fabric;

import dev.outboard.bench.comparison.Contender;
import dev.outboard.bench.comparison.Ours;
import dev.outboard.bench.comparison.Work;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/// Whether peers take part in a comparison.
final class PeerChoice {
    @Option(names = "--no-peers", description = "Only Outboard and the floors.")
    private boolean withoutPeers;

    /// The works with those who take part.
    List<Work> of(List<Work> all) {
        return withoutPeers
                ? all.stream().map(work -> work.without(PeerChoice::isPeer)).toList()
                : all;
    }

    /// The option as it was given, behind a blank.
    String option() {
        return withoutPeers ? " --no-peers" : "";
    }

    private static boolean isPeer(Contender contender) {
        return !(contender instanceof Ours)
                && Stream.of("Outboard", "same packets").noneMatch(contender.name()::startsWith);
    }
}
