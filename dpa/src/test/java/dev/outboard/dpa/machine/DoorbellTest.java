package dev.outboard.dpa.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The registers of the outbox page.
class DoorbellTest {
    private static final int QUEUE = 0xABCDEF;

    private record Ring(int register, long value, int index) {}

    /// A register at its place in the page, its fields at their bits.
    private static final List<Ring> RINGS =
            List.of(
                    new Ring(0x100, 0x0012_3456_00AB_CDEFL, 0x12_3456),
                    new Ring(0x140, 0x0312_3456_00AB_CDEFL, 0x312_3456),
                    new Ring(0x180, 0x0212_3456_00AB_CDEFL, 0x212_3456),
                    new Ring(0x1C0, 0x00AB_CDEF_0000_1234L, 0x1234),
                    new Ring(0x200, 0x0000_0000_00AB_CDEFL, 0),
                    new Ring(0x240, 0x0000_0000_00AB_CDEFL, 0),
                    new Ring(0x280, 0x0000_0000_00AB_CDEFL, 0),
                    new Ring(0x340, 0x0000_0000_00AB_CDEFL, 0));

    @ParameterizedTest
    @MethodSource("dev.outboard.dpa.machine.ProcessFixture#runs")
    @Requirement("DPA-FXO-6")
    void eachRegisterTellsQueueAndIndex(RunMode mode) {
        ProcessFixture fixture = new ProcessFixture(mode);
        fixture.process.thread(
                "rings",
                thread -> {
                    thread.configureOutbox(fixture.outbox);
                    for (Ring ring : RINGS) {
                        thread.store64(AddressMap.OUTBOX + ring.register, ring.value);
                    }
                });
        List<Doorbell> taken = new ArrayList<>();
        fixture.process.nic(
                "takes",
                nic -> RINGS.forEach(ring -> taken.add(nic.awaitDoorbell(ring.register, QUEUE))));
        fixture.runsToItsEnd();
        for (int i = 0; i < RINGS.size(); i++) {
            assertThat(taken.get(i).register()).isEqualTo(RINGS.get(i).register);
            assertThat(taken.get(i).value()).isEqualTo(RINGS.get(i).value);
            assertThat(taken.get(i).number()).isEqualTo(QUEUE);
            assertThat(taken.get(i).index()).isEqualTo(RINGS.get(i).index);
        }
        assertThat(Doorbell.arm(QUEUE, 0x12_3456)).isEqualTo(RINGS.get(0).value);
        assertThat(Doorbell.eventQueue(QUEUE, 0x312_3456)).isEqualTo(RINGS.get(1).value);
        assertThat(Doorbell.send(QUEUE, 0x1234)).isEqualTo(RINGS.get(3).value);
        assertThat(Doorbell.interrupt(QUEUE)).isEqualTo(RINGS.get(6).value);
    }

    /// In one place and without spinning, whatever is rung; an MSI-X interrupt is the host's.
    @ParameterizedTest
    @MethodSource("dev.outboard.dpa.machine.ProcessFixture#runs")
    @Requirement("DPA-FXO-9")
    void aNicMayWaitForAllDoorbells(RunMode mode) {
        ProcessFixture fixture = new ProcessFixture(mode);
        fixture.process.thread(
                "rings",
                thread -> {
                    thread.configureOutbox(fixture.outbox);
                    for (Ring ring : RINGS) {
                        thread.store64(AddressMap.OUTBOX + ring.register, ring.value);
                        thread.outboxFence(Op.W, Op.W);
                    }
                });
        List<Integer> taken = new ArrayList<>();
        fixture.process.nic(
                "takes",
                nic -> {
                    while (taken.size() < RINGS.size() - 1) {
                        taken.add(nic.awaitDoorbell().register());
                    }
                    nic.pollDoorbell((register, value, uar, token) -> taken.add(register));
                });
        fixture.process.host("host", host -> host.awaitDoorbell(AddressMap.MSIX_DOORBELL, QUEUE));
        fixture.runsToItsEnd();
        assertThat(taken)
                .containsExactlyElementsOf(
                        RINGS.stream()
                                .map(Ring::register)
                                .filter(register -> register != AddressMap.MSIX_DOORBELL)
                                .toList());
    }
}
