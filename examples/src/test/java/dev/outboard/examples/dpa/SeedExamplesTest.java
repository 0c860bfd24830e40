package dev.outboard.examples.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.checker.Finding;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioProcess.Attributes;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.testkit.Requirement;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Each worked example runs as it should in all modes, and has no finding but where the print has
/// left something out.
class SeedExamplesTest {
    private static final MachineOptions OPTIONS = MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL);

    private final Checker checker = new Checker(Profile.SEED, false);

    static Stream<RunMode> modes() {
        Stream<RunMode> once = Stream.of(RunMode.fast());
        Stream<RunMode> seeds =
                Stream.of(1L, 2L, 3L, 4L, 5L)
                        .flatMap(seed ->
                                Stream.of(
                                        RunMode.check(Observer.NONE, seed),
                                        RunMode.weak(Profile.SEED, seed),
                                        RunMode.weak(Profile.BF3, seed),
                                        RunMode.checkWeak(Observer.NONE, Profile.PARANOID, seed)));
        return Stream.concat(once, seeds);
    }

    private <T> T run(MachineOptions options, RunMode mode, Function<FlexioProcess, T> example) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process =
                        FlexioProcess.create(
                                host,
                                DpaDevice.of(options, mode),
                                SeedKernelsStub.APP,
                                Attributes.DEFAULT.withObserver(checker))) {
            return example.apply(process);
        }
    }

    private <T> T run(RunMode mode, Function<FlexioProcess, T> example) {
        T result = run(OPTIONS, mode, example);
        assertThat(checker.findings()).isEmpty();
        return result;
    }

    @ParameterizedTest
    @MethodSource("modes")
    void theHandlerWorksOnEachCompletion(RunMode mode) {
        long worked = run(mode, process -> SeedExamples.eventHandler(process, false));
        assertThat(worked).isEqualTo(6);
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-LIT-52")
    void theFlagIsTakenOnce(RunMode mode) {
        assertThat(run(mode, SeedExamples::rpc)).containsExactly(0, 1);
    }

    @ParameterizedTest
    @MethodSource("modes")
    void theCallReadsWhatTheHostHasFilled(RunMode mode) {
        assertThat(run(mode, SeedExamples::heap)).isEqualTo(10);
    }

    @ParameterizedTest
    @MethodSource("modes")
    void theHostFindsWhatTheWindowHasSet(RunMode mode) {
        assertThat(run(mode, SeedExamples::window)).isEqualTo(0xff);
    }

    @ParameterizedTest
    @MethodSource("modes")
    void theOutboxSends(RunMode mode) {
        long[] sent = run(mode, process -> SeedExamples.outbox(process, false));
        assertThat(sent).containsExactly(0, 42);
    }

    @ParameterizedTest
    @MethodSource("modes")
    void anEntryInExternalMemoryIsSent(RunMode mode) {
        assertThat(run(mode, SeedExamples::externalEntry)).containsExactly(0, 77);
    }

    @ParameterizedTest
    @MethodSource("modes")
    void aReceiveEntryIsUsed(RunMode mode) {
        assertThat(run(mode, SeedExamples::receiveEntry)).isEqualTo(SeedKernels.ENTRIES + 1);
    }

    @ParameterizedTest
    @MethodSource("modes")
    void aPolledFlagIsFound(RunMode mode) {
        assertThat(run(mode, SeedExamples::polledFlag)).isEqualTo(9);
    }

    @ParameterizedTest
    @MethodSource("modes")
    void theSecondThreadFindsTheData(RunMode mode) {
        assertThat(run(mode, SeedExamples::publication)).isEqualTo(5);
    }

    @Test
    @Requirement({"DPA-FXO-10", "DPA-FXO-11", "DPA-MEM-16a"})
    void theHandlerAsPrintedLacksAWriteback() {
        run(
                OPTIONS,
                RunMode.check(Observer.NONE, 1),
                process -> SeedExamples.eventHandler(process, true));
        assertMissingWritebackBefore("(arm)");
    }

    @Test
    @Requirement({"DPA-FXO-10", "DPA-FXO-11", "DPA-MEM-16a"})
    void theOutboxAsPrintedLacksAWriteback() {
        run(
                OPTIONS,
                RunMode.check(Observer.NONE, 1),
                process -> SeedExamples.outbox(process, true));
        assertMissingWritebackBefore("(ring)");
    }

    /// One for each store that the NIC may not see at the doorbell, or after the end of the
    /// handler.
    private void assertMissingWritebackBefore(String place) {
        List<Finding> findings = checker.findings();
        assertThat(findings).extracting(Finding::rule).containsOnly(Rule.MISSING_MEMORY_WRITEBACK);
        assertThat(findings)
                .extracting(finding -> finding.toString().lines().toList().get(2))
                .anyMatch(line -> line.contains("announcement to NIC") && line.endsWith(place));
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXO-11")
    void withCallsThatFenceThePrintIsRight(RunMode mode) {
        MachineOptions fenced = OPTIONS.withFencedCalls();
        long worked = run(fenced, mode, process -> SeedExamples.eventHandler(process, true));
        assertThat(worked).isEqualTo(6);
        assertThat(checker.findings()).isEmpty();
    }
}
