package dev.outboard.dpa.flexio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.flexio.FlexioEventHandler.Attributes;
import dev.outboard.dpa.machine.ThreadStatus.State;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.contract.VerbsEnd;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/// Handlers that go on for long, and that a message has activated: under FAST on the thread that
/// has brought the message in, which is missing where it comes from.
class LongHandlersTest {
    private static final String ROCE = "roce://auto?peer=127.0.0.1";
    private static final SendRequest WORD = new SendRequest();

    /// One handler waits until another one has run, which a later message activates.
    @Test
    @Requirement({"DPA-FXE-1", "DPA-HW-17"})
    void aHandlerThatSpinsKeepsNoMessageFromAnother() {
        for (int round = 0; round < 10; round++) {
            try (FabricEnds ends = new FabricEnds(ROCE);
                    VerbsEnd other = new VerbsEnd(ends.peerCard).create()) {
                Pair pair = new Pair(ends, other);
                pair.spin();
                other.post(WORD.id(2).payload(other.region(), 0, 8));
                assertThat(other.status()).isEqualTo("2 SUCCESS");
                Eventually.until(() -> pair.isSpinnersState(State.ENDED));
            }
        }
    }

    /// What the host asks the NIC for is done by the NIC's own thread.
    @Test
    @Requirement({"DPA-SYS-9", "DPA-HW-17"})
    void aHandlerThatSpinsDoesNotKeepTheHostFromTheNic() {
        try (FabricEnds ends = new FabricEnds(ROCE);
                VerbsEnd other = new VerbsEnd(ends.peerCard).create()) {
            Pair pair = new Pair(ends, other);
            pair.spin();
            for (int i = 0; i < 100; i++) {
                new EchoSide(ends.process, Optional.empty()).pair.close();
            }
            assertThat(ends.process.call(EchoStub.look(pair.flag))).isZero();
            other.post(WORD.id(2).payload(other.region(), 0, 8));
            Eventually.until(() -> pair.isSpinnersState(State.ENDED));
        }
    }

    /// One thread brings in the messages of all processes on a device, and what it keeps for itself
    /// must not wait for a message of its own process: it would for a second.
    @Test
    @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
    @Requirement("DPA-FXE-1")
    void twoProcessesOnOneDeviceAreServedAtOnce() {
        try (FabricEnds ends = new FabricEnds(ROCE);
                VerbsEnd other = new VerbsEnd(ends.peerCard).create()) {
            FlexioProcess second = FlexioProcess.create(ends.host, ends.device, EchoStub.APP);
            ends.connect(ends.peer, echo(ends.process));
            ends.connect(other, echo(second));
            for (int i = 0; i < 500; i++) {
                exchange(ends.peer);
                exchange(other);
            }
        }
    }

    private static FlexioQp echo(FlexioProcess process) {
        FlexioEventHandler handler =
                FlexioEventHandler.create(process, EchoStub.echo, Attributes.DEFAULT);
        EchoSide side = new EchoSide(process, Optional.of(handler));
        handler.run(side.context.value());
        return side.pair;
    }

    private static void exchange(VerbsEnd client) {
        client.post(new ReceiveRequest().id(0).buffer(client.region(), 4096, 64));
        client.post(WORD.id(1).payload(client.region(), 0, 8));
        assertThat(client.status()).isEqualTo("1 SUCCESS");
        assertThat(client.status()).isEqualTo("0 SUCCESS");
    }

    /// A handler that spins, one that ends that, and a client of each.
    private static final class Pair {
        final FabricEnds ends;
        final DpaAddr flag;

        Pair(FabricEnds ends, VerbsEnd other) {
            this.ends = ends;
            flag = ends.process.heap().zeros(64);
            FlexioEventHandler spinner =
                    FlexioEventHandler.create(ends.process, EchoStub.spin, Attributes.DEFAULT);
            FlexioEventHandler ender =
                    FlexioEventHandler.create(ends.process, EchoStub.note, Attributes.DEFAULT);
            EchoSide first = new EchoSide(ends.process, Optional.of(spinner));
            EchoSide second = new EchoSide(ends.process, Optional.of(ender));
            ends.connect(first.pair);
            ends.connect(other, second.pair);
            spinner.run(flag.value());
            ender.run(flag.value());
        }

        void spin() {
            ends.peer.post(WORD.id(1).payload(ends.peer.region(), 0, 8));
            assertThat(ends.peer.status()).isEqualTo("1 SUCCESS");
            Eventually.until(() -> isSpinnersState(State.RUNNING));
        }

        boolean isSpinnersState(State state) {
            return ends.process.status().threads().stream()
                    .anyMatch(thread ->
                            thread.status().name().contains("spin")
                                    && thread.status().state() == state);
        }
    }
}
