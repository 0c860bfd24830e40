package dev.outboard.dpa.machine;

import java.time.Duration;
import java.util.Optional;

/// DPA-HW-13: how a machine runs a program. The program is the same in all of them.
public sealed interface RunMode {

    /// How many operations a run in turns may take by default.
    long DEFAULT_LIMIT_OPERATIONS = 200_000_000;

    /// How many states an exploration may have by default.
    long DEFAULT_MOST_STATES = 1_000_000;

    /// What documents call it.
    String word();

    /// Threads run at once, at full speed and sequentially consistent.
    ///
    /// @param limit how long the run may take
    record Fast(Duration limit) implements RunMode {
        @Override
        public String word() {
            return "FAST";
        }
    }

    /// DPA-HW-14: one actor acts at a time, chosen by a seeded scheduler, so that the run is a
    /// function of program, inputs and seed.
    ///
    /// @param weak the profile whose rules of section 9 hold; if empty, stores are performed at
    ///   once, as in FAST
    /// @param observer who follows the run; with one other than [Observer#NONE] it is a checked run
    /// @param edits what is inserted into the program or left out of it
    record Turns(
            Optional<Profile> weak,
            long seed,
            Observer observer,
            ProgramEdits edits,
            long limitOperations)
            implements RunMode {
        /// The same run with another edition of the program.
        public Turns withEdits(ProgramEdits edits) {
            return new Turns(weak, seed, observer, edits, limitOperations);
        }

        /// The same run with another observer.
        public Turns withObserver(Observer observer) {
            return new Turns(weak, seed, observer, edits, limitOperations);
        }

        /// The same run with another limit.
        public Turns withLimitOperations(long limitOperations) {
            return new Turns(weak, seed, observer, edits, limitOperations);
        }

        /// WEAK or CHECK.
        @Override
        public String word() {
            return weak.isPresent() && !isChecked() ? "WEAK" : "CHECK";
        }

        /// Whether somebody looks for mistakes.
        public boolean isChecked() {
            return !observer.equals(Observer.NONE);
        }
    }

    /// DPA-OPM-16: everything that can happen by the operational model, for programs whose threads
    /// run once and are small. Such a program does the same whenever it is given the same values:
    /// it is run again and again.
    record Explore(Profile profile, long mostStates) implements RunMode {
        @Override
        public String word() {
            return "EXPLORE";
        }
    }

    /// EXPLORE, of at most a million states.
    static Explore explore(Profile profile) {
        return new Explore(profile, DEFAULT_MOST_STATES);
    }

    /// FAST, for at most a minute.
    static Fast fast() {
        return new Fast(Duration.ofMinutes(1));
    }

    /// WEAK.
    static Turns weak(Profile profile, long seed) {
        return new Turns(
                Optional.of(profile),
                seed,
                Observer.NONE,
                ProgramEdits.NONE,
                DEFAULT_LIMIT_OPERATIONS);
    }

    /// CHECK on top of the rules of FAST.
    static Turns check(Observer observer, long seed) {
        return new Turns(
                Optional.empty(), seed, observer, ProgramEdits.NONE, DEFAULT_LIMIT_OPERATIONS);
    }

    /// CHECK on top of WEAK.
    static Turns checkWeak(Observer observer, Profile profile, long seed) {
        return new Turns(
                Optional.of(profile), seed, observer, ProgramEdits.NONE, DEFAULT_LIMIT_OPERATIONS);
    }
}
