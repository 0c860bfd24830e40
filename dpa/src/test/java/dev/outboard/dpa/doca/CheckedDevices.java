package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.checker.Finding;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import java.util.ArrayList;
import java.util.List;

/// Devices that a checker follows in mode CHECK, a new one for each process.
final class CheckedDevices {
    private final List<Checker> checkers = new ArrayList<>();
    private Rule[] expected = {};

    /// At full speed, checked, and with weak memory.
    static List<RunMode> modes() {
        return List.of(
                RunMode.fast(),
                RunMode.check(Observer.NONE, 1),
                RunMode.weak(Profile.SEED, 2),
                RunMode.weak(Profile.PARANOID, 3));
    }

    static boolean isChecked(RunMode mode) {
        return mode instanceof RunMode.Turns turns && turns.weak().isEmpty();
    }

    DpaDevice device(MachineOptions options, RunMode mode) {
        return isChecked(mode)
                ? DpaDevice.of(options, mode, this::checker)
                : DpaDevice.of(options, mode);
    }

    private Observer checker() {
        Checker checker = new Checker(Profile.SEED, false);
        checkers.add(checker);
        return checker;
    }

    List<Finding> findings() {
        return checkers.stream().flatMap(checker -> checker.findings().stream()).toList();
    }

    /// Where there is a checker, there must be one finding of each of these in the end.
    void expect(Rule... rules) {
        expected = rules;
    }

    /// There is what was expected, and that is nothing unless it was said.
    void verify() {
        if (!checkers.isEmpty()) {
            List<Finding> findings = findings();
            assertThat(findings)
                    .as(() -> findings.toString())
                    .extracting(Finding::rule)
                    .containsExactly(expected);
        }
    }
}
