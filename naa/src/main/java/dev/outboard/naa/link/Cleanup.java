package dev.outboard.naa.link;

import dev.outboard.naa.NaaException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/// Releases what was acquired, the latest first. One thread at a time.
///
/// NAA-DISC-7: a failure does not keep the rest from being released.
public final class Cleanup {
    private final Deque<Runnable> later = new ArrayDeque<>();
    private final List<RuntimeException> failures = new ArrayList<>();

    /// Keeps a release for [#finish], which does the latest first.
    public void defer(Runnable release) {
        later.push(release);
    }

    /// Does a release now, ahead of the deferred ones.
    public void step(Runnable release) {
        try {
            release.run();
        } catch (RuntimeException e) {
            failures.add(e);
        }
    }

    /// Does what was deferred and reports all failures together.
    ///
    /// @throws NaaException if a release has failed
    public void finish(NaaException.Where where) {
        while (!later.isEmpty()) {
            step(later.pop());
        }
        if (!failures.isEmpty()) {
            NaaException report =
                    new NaaException(
                            where,
                            "%d resources could not be released; the first: %s"
                                    .formatted(failures.size(), failures.getFirst().getMessage()),
                            failures.getFirst());
            failures.stream().skip(1).forEach(report::addSuppressed);
            failures.clear();
            throw report;
        }
    }

    /// Does what was deferred because `failure` has happened, which its failures are added to.
    public void undo(RuntimeException failure) {
        while (!later.isEmpty()) {
            step(later.pop());
        }
        failures.forEach(failure::addSuppressed);
    }
}
