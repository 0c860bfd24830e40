package dev.outboard.dpa.flexio;

import static dev.outboard.dpa.flexio.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.flexio.FlexioErrorState.Kind;
import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A NIC with several functions: who may use which, and what outboxes reach.
class NicFunctionsTest {
    private static final int FUNCTIONS = 3;

    static List<RunMode> modes() {
        return List.of(
                RunMode.fast(),
                RunMode.check(Observer.NONE, 1),
                RunMode.weak(Profile.SEED, 2),
                RunMode.weak(Profile.PARANOID, 5));
    }

    private static DpaDevice device(RunMode mode) {
        return DpaDevice.of(MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL), mode, FUNCTIONS);
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-HW-16", "DPA-FXQ-1d", "DPA-FXO-2"})
    void inTheRoleOfTheDpuAProcessUsesAllFunctions(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = FlexioProcess.create(host, device(mode), EchoStub.APP)) {
            assertThat(process.uar().function()).isZero();
            for (int function = 0; function < FUNCTIONS; function++) {
                FlexioUar uar = FlexioUar.create(process, function);
                assertThat(uar.function()).isEqualTo(function);
                FlexioEventHandler handler =
                        FlexioEventHandler.create(
                                process, EchoStub.echo, FlexioEventHandler.Attributes.DEFAULT);
                EchoSide server = new EchoSide(process, Optional.of(handler), uar);
                EchoSide client = new EchoSide(process, Optional.empty());
                server.pair.connect(client.pair);
                handler.run(server.context.value());
                assertThat(process.call(EchoStub.call(client.context, 10 + function)))
                        .isEqualTo(10 + function);
            }
            refused(Reason.BAD_ARGUMENT, () -> FlexioUar.create(process, FUNCTIONS));
            refused(Reason.BAD_ARGUMENT, () -> FlexioUar.create(process, -1));
        }
    }

    /// One outbox reaches queues of several functions, one after the other.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXO-2", "DPA-FXO-5"})
    void anOutboxIsConfiguredForAnotherFunction(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = FlexioProcess.create(host, device(mode), EchoStub.APP)) {
            FlexioOutbox outbox = FlexioOutbox.create(process, process.uar());
            for (int function = 0; function < FUNCTIONS; function++) {
                FlexioUar uar = FlexioUar.create(process, function);
                EchoSide side = new EchoSide(process, Optional.empty(), uar);
                side.pair.connect(side.pair);
                int index = (int) process.call(EchoStub.prepare(side.context, 70 + function));
                assertThat(index).isEqualTo(1);
                assertThat(
                                process.call(
                                        EchoStub.ringFor(
                                                outbox.number(),
                                                uar.number(),
                                                side.pair.number(),
                                                index)))
                        .isEqualTo(1);
                assertThat(process.call(EchoStub.receive(side.context))).isEqualTo(70 + function);
            }
            assertThat(process.errorState()).isEqualTo(FlexioErrorState.NONE);
        }
    }

    /// A doorbell that is on its way goes through what was configured when it was rung.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXO-5", "DPA-MEM-16b"})
    void aConfigurationLeavesEarlierDoorbellsAlone(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = FlexioProcess.create(host, device(mode), EchoStub.APP)) {
            FlexioOutbox outbox = FlexioOutbox.create(process, process.uar());
            for (int round = 0; round < 10; round++) {
                FlexioUar uar = FlexioUar.create(process, 1);
                FlexioUar other = FlexioUar.create(process, 2);
                EchoSide side = new EchoSide(process, Optional.empty(), uar);
                EchoSide otherSide = new EchoSide(process, Optional.empty(), other);
                side.pair.connect(side.pair);
                otherSide.pair.connect(otherSide.pair);
                process.call(EchoStub.prepare(side.context, 5));
                process.call(EchoStub.prepare(otherSide.context, 6));
                assertThat(
                                process.call(
                                        EchoStub.ringBoth(
                                                outbox.number(),
                                                uar.number(),
                                                side.pair.number(),
                                                other.number(),
                                                otherSide.pair.number())))
                        .isEqualTo(2);
                assertThat(process.call(EchoStub.receive(side.context))).isEqualTo(5);
                assertThat(process.call(EchoStub.receive(otherSide.context))).isEqualTo(6);
            }
            assertThat(process.errorState()).isEqualTo(FlexioErrorState.NONE);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-HW-16", "DPA-FXO-2", "DPA-FXO-4b"})
    void aProcessOfTheHostUsesItsOwnFunctionOnly(RunMode mode) {
        DpaDevice device = device(mode);
        try (HostProcess dpu = HostProcess.open();
                HostProcess host = HostProcess.openOnHost(1)) {
            FlexioProcess other = FlexioProcess.create(dpu, device, EchoStub.APP);
            FlexioUar foreign = FlexioUar.create(other, 0);
            EchoSide victim = new EchoSide(other, Optional.empty(), FlexioUar.create(other, 1));

            FlexioProcess process = FlexioProcess.create(host, device, EchoStub.APP);
            assertThat(process.uar().function()).isEqualTo(1);
            EchoSide side = new EchoSide(process, Optional.empty());
            side.pair.connect(side.pair);
            assertThat(process.call(EchoStub.call(side.context, 5))).isEqualTo(5);

            refused(Reason.NOT_PERMITTED, () -> FlexioUar.create(process, 0));
            refused(Reason.NOT_PERMITTED, () -> FlexioUar.create(process, 2));
            int outbox = side.outbox.number();
            assertThat(
                            process.call(
                                    EchoStub.ringFor(
                                            outbox, foreign.number(), side.pair.number(), 1)))
                    .isZero();
            assertThat(process.errorState()).isEqualTo(FlexioErrorState.NONE);
            // A queue of the same function, but of another process.
            process.call(EchoStub.ring(side.context, victim.pair.number()));
            assertThat(process.awaitError(Duration.ofSeconds(5)).kind()).isEqualTo(Kind.USER);
            assertThat(other.errorState()).isEqualTo(FlexioErrorState.NONE);
        }
    }

    @Test
    @Requirement("DPA-HW-16")
    void aFunctionThatIsNotThereIsRefused() {
        try (HostProcess host = HostProcess.openOnHost(FUNCTIONS)) {
            refused(
                    Reason.BAD_ARGUMENT,
                    () -> FlexioProcess.create(host, device(RunMode.fast()), EchoStub.APP));
        }
        refused(Reason.BAD_ARGUMENT, () -> DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast(), 0));
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXO-5")
    void theFastConfigurationLooksAtNothing(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = FlexioProcess.create(host, device(mode), EchoStub.APP)) {
            EchoSide side = new EchoSide(process, Optional.empty());
            side.pair.connect(side.pair);
            int queue = side.pair.number();
            int index = (int) process.call(EchoStub.prepare(side.context, 8));
            // No outbox: the thread goes on, and its doorbell is dropped.
            int nobody = side.outbox.number() + 1000;
            assertThat(process.call(EchoStub.ringFast(nobody, queue, index))).isEqualTo(1);
            assertThat(process.awaitError(Duration.ofSeconds(5)).text())
                    .contains("0x%x".formatted(queue));
            assertThat(process.call(EchoStub.ringFast(side.outbox.number(), queue, index)))
                    .isEqualTo(1);
            assertThat(process.call(EchoStub.receive(side.context))).isEqualTo(8);
        }
    }
}
