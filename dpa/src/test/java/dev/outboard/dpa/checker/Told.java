package dev.outboard.dpa.checker;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.Observer.ActorKind;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.Sites;
import java.util.List;

/// A checker that a test tells what happens, step by step. Site n is line n of `Told.java`; site 99
/// is the load of a poll loop.
final class Told {
    /// A thread, another thread, a NIC, a host.
    static final int T1 = 0;

    static final int T2 = 1;
    static final int NIC = 2;
    static final int HOST = 3;

    /// The site of a poll loop's load.
    static final int POLL = 99;

    /// A word of the heap, and one of external memory.
    static final long HEAP = AddressMap.HEAP + 4096;

    static final long WINDOW = AddressMap.WINDOW | 0x2_0000;

    final Checker checker;

    Told() {
        this(Profile.SEED, false);
    }

    Told(Profile profile, boolean redundant) {
        checker = new Checker(profile, redundant);
        checker.sites(
                new Sites() {
                    @Override
                    public CodePlace place(int site) {
                        return new CodePlace("Told.java", site, 0, "told");
                    }

                    @Override
                    public boolean inPollLoop(int site) {
                        return site == POLL;
                    }
                });
        checker.actor(T1, ActorKind.THREAD, "T1");
        checker.actor(T2, ActorKind.THREAD, "T2");
        checker.actor(NIC, ActorKind.NIC, "N");
        checker.actor(HOST, ActorKind.HOST, "H");
    }

    /// The run begins, after what the test has set up.
    Told start() {
        checker.started();
        return this;
    }

    /// The run is over.
    List<Finding> end() {
        checker.finished();
        return checker.findings();
    }

    /// The rules that were found.
    List<Rule> rules() {
        return end().stream().map(Finding::rule).toList();
    }
}
