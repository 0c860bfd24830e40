package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.PortSpace;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Connections that do not come about, and those that end, on every provider: refusals, limits of
/// an attempt, and what goes with a listener or a channel that is closed.
public abstract class ConnectionContract {
    private static final int PORT = 7272;
    private static final int NO_LISTENER = 8;
    private static final int REJECTED_BY_THE_APPLICATION = 28;
    private static final int ENETUNREACH = 101;
    private static final int ETIMEDOUT = 110;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration MOMENT = Duration.ofNanos(1);
    private static final byte[] NONE = {};

    private Device clientDevice;
    private Device serverDevice;
    private ConnectionChannel clientChannel;
    private ConnectionChannel serverChannel;
    private ConnectionId listener;
    private ConnectedPair.End client;

    /// Opens a device that reaches, and is reached by, the other devices opened here. It may be the
    /// same one each time.
    protected abstract Device open();

    @BeforeEach
    void listen() {
        clientDevice = open();
        serverDevice = open();
        serverChannel = serverDevice.createConnectionChannel();
        listener = serverChannel.createId();
        listener.listen(PORT, 10);
        clientChannel = clientDevice.createConnectionChannel();
        client = new ConnectedPair.End(clientDevice, clientChannel);
    }

    @AfterEach
    void close() {
        client.close();
        clientChannel.close();
        serverChannel.close();
        clientDevice.close();
        serverDevice.close();
    }

    private InetSocketAddress service() {
        return new InetSocketAddress(serverDevice.address(), PORT);
    }

    private static ConnectionEvent expect(ConnectionChannel channel, ConnectionEvent.Type type) {
        ConnectionEvent event = channel.next(PATIENCE).orElseThrow();
        assertThat(event.type()).as(event.explanation()).isEqualTo(type);
        return event;
    }

    private static void assertRefused(ThrowingCallable call, Reason reason, String... messages) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FabricException.class, e -> assertThat(e.reason()).isEqualTo(reason))
                .hasMessageContainingAll(messages);
    }

    /// The id that the client's request arrives with.
    private ConnectionId requested() {
        client.request(service());
        return expect(serverChannel, ConnectionEvent.Type.CONNECT_REQUEST).id();
    }

    private ConnectedPair.End accepted() {
        ConnectedPair.End server = new ConnectedPair.End(serverDevice, serverChannel, requested());
        server.id().accept(ConnectionParameters.defaults());
        expect(clientChannel, ConnectionEvent.Type.ESTABLISHED);
        expect(serverChannel, ConnectionEvent.Type.ESTABLISHED);
        return server;
    }

    private void resolved(ConnectionId id) {
        id.resolveAddress(service(), PATIENCE);
        expect(clientChannel, ConnectionEvent.Type.ADDRESS_RESOLVED);
        id.resolveRoute(PATIENCE);
        expect(clientChannel, ConnectionEvent.Type.ROUTE_RESOLVED);
    }

    private void assertNobodyListens() {
        ConnectionEvent answer = ConnectedPair.tryConnect(clientDevice, serverDevice, PORT);
        assertThat(answer.type()).isEqualTo(ConnectionEvent.Type.REJECTED);
        assertThat(answer.status()).isEqualTo(NO_LISTENER);
    }

    private void assertTransfers(ConnectedPair.End server) {
        server.post(new ReceiveRequest().id(5).noBuffer());
        client.post(new SendRequest().id(6).noPayload());
        assertThat(server.awaitCompletion().toString())
                .startsWith("RECEIVE id 5 ")
                .contains("SUCCESS");
    }

    /// As with librdmacm, an application may make the queue pair itself.
    @Test
    void aQueuePairOfTheCallerIsConnectedAndStaysTheCallers() {
        try (VerbsEnd own = new VerbsEnd(serverDevice).create();
                VerbsEnd foreign = new VerbsEnd(clientDevice).create()) {
            ConnectionId id = requested();
            if (!clientDevice.equals(serverDevice)) {
                assertRefused(
                        () -> id.use(foreign.queuePair()),
                        Reason.INVALID_ARGUMENT,
                        "valid: one of that device, reliable connected, in state RESET");
            }
            id.use(own.queuePair());
            assertThat(own.queuePair().state()).isEqualTo(QueuePairState.INIT);
            assertRefused(
                    () -> id.use(own.queuePair()),
                    Reason.INVALID_STATE,
                    "has a queue pair already");
            own.postReceive(5);
            id.accept(ConnectionParameters.defaults());
            expect(clientChannel, ConnectionEvent.Type.ESTABLISHED);
            expect(serverChannel, ConnectionEvent.Type.ESTABLISHED);
            assertThat(own.queuePair().state()).isEqualTo(QueuePairState.READY_TO_SEND);
            client.post(new SendRequest().id(6).noPayload());
            assertThat(own.completion().toString()).startsWith("RECEIVE id 5 ");

            id.close();
            assertThat(own.queuePair().state()).isEqualTo(QueuePairState.ERROR);
            ConnectionId late = serverChannel.createId();
            assertRefused(
                    () -> late.use(own.queuePair()),
                    Reason.INVALID_ARGUMENT,
                    "in state ERROR cannot be connected");
            late.close();
        }
    }

    @Test
    void aRejectionReachesThePeerWithItsPrivateData() {
        ConnectionId request = requested();
        assertRefused(() -> request.reject(new byte[149]), Reason.INVALID_ARGUMENT, "at most 148");
        request.reject(ConnectedPair.WELCOME);

        ConnectionEvent answer = expect(clientChannel, ConnectionEvent.Type.REJECTED);
        assertThat(answer.id()).isEqualTo(client.id());
        assertThat(answer.status()).isEqualTo(REJECTED_BY_THE_APPLICATION);
        assertThat(answer.explanation()).isNotEmpty();
        assertThat(answer.parameters().privateData())
                .startsWith(ConnectedPair.WELCOME)
                .hasSize(148);
    }

    @Test
    void whatWasNotRequestedIsNeitherAcceptedNorRejected() {
        assertRefused(
                () -> client.id().reject(NONE),
                Reason.INVALID_STATE,
                "no connection was requested");
        assertRefused(
                () -> client.id().accept(ConnectionParameters.defaults()),
                Reason.INVALID_STATE,
                "no connection was requested");
    }

    @Test
    void anIdConnectsOnce() {
        resolved(client.id());
        assertRefused(
                () -> client.id().connect(new ConnectionParameters(4, 4, 7, 6, new byte[57])),
                Reason.INVALID_ARGUMENT,
                "at most 56");
        ConnectionId request = requested();
        assertConnectsNoMore(client.id());
        assertConnectsNoMore(request);
        request.reject(NONE);
        expect(clientChannel, ConnectionEvent.Type.REJECTED);
        assertConnectsNoMore(client.id());
        assertThat(serverChannel.next(Duration.ofMillis(1))).as("one request").isEmpty();
    }

    private void assertConnectsNoMore(ConnectionId id) {
        assertRefused(
                () -> id.connect(ConnectionParameters.defaults()),
                Reason.INVALID_STATE,
                "has connected already",
                "create another");
    }

    @Test
    void theAddressesOfBothEndsAgree() {
        assertThat(client.id().localAddress())
                .isEqualTo(new InetSocketAddress(clientDevice.address(), 0));
        assertThat(client.id().remoteAddress()).isEmpty();
        ConnectionId request = requested();
        assertThat(client.id().remoteAddress()).contains(service());
        assertThat(client.id().localAddress().getPort()).isPositive();
        assertThat(request.remoteAddress()).contains(client.id().localAddress());
        assertThat(request.localAddress()).isEqualTo(service());
    }

    @ParameterizedTest
    @EnumSource
    void anAddressOutOfReachIsSaidSo(PortSpace space) {
        ConnectionId id = clientChannel.createId(space);
        InetAddress other =
                InetAddress.ofLiteral(
                        clientDevice.address() instanceof Inet4Address ? "fd00::1" : "10.0.0.1");
        for (InetSocketAddress remote :
                new InetSocketAddress[] {
                    InetSocketAddress.createUnresolved("no.such.host", PORT),
                    new InetSocketAddress(other, PORT)
                }) {
            id.resolveAddress(remote, PATIENCE);
            ConnectionEvent answer = expect(clientChannel, ConnectionEvent.Type.ADDRESS_ERROR);
            assertThat(answer.id()).isEqualTo(id);
            assertThat(answer.status()).isEqualTo(ENETUNREACH);
            assertThat(answer.explanation())
                    .contains(
                            remote.isUnresolved()
                                    ? remote.getHostString()
                                    : remote.getAddress().getHostAddress());
        }
        assertThat(id.remoteAddress()).isEmpty();
        assertRefused(
                () -> id.resolveRoute(PATIENCE), Reason.INVALID_STATE, "no address is resolved");
        resolved(id);
    }

    @Test
    void theLimitOfAnAttemptIsMoreThanNothing() {
        for (Duration nothing : new Duration[] {Duration.ZERO, Duration.ofNanos(-1)}) {
            assertRefused(
                    () -> client.id().limitAttempt(nothing),
                    Reason.INVALID_ARGUMENT,
                    "is " + nothing,
                    "valid: more than nothing");
        }
        accepted().close();
    }

    @ParameterizedTest
    @ValueSource(longs = {60, 365 * 86_400, Long.MAX_VALUE})
    void aLimitThatIsNotReachedChangesNothing(long seconds) {
        client.id().limitAttempt(Duration.ofSeconds(seconds));
        ConnectionId request = requested();
        request.limitAttempt(Duration.ofSeconds(seconds));
        try (ConnectedPair.End server =
                new ConnectedPair.End(serverDevice, serverChannel, request)) {
            request.accept(ConnectionParameters.defaults());
            expect(clientChannel, ConnectionEvent.Type.ESTABLISHED);
            expect(serverChannel, ConnectionEvent.Type.ESTABLISHED);
            assertTransfers(server);
        }
    }

    /// The moment has passed when the channel was waited for as long.
    private void assertEndsAtTheLimit(ConnectionId id, Runnable step, ConnectionEvent.Type end) {
        id.limitAttempt(MOMENT);
        assertThat(clientChannel.next(MOMENT)).isEmpty();
        step.run();
        ConnectionEvent event = expect(clientChannel, end);
        assertThat(event.id()).isEqualTo(id);
        assertThat(event.status()).isEqualTo(ETIMEDOUT);
        assertThat(event.explanation()).contains("limit of this attempt");
    }

    @ParameterizedTest
    @EnumSource
    void aLimitThatHasPassedEndsTheAttemptAtItsNextStep(PortSpace space) {
        ConnectionId id = clientChannel.createId(space);
        assertEndsAtTheLimit(
                id,
                () -> id.resolveAddress(service(), PATIENCE),
                ConnectionEvent.Type.ADDRESS_ERROR);
        assertThat(id.remoteAddress()).isEmpty();

        id.limitAttempt(PATIENCE);
        resolved(id);
        assertEndsAtTheLimit(id, () -> id.resolveRoute(PATIENCE), ConnectionEvent.Type.ROUTE_ERROR);
    }

    @Test
    void aPeerThatDoesNotDecideIsWaitedForUntilTheLimit() {
        resolved(client.id());
        client.id().limitAttempt(Duration.ofMillis(20));
        client.id().connect(ConnectionParameters.defaults());
        ConnectionEvent request = expect(serverChannel, ConnectionEvent.Type.CONNECT_REQUEST);
        ConnectionEvent end = expect(clientChannel, ConnectionEvent.Type.UNREACHABLE);
        assertThat(end.status()).isEqualTo(ETIMEDOUT);
        assertThat(end.explanation()).contains("limit of this attempt");
        assertThat(expect(serverChannel, ConnectionEvent.Type.REJECTED).id())
                .isEqualTo(request.id());
    }

    @Test
    void aServiceThatDoesNotDecideIsWaitedForUntilTheLimit() {
        serverChannel.createId(PortSpace.UDP).listen(PORT, 1);
        ConnectionId id = clientChannel.createId(PortSpace.UDP);
        resolved(id);
        id.limitAttempt(Duration.ofMillis(20));
        id.connect(ConnectionParameters.defaults());
        expect(serverChannel, ConnectionEvent.Type.CONNECT_REQUEST);
        ConnectionEvent end = expect(clientChannel, ConnectionEvent.Type.UNREACHABLE);
        assertThat(end.status()).isEqualTo(ETIMEDOUT);
        assertThat(end.explanation()).contains("limit of this attempt");
    }

    @Test
    void aClosedListenerTakesNobodyAndLeavesItsConnectionsAlone() {
        try (ConnectedPair.End server = accepted()) {
            listener.close();
            assertNobodyListens();
            assertTransfers(server);
            serverChannel.createId().listen(PORT, 1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anIdListensOnce(PortSpace space) {
        ConnectionId id = serverChannel.createId(space);
        id.listen(0, 1);
        InetSocketAddress address = id.localAddress();
        assertThat(address.getPort()).isPositive();
        assertRefused(
                () -> id.listen(PORT + 1, 1),
                Reason.INVALID_STATE,
                "listens on port " + address.getPort());
        assertThat(id.localAddress()).isEqualTo(address);
        assertRefused(
                () -> serverChannel.createId(space).listen(address.getPort(), 1),
                Reason.SERVICE_IN_USE,
                String.valueOf(address.getPort()));
        id.close();
        serverChannel.createId(space).listen(address.getPort(), 1);
    }

    @ParameterizedTest
    @EnumSource
    void aListenerNeedsAPortAndABacklog(PortSpace space) {
        ConnectionId id = serverChannel.createId(space);
        assertRefused(
                () -> id.listen(-1, 1), Reason.INVALID_ARGUMENT, "port is -1; valid: 0 to 65535");
        assertRefused(
                () -> id.listen(65_536, 1), Reason.INVALID_ARGUMENT, "port is 65536; valid: 0 to");
        assertRefused(
                () -> id.listen(0, 0), Reason.INVALID_ARGUMENT, "backlog is 0; valid: 1 or more");
        id.listen(65_535, 1);
        assertThat(id.localAddress().getPort()).isEqualTo(65_535);
    }

    @Test
    void aClosedChannelTakesNobody() {
        serverChannel.close();
        assertNobodyListens();
        assertRefused(
                serverChannel::createId,
                Reason.CLOSED,
                "connection channel of " + serverDevice.name() + " is closed");
        serverChannel.close();
    }

    @Test
    void aChannelThatIsClosedRejectsWhatNobodyAnswered() {
        ConnectionId request = requested();
        listener.close();
        serverChannel.close();
        expect(clientChannel, ConnectionEvent.Type.REJECTED);
        assertRefused(() -> request.reject(NONE), Reason.CLOSED, "connection id of ");
    }

    @Test
    void aChannelThatIsClosedEndsItsConnections() {
        try (ConnectedPair.End server = accepted()) {
            serverChannel.close();
            expect(clientChannel, ConnectionEvent.Type.DISCONNECTED);
            assertThat(server.queuePair().state()).isEqualTo(QueuePairState.ERROR);
            assertThat(client.queuePair().state()).isEqualTo(QueuePairState.ERROR);
        }
    }

    @Test
    void aClosedIdEndsItsConnectionAndDisconnectingIsHarmless() {
        try (ConnectedPair.End server = accepted()) {
            server.id().close();
            expect(clientChannel, ConnectionEvent.Type.DISCONNECTED);
            server.id().disconnect();
            server.id().close();
            client.id().disconnect();
        }
    }

    /// Not even what had happened before, unless it was taken.
    @Test
    void nothingComesForAnIdThatIsClosed() {
        ConnectionId other = clientChannel.createId();
        client.id().resolveAddress(service(), PATIENCE);
        other.resolveAddress(service(), PATIENCE);
        client.id().resolveAddress(service(), PATIENCE);
        client.id().close();
        assertThat(expect(clientChannel, ConnectionEvent.Type.ADDRESS_RESOLVED).id())
                .isEqualTo(other);
        assertThat(clientChannel.next(Duration.ofMillis(1))).isEmpty();
    }
}
