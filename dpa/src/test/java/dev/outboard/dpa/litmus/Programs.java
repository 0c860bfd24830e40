package dev.outboard.dpa.litmus;

import dev.outboard.dpa.machine.Profile;
import java.util.List;

/// Litmus programs in a few words.
final class Programs {
    private Programs() {}

    /// A program without expectations; after it may come `observe`.
    static LitmusProgram of(String text) {
        return LitmusTest.parse("litmus test " + text).variants().getFirst().program();
    }

    /// All outcomes in a profile, sorted.
    static List<String> outcomes(Profile profile, String text) {
        return Explorer.explore(of(text), profile).outcomes().stream()
                .map(Outcome::toString)
                .toList();
    }

    /// All outcomes in SEED, sorted.
    static List<String> outcomes(String text) {
        return outcomes(Profile.SEED, text);
    }
}
