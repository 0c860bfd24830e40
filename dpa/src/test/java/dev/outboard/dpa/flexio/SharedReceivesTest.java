package dev.outboard.dpa.flexio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.flexio.PoolSide.Received;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.testkit.Requirement;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Queue pairs that take their receive entries from one pool: of the simulated NIC, and of devices
/// of the fabric.
class SharedReceivesTest {
    private static final MachineOptions OPTIONS = MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL);

    /// Where the pairs are.
    record Ground(String name, RunMode mode, Optional<String> card) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Ground> grounds() {
        return Stream.of(
                new Ground("simulated", RunMode.fast(), Optional.empty()),
                new Ground("checked", RunMode.check(Observer.NONE, 1), Optional.empty()),
                new Ground("weak", RunMode.weak(Profile.SEED, 2), Optional.empty()),
                new Ground("paranoid", RunMode.weak(Profile.PARANOID, 3), Optional.empty()),
                new Ground("roce", RunMode.fast(), Optional.of("roce://auto?peer=127.0.0.1")),
                new Ground(
                        "sim",
                        RunMode.fast(),
                        Optional.of("sim://shared-receives/10.7.0.1?clock=real")));
    }

    private interface Part {
        void run(PoolSide side);
    }

    /// Pairs 0 and 1 receive what pairs 2 and 3 send.
    private static void on(Ground ground, Part part) {
        Checker checker = new Checker(Profile.SEED, false);
        Optional<Device> card = ground.card.map(Fabric::open);
        DpaDevice device =
                card.map(on -> DpaDevice.of(OPTIONS, ground.mode, on))
                        .orElseGet(() -> DpaDevice.of(OPTIONS, ground.mode));
        try (HostProcess host = HostProcess.open();
                FlexioProcess process =
                        FlexioProcess.create(
                                host,
                                device,
                                EchoStub.APP,
                                FlexioProcess.Attributes.DEFAULT.withObserver(checker))) {
            PoolSide side = new PoolSide(process);
            side.pairs.get(0).connect(side.pairs.get(2));
            side.pairs.get(1).connect(side.pairs.get(3));
            part.run(side);
            assertThat(process.errorState()).isEqualTo(FlexioErrorState.NONE);
        }
        card.ifPresent(Device::close);
        assertThat(checker.findings()).isEmpty();
    }

    private static Received received(int pair, int counter, long word) {
        return new Received(pair, CompletionEntry.RECEIVED_SEND, counter, word);
    }

    @ParameterizedTest
    @MethodSource("grounds")
    @Requirement({"DPA-FXQ-1c", "DPA-FXQ-7"})
    void eachMessageTakesTheNextEntry(Ground ground) {
        on(
                ground,
                side -> {
                    side.post();
                    side.post();
                    int[] order = {0, 1, 1, 0, 0, 0, 1, 0, 1, 1, 1, 0};
                    for (int i = 0; i < order.length; i++) {
                        side.send(2 + order[i], 100 + i);
                        assertThat(side.take()).isEqualTo(received(order[i], i, 100 + i));
                        assertThat(side.sent()).isEqualTo(CompletionEntry.REQUEST);
                        side.post();
                    }
                });
    }

    @ParameterizedTest
    @MethodSource("grounds")
    @Requirement("DPA-FXQ-7")
    void messagesWaitForEntriesOfAnEmptyPool(Ground ground) {
        on(
                ground,
                side -> {
                    side.send(2, 5);
                    side.send(3, 6);
                    assertThat(side.hasReceived()).isFalse();
                    side.post();
                    Received first = side.take();
                    assertThat(side.sent()).isEqualTo(CompletionEntry.REQUEST);
                    assertThat(side.hasReceived()).isFalse();
                    side.post();
                    Received second = side.take();
                    assertThat(side.sent()).isEqualTo(CompletionEntry.REQUEST);
                    assertThat(second.counter()).isEqualTo(1);
                    assertThat(Stream.of(first, second))
                            .extracting(Received::pair)
                            .containsExactlyInAnyOrder(0, 1);
                    assertThat(first.word()).isEqualTo(5 + first.pair());
                    assertThat(second.word()).isEqualTo(5 + second.pair());
                });
    }

    @ParameterizedTest
    @MethodSource("grounds")
    @Requirement({"DPA-FXQ-1c", "DPA-FXQ-9"})
    void aPairThatFailsOrGoesLeavesTheEntriesToOthers(Ground ground) {
        on(
                ground,
                side -> {
                    side.post();
                    side.post();
                    side.post();
                    side.send(2, 1);
                    assertThat(side.take()).isEqualTo(received(0, 0, 1));
                    assertThat(side.sent()).isEqualTo(CompletionEntry.REQUEST);
                    side.pairs.get(0).modify(QueuePairChange.to(QueuePairState.ERROR));
                    side.send(3, 2);
                    assertThat(side.take()).isEqualTo(received(1, 1, 2));
                    assertThat(side.sent()).isEqualTo(CompletionEntry.REQUEST);
                    side.pairs.get(0).close();
                    side.send(3, 3);
                    assertThat(side.take()).isEqualTo(received(1, 2, 3));
                    assertThat(side.hasReceived()).isFalse();
                });
    }

    @ParameterizedTest
    @MethodSource("grounds")
    @Requirement("DPA-FXQ-9")
    void aBadEntryFailsThePairThatTakesIt(Ground ground) {
        on(
                ground,
                side -> {
                    side.postBad();
                    side.post();
                    side.post();
                    side.send(2, 1);
                    Received bad = side.take();
                    assertThat(bad.pair()).isZero();
                    assertThat(bad.opcode()).isEqualTo(CompletionEntry.RECEIVE_ERROR);
                    assertThat(bad.counter()).isZero();
                    assertThat(side.sent()).isEqualTo(CompletionEntry.REQUEST_ERROR);
                    side.send(3, 2);
                    assertThat(side.take()).isEqualTo(received(1, 1, 2));
                    assertThat(side.sent()).isEqualTo(CompletionEntry.REQUEST);
                    assertThat(side.hasReceived()).isFalse();
                });
    }
}
