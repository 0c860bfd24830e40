package dev.outboard.interop;

import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The tools that connect through the connection manager of Linux and exchange messages.
@Interop
class ConnectionToolsTest {
    private static final int PORT = 7471;

    private final TestBeds beds;

    ConnectionToolsTest(TestBeds beds) {
        this.beds = beds;
    }

    @ParameterizedTest
    @EnumSource(Link.class)
    @Requirement("ROCE-CM-4")
    void connectsToRdmaServer(Link link) {
        new Conversation(beds, link)
                .callsGuest(
                        ours("call", "{guest}", "client", 1, 1, 16),
                        "rdma_server -s {guest} -p " + PORT,
                        PORT);
    }

    @ParameterizedTest
    @EnumSource(Link.class)
    @Requirement("ROCE-CM-5")
    void acceptsRdmaClient(Link link) {
        new Conversation(beds, link)
                .guestCalls(
                        "rdma_client -s {host} -p " + PORT,
                        "listening",
                        ours("serve", "-", "client", 1, 1, 16));
    }

    @ParameterizedTest
    @EnumSource(Link.class)
    @Requirement("ROCE-CM-4")
    void connectsToUcmatose(Link link) {
        new Conversation(beds, link)
                .callsGuest(
                        ours("call", "{guest}", "server", 8, 10, 1501),
                        "ucmatose -b {guest} -c 8 -C 10 -S 1501",
                        PORT);
    }

    @ParameterizedTest
    @EnumSource(Link.class)
    @Requirement("ROCE-CM-5")
    void acceptsUcmatose(Link link) {
        new Conversation(beds, link)
                .guestCalls(
                        "ucmatose -s {host} -c 8 -C 10 -S 1501",
                        "listening",
                        ours("serve", "-", "server", 8, 10, 1501));
    }

    private static List<String> ours(
            String role, String peer, String first, int connections, int messages, int bytes) {
        return OurProgram.test(
                MessagePeer.class,
                role,
                "{host}",
                peer,
                String.valueOf(PORT),
                first,
                String.valueOf(connections),
                String.valueOf(messages),
                String.valueOf(bytes));
    }
}
