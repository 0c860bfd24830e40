package dev.outboard.naa.protocol;

import static dev.outboard.fabric.SendRequest.Operation.RDMA_WRITE;
import static dev.outboard.fabric.SendRequest.Operation.RDMA_WRITE_WITH_IMMEDIATE;
import static dev.outboard.fabric.SendRequest.Operation.SEND;

import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.MrspException;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.MrspMessage.MrspError;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.RegionFlags;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.protocol.StateWalk.Stage;
import dev.outboard.testkit.Snapshot;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// Writes `docs/protocol/naaice-states.md` from what the machines do, and fails if it says
/// something else.
class StateTablesTest {
    private static final String PAGE = "docs/protocol/naaice-states.md";
    private static final int IN_OUT = RegionFlags.INPUT | RegionFlags.OUTPUT;
    private static final MrspError ERR = new MrspError(MrspException.NO_MEMORY);
    private static final AdvertiseRequest AAR =
            new AdvertiseRequest(List.of(ServerFixture.entry(0, IN_OUT, 10)));
    private static final byte[] MALFORMED = {1};
    private static final Duration PROBE = ServerFixture.PROBE;

    @Test
    void thePageTellsWhatTheMachinesDo() {
        Snapshot.assertDocumented(
                PAGE,
                """
                # What the state machines do

                This page is generated: `StateTablesTest` puts the client's machine (`ClientMachine`) and the server's (`ServerMachine`) into every
                situation, lets everything happen there that can, and writes down the outcome. The catalog asks for it in `spec/naaice.md`, sections 11.2
                and 11.3. To write the page afresh after a change, `./outboard test -pl naa -am -Dtest=StateTablesTest
                -Dsurefire.failIfNoSpecifiedTests=false -Dsnapshot=update`.

                A session of `upstream-2026` with two regions, both input and output. What cannot happen is left out: nothing completes that was not posted,
                and nothing arrives where no receive waits. Names in capitals are connection events, messages and work requests. The others:

                - *A that does not fit*: an answer that does not fit what was announced; *malformed*: bytes that are no message.
                - *AAR that asks too much*: a request that the server refuses.
                - *result 0*, *result 0x10*: an answer with that return code; *RPC*: one with a function code; *host error*: one without.
                - *error*: a completion with an error of its own; *flushed*: one that was flushed; *foreign*: one of an operation that was never posted.
                - *probe interval*: it is time to see whether the peer still runs; *probe limit*: it has not answered; *limit*: what is going on took too long.
                - *queue full*: the queue pair has not taken a work request.

                `PREPARE` asks the layer around to create the queue pair and resolve the route, `CONNECT` to send the connection request.

                An `IllegalStateException` is thrown by the call that is not allowed, every other exception by the call that polled or waits.

                ## Client

                %s
                ## Server

                %s\
                """
                        .formatted(client().tables(), server().tables()));
    }

    // ---- client ---------------------------------------------------------------------------------

    private static StateWalk<ClientFixture> client() {
        StateWalk<ClientFixture> walk = new StateWalk<>();
        for (NaaState state : ClientFixture.STATES) {
            walk.in(state.toString(), () -> client(state, _ -> {}));
            switch (state) {
                case MRSP_SENDING ->
                        walk.in(
                                state + " (A kept)",
                                () ->
                                        client(
                                                state,
                                                client -> {
                                                    client.driver.pull();
                                                    client.driver.messageArrives(client.answer());
                                                }));
                case DATA_SENDING ->
                        walk.in(
                                state + " (result kept)",
                                () ->
                                        client(
                                                state,
                                                client -> {
                                                    client.driver.pull();
                                                    client.driver.immediateArrives(0, 10);
                                                }));
                case MRSP_RECEIVING, DATA_RECEIVING ->
                        walk.in(
                                state + " (probe sent)",
                                () -> client(state, client -> pass(client.driver, PROBE)));
                default -> {}
            }
        }
        for (ConnectionEvent.Type type : ConnectionEvent.Type.values()) {
            walk.onStage(
                    type.toString(),
                    _ -> true,
                    stage -> {
                        ClientMachine.Step step = stage.fixture().on(type);
                        if (step != ClientMachine.Step.NONE) {
                            stage.does().add(step.toString());
                        }
                    });
        }
        walk.on("`startMrsp`", client -> client.startMrsp(List.of()));
        walk.on("`sendMessage`", client -> client.machine.sendMessage(ERR, client.driver.now));
        walk.on("`startRpc`", client -> client.machine.startRpc(client.driver.now));
        walk.on("`writeInputs`", client -> client.machine.writeInputs(1, client.driver.now));
        walk.on("`checkPeer`", client -> client.machine.checkPeer(client.driver.now));
        walk.on("`signalHostError`", client -> client.machine.signalHostError("why"));
        walk.on("`startOver`", client -> client.machine.startOver());
        whatBothSee(walk);
        arrives(walk, "A", client -> client.driver.messageArrives(client.answer()));
        arrives(
                walk,
                "A that does not fit",
                client -> client.driver.messageArrives(ClientFixture.advertise(1, 1)));
        arrives(walk, "AAR", client -> client.driver.messageArrives(AAR));
        arrives(walk, "result 0", client -> client.driver.immediateArrives(0, 10));
        arrives(walk, "result 0x10", client -> client.driver.immediateArrives(0x1000, 0));
        return walk;
    }

    private static Stage<ClientFixture> client(NaaState state, Consumer<ClientFixture> then) {
        ClientFixture client =
                new ClientFixture(
                        Dialect.UPSTREAM_2026,
                        RegionSpec.inputOutput(Arena.ofAuto().allocate(10)),
                        RegionSpec.inputOutput(Arena.ofAuto().allocate(20)));
        then.accept(client.reach(state));
        return new Stage<>(client, client.driver);
    }

    // ---- server ---------------------------------------------------------------------------------

    private static StateWalk<ServerFixture> server() {
        StateWalk<ServerFixture> walk = new StateWalk<>();
        for (NaaState state : ServerFixture.ALIVE) {
            walk.in(state.toString(), () -> server(state, _ -> {}));
            switch (state) {
                case MRSP_SENDING -> {
                    walk.in(state + " (RPC kept)", () -> server(state, server -> server.call(1)));
                    walk.in(
                            state + " (ERR)",
                            () ->
                                    server(
                                            NaaState.MRSP_RECEIVING,
                                            server -> server.driver.bytesArrive(MALFORMED)));
                }
                case MRSP_DONE, DATA_SENDING ->
                        walk.in(
                                state + " (RPC kept)",
                                () -> server(state, server -> server.call(1)));
                case CALCULATING -> {
                    walk.in(state + " (RPC kept)", () -> server(state, server -> server.call(1)));
                    walk.in(
                            state + " (probe sent)",
                            () -> server(state, server -> pass(server.driver, PROBE)));
                }
                case DATA_RECEIVING ->
                        walk.in(
                                state + " (probe sent)",
                                () -> server(state, server -> pass(server.driver, PROBE)));
                default -> {}
            }
        }
        walk.in("FINISHED", () -> server(NaaState.READY, server -> server.machine.disconnected()));
        walk.in("DISCONNECTED", () -> server(NaaState.READY, server -> server.machine.closed()));
        walk.in(
                "ERROR",
                () ->
                        server(
                                NaaState.READY,
                                server -> {
                                    server.machine.deviceRemoved();
                                    server.machine.takeFailure();
                                }));
        walk.on("CONNECT_REQUEST", server -> server.machine.connectRequested());
        walk.on("ESTABLISHED", server -> server.machine.established(server.driver.now));
        walk.on("DISCONNECTED", server -> server.machine.disconnected());
        walk.on("DEVICE_REMOVAL", server -> server.machine.deviceRemoved());
        walk.on("`startMrsp`", server -> server.machine.startMrsp(server.driver.now));
        walk.on("`sendMessage`", server -> server.machine.sendMessage(ERR, server.driver.now));
        walk.on("`awaitRpc`", server -> server.machine.awaitRpc(server.driver.now));
        walk.on("`reply` with 0", server -> server.machine.reply(0, server.driver.now));
        walk.on("`reply` with 0x10", server -> server.machine.reply(0x10, server.driver.now));
        whatBothSee(walk);
        arrives(walk, "AAR", ServerFixture::request);
        arrives(
                walk,
                "AAR that asks too much",
                server -> {
                    server.driver.messageArrives(AAR);
                    if (server.machine.pendingRequest().isPresent()) {
                        server.machine.refuse(
                                new Refusal(
                                        ERR.code(), ServerCounter.REFUSED_TOTAL_BYTES, "too large"),
                                server.driver.now);
                    }
                });
        arrives(walk, "A", server -> server.driver.messageArrives(ClientFixture.advertise(10, 20)));
        arrives(walk, "RPC", server -> server.call(1));
        arrives(walk, "host error", server -> server.call(0));
        return walk;
    }

    private static Stage<ServerFixture> server(NaaState state, Consumer<ServerFixture> then) {
        ServerFixture server =
                new ServerFixture(
                        new SettingsBuilder().idleLimit(ServerFixture.TRANSFER_LIMIT),
                        Dialect.UPSTREAM_2026,
                        ServerFixture.entry(0, IN_OUT, 10),
                        ServerFixture.entry(1, IN_OUT, 20));
        then.accept(server.reach(state));
        return new Stage<>(server, server.driver);
    }

    // ---- both -----------------------------------------------------------------------------------

    private static <F> void whatBothSee(StateWalk<F> walk) {
        walk.onStage("`close`", _ -> true, stage -> stage.machine().closed());
        walk.onStage("SEND acknowledged", stage -> stage.has(SEND), Stage::completeOne);
        walk.onStage(
                "one of two WRITEs acknowledged",
                stage -> stage.has(RDMA_WRITE_WITH_IMMEDIATE),
                Stage::completeOne);
        walk.onStage(
                "all WRITEs acknowledged",
                stage -> stage.has(RDMA_WRITE_WITH_IMMEDIATE),
                Stage::completeAll);
        walk.onStage(
                "probe acknowledged",
                stage -> stage.has(RDMA_WRITE) && !stage.has(RDMA_WRITE_WITH_IMMEDIATE),
                Stage::completeOne);
        walk.onStage(
                "error",
                _ -> true,
                stage -> stage.driver().fails(CompletionStatus.REMOTE_ACCESS_ERROR));
        walk.onStage(
                "flushed",
                _ -> true,
                stage -> stage.driver().fails(CompletionStatus.WORK_REQUEST_FLUSHED));
        walk.onStage("foreign", _ -> true, stage -> stage.driver().foreignCompletes());
        walk.onStage("queue full", _ -> true, stage -> stage.machine().refused("a WRITE"));
        walk.onStage("probe interval", _ -> true, stage -> pass(stage.driver(), PROBE));
        walk.onStage(
                "probe limit",
                _ -> true,
                stage -> pass(stage.driver(), PROBE.plus(ServerFixture.PROBE_LIMIT)));
        walk.onStage("limit", _ -> true, stage -> pass(stage.driver(), ClientFixture.TIMEOUT));
        walk.onStage("ERR", Stage::hasReceive, stage -> stage.driver().messageArrives(ERR));
        walk.onStage(
                "malformed", Stage::hasReceive, stage -> stage.driver().bytesArrive(MALFORMED));
    }

    private static <F> void arrives(StateWalk<F> walk, String event, Consumer<F> arrive) {
        walk.onStage(event, Stage::hasReceive, stage -> arrive.accept(stage.fixture()));
    }

    private static void pass(MachineDriver driver, Duration time) {
        driver.now += time.toNanos();
        driver.machine.timePassed(driver.now);
    }
}
