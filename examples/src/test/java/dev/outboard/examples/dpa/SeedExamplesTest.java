package dev.outboard.examples.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.checker.Finding;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioProcess.Attributes;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.testkit.Requirement;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Each worked example runs as it should in all modes, and has no finding but where the print has
/// left something out.
class SeedExamplesTest {
    private static final MachineOptions OPTIONS = MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL);

    private final Checker checker = new Checker(Profile.SEED, false);

    static Stream<Form> forms() {
        return Form.of(SeedKernelsStub.APP, modes());
    }

    static Stream<DpaApp<DpaThread>> languages() {
        return InC.andJava(SeedKernelsStub.APP);
    }

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

    private <T> T run(MachineOptions options, Form form, Function<FlexioProcess, T> example) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process =
                        FlexioProcess.create(
                                host,
                                DpaDevice.of(options, form.mode()),
                                form.app(),
                                Attributes.DEFAULT.withObserver(checker))) {
            return example.apply(process);
        }
    }

    private <T> T run(Form form, Function<FlexioProcess, T> example) {
        T result = run(OPTIONS, form, example);
        assertThat(checker.findings()).isEmpty();
        return result;
    }

    @ParameterizedTest
    @MethodSource("forms")
    void theHandlerWorksOnEachCompletion(Form form) {
        long worked = run(form, process -> SeedExamples.eventHandler(process, false));
        assertThat(worked).isEqualTo(6);
    }

    @ParameterizedTest
    @MethodSource("forms")
    @Requirement("DPA-LIT-52")
    void theFlagIsTakenOnce(Form form) {
        assertThat(run(form, SeedExamples::rpc)).containsExactly(0, 1);
    }

    @ParameterizedTest
    @MethodSource("forms")
    void theCallReadsWhatTheHostHasFilled(Form form) {
        assertThat(run(form, SeedExamples::heap)).isEqualTo(10);
    }

    @ParameterizedTest
    @MethodSource("forms")
    void theHostFindsWhatTheWindowHasSet(Form form) {
        assertThat(run(form, SeedExamples::window)).isEqualTo(0xff);
    }

    @ParameterizedTest
    @MethodSource("forms")
    void theOutboxSends(Form form) {
        long[] sent = run(form, process -> SeedExamples.outbox(process, false));
        assertThat(sent).containsExactly(0, 42);
    }

    @ParameterizedTest
    @MethodSource("forms")
    void anEntryInExternalMemoryIsSent(Form form) {
        assertThat(run(form, SeedExamples::externalEntry)).containsExactly(0, 77);
    }

    @ParameterizedTest
    @MethodSource("forms")
    void aReceiveEntryIsUsed(Form form) {
        assertThat(run(form, SeedExamples::receiveEntry)).isEqualTo(SeedKernels.ENTRIES + 1);
    }

    @ParameterizedTest
    @MethodSource("forms")
    void aPolledFlagIsFound(Form form) {
        assertThat(run(form, SeedExamples::polledFlag)).isEqualTo(9);
    }

    @ParameterizedTest
    @MethodSource("forms")
    void theSecondThreadFindsTheData(Form form) {
        assertThat(run(form, SeedExamples::publication)).isEqualTo(5);
    }

    @ParameterizedTest
    @MethodSource("languages")
    @Requirement({"DPA-FXO-10", "DPA-FXO-11", "DPA-MEM-16a", "DPA-JK-5"})
    void theHandlerAsPrintedLacksAWriteback(DpaApp<DpaThread> app) {
        run(
                OPTIONS,
                new Form(RunMode.check(Observer.NONE, 1), app),
                process -> SeedExamples.eventHandler(process, true));
        assertMissingWritebackBefore("(arm)");
    }

    @ParameterizedTest
    @MethodSource("languages")
    @Requirement({"DPA-FXO-10", "DPA-FXO-11", "DPA-MEM-16a", "DPA-JK-5"})
    void theOutboxAsPrintedLacksAWriteback(DpaApp<DpaThread> app) {
        run(
                OPTIONS,
                new Form(RunMode.check(Observer.NONE, 1), app),
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
    @MethodSource("forms")
    @Requirement("DPA-FXO-11")
    void withCallsThatFenceThePrintIsRight(Form form) {
        MachineOptions fenced = OPTIONS.withFencedCalls();
        long worked = run(fenced, form, process -> SeedExamples.eventHandler(process, true));
        assertThat(worked).isEqualTo(6);
        assertThat(checker.findings()).isEmpty();
    }
}
