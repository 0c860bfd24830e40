package dev.outboard.dpa.flexio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.flexio.FlexioEventHandler.Attributes;
import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Queue pairs whose peers are verbs clients anywhere on the fabric.
class FabricPeersTest {
    private static final MachineOptions OPTIONS = FabricEnds.OPTIONS;
    private static final String ROCE = "roce://auto?peer=127.0.0.1";
    private static final String SIM = "sim://dpa/auto?clock=real";
    private static final int LINES = 64;

    @ParameterizedTest
    @ValueSource(strings = {ROCE, SIM})
    @Requirement({"DPA-FXE-1", "DPA-FXQ-1a", "DPA-FXQ-7"})
    void aHandlerServesAVerbsClient(String uri) {
        try (FabricEnds ends = new FabricEnds(uri)) {
            FlexioEventHandler handler =
                    FlexioEventHandler.create(ends.process, EchoStub.echo, Attributes.DEFAULT);
            EchoSide server = new EchoSide(ends.process, Optional.of(handler));
            ends.connect(server.pair);
            handler.run(server.context.value());
            for (long id = 1; id <= 1000; id++) {
                ends.peer.post(new ReceiveRequest().id(0).buffer(ends.peer.region(), 4096, 64));
                ends.peer.region().segment().set(ValueLayout.JAVA_LONG, 0, 7 * id);
                ends.peer.post(new SendRequest().id(1).payload(ends.peer.region(), 0, 8));
                assertThat(ends.peer.status()).isEqualTo("1 SUCCESS");
                assertThat(ends.peer.status()).isEqualTo("0 SUCCESS");
                assertThat(ends.peer.region().segment().get(ValueLayout.JAVA_LONG, 4096))
                        .isEqualTo(7 * id);
            }
            assertThat(ends.process.errorState()).isEqualTo(FlexioErrorState.NONE);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {ROCE, SIM})
    @Requirement("DPA-FXQ-10")
    void aVerbsClientReachesMemoryOfTheDpaByItsAddresses(String uri) {
        try (FabricEnds ends = new FabricEnds(uri)) {
            EchoSide server = new EchoSide(ends.process, Optional.empty());
            assertThat(server.pair.state()).isEqualTo(QueuePairState.RESET);
            ends.connect(server.pair);
            assertThat(server.pair.state()).isEqualTo(QueuePairState.READY_TO_SEND);
            DpaAddr word = ends.process.heap().zeros(64);
            FlexioMkey key =
                    FlexioMkey.create(
                            ends.process,
                            ends.process.domain(),
                            word,
                            64,
                            Access.LOCAL_WRITE,
                            Access.REMOTE_WRITE,
                            Access.REMOTE_READ,
                            Access.REMOTE_ATOMIC);
            ends.peer.region().segment().set(ValueLayout.JAVA_LONG, 0, 41);
            ends.peer.post(
                    new SendRequest()
                            .id(1)
                            .write(word.value(), key.number())
                            .payload(ends.peer.region(), 0, 8));
            assertThat(ends.peer.status()).isEqualTo("1 SUCCESS");
            assertThat(ends.process.call(EchoStub.look(word))).isEqualTo(41);
            ends.peer.post(
                    new SendRequest()
                            .id(2)
                            .fetchAndAdd(word.value(), key.number(), 2)
                            .payload(ends.peer.region(), 8, 8));
            ends.peer.post(
                    new SendRequest()
                            .id(3)
                            .compareAndSwap(word.value(), key.number(), 43, 50)
                            .payload(ends.peer.region(), 16, 8));
            ends.peer.post(
                    new SendRequest()
                            .id(4)
                            .read(word.value(), key.number())
                            .payload(ends.peer.region(), 24, 8));
            assertThat(ends.peer.status()).isEqualTo("2 SUCCESS");
            assertThat(ends.peer.status()).isEqualTo("3 SUCCESS");
            assertThat(ends.peer.status()).isEqualTo("4 SUCCESS");
            assertThat(ends.peer.region().segment().asSlice(8, 24).toArray(ValueLayout.JAVA_LONG))
                    .containsExactly(41, 43, 50);
            assertThat(ends.process.call(EchoStub.look(word))).isEqualTo(50);
        }
    }

    /// A write is seen from the lowest address on, unless the key says that nobody counts on it.
    @Test
    @Requirement("DPA-MEM-17b")
    void theFabricKnowsOfARelaxedRegion() {
        List<Integer> ascending = IntStream.range(0, LINES).boxed().toList();
        assertThat(arrival()).isEqualTo(ascending);
        assertThat(arrival(Access.RELAXED_ORDERING))
                .containsExactlyInAnyOrderElementsOf(ascending)
                .isNotEqualTo(ascending);
    }

    /// The lines of a WRITE in the order in which they can be seen in DPA memory.
    private static List<Integer> arrival(Access... further) {
        try (FabricEnds ends = new FabricEnds("sim://dpa-order/auto?clock=virtual")) {
            EchoSide server = new EchoSide(ends.process, Optional.empty());
            ends.connect(server.pair);
            DpaAddr lines = ends.process.heap().zeros(64 * LINES);
            List<Access> access = new ArrayList<>(List.of(further));
            access.add(Access.LOCAL_WRITE);
            access.add(Access.REMOTE_WRITE);
            FlexioMkey key =
                    FlexioMkey.create(
                            ends.process,
                            ends.process.domain(),
                            lines,
                            64 * LINES,
                            access.toArray(Access[]::new));
            ends.peer.region().segment().asSlice(0, 64 * LINES).fill((byte) 1);
            ends.peer.post(
                    new SendRequest()
                            .id(1)
                            .write(lines.value(), key.number())
                            .payload(ends.peer.region(), 0, 64 * LINES));
            List<Integer> seen = new ArrayList<>();
            try (CompletionQueue any = ends.card.createCompletionQueue(1)) {
                for (int i = 0; i < 10_000 && seen.size() < LINES; i++) {
                    any.poll(new Completion());
                    byte[] now = ends.process.heap().copyOut(lines, 64 * LINES);
                    for (int line = 0; line < LINES; line++) {
                        if (now[64 * line] != 0 && !seen.contains(line)) {
                            seen.add(line);
                        }
                    }
                }
            }
            return seen;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {ROCE, SIM})
    @Requirement("DPA-ERR-21")
    void whoseClientIsGoneLearnsOfIt(String uri) {
        try (FabricEnds ends = new FabricEnds(uri)) {
            EchoSide client = new EchoSide(ends.process, Optional.empty());
            ends.connect(client.pair);
            ends.peer.queuePair().close();
            ends.process.call(EchoStub.send(client.context, 1));
            assertThatThrownBy(() -> ends.process.call(EchoStub.receive(client.context)))
                    .isInstanceOf(FlexioException.class);
            assertThat(ends.process.errorState().exitStatus())
                    .isEqualTo(200 + CompletionEntry.REQUEST_ERROR);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {ROCE, SIM})
    @Requirement({"DPA-SYS-3", "DPA-SYS-11"})
    void aProcessThatHasEndedAnswersNobody(String uri) {
        try (FabricEnds ends = new FabricEnds(uri)) {
            EchoSide server = new EchoSide(ends.process, Optional.empty());
            ends.connect(server.pair);
            FlexioMkey key =
                    FlexioMkey.create(
                            ends.process,
                            ends.process.domain(),
                            server.context,
                            64,
                            Access.REMOTE_READ);
            SendRequest read =
                    new SendRequest()
                            .id(1)
                            .read(server.context.value(), key.number())
                            .payload(ends.peer.region(), 0, 64);
            ends.peer.post(read);
            assertThat(ends.peer.status()).isEqualTo("1 SUCCESS");
            assertThatThrownBy(() -> ends.process.call(EchoStub.look(new DpaAddr(8))))
                    .isInstanceOf(FlexioException.class);
            // Its NIC goes at its next operation.
            String status = "1 SUCCESS";
            for (int i = 0; i < 100_000 && status.equals("1 SUCCESS"); i++) {
                ends.peer.post(read);
                status = ends.peer.status();
            }
            assertThat(status).isEqualTo("1 RETRY_EXCEEDED");
            ends.process.close();
            assertThat(ends.card.counters())
                    .containsEntry("open.queue-pairs", 0L)
                    .containsEntry("open.memory-regions", 0L)
                    .containsEntry("open.protection-domains", 0L)
                    .containsEntry("open.completion-queues", 0L);
        }
    }

    @Test
    void whatItCannotDoIsSaid() {
        try (FabricEnds ends = new FabricEnds(SIM)) {
            assertThatThrownBy(
                            () -> DpaDevice.of(OPTIONS, RunMode.weak(Profile.SEED, 1), ends.card))
                    .hasMessageContaining("valid with sim://dpa/10.7.0.1: FAST");
            EchoSide server = new EchoSide(ends.process, Optional.empty());
            assertThatThrownBy(() ->
                            server.pair.modify(QueuePairChange.to(QueuePairState.READY_TO_SEND)))
                    .isInstanceOfSatisfying(
                            FlexioException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.WRONG_TIME))
                    .hasMessageContaining("RESET");
            assertThatThrownBy(() ->
                            FlexioMkey.create(
                                    ends.process,
                                    ends.process.domain(),
                                    server.context,
                                    8,
                                    Access.REMOTE_WRITE))
                    .hasMessage("A key with REMOTE_WRITE needs LOCAL_WRITE as well");
        }
        try (HostProcess host = HostProcess.open();
                FlexioProcess process =
                        FlexioProcess.create(
                                host, DpaDevice.of(OPTIONS, RunMode.fast()), EchoStub.APP)) {
            EchoSide server = new EchoSide(process, Optional.empty());
            assertThatThrownBy(() ->
                            server.pair.modify(
                                    QueuePairChange.to(QueuePairState.READY_TO_RECEIVE)
                                            .destinationNumber(0xABCDEF)))
                    .hasMessageContaining(
                            "is of a simulated NIC, and its process has no queue pair");
        }
    }
}
