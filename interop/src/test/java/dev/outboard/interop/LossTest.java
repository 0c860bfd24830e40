package dev.outboard.interop;

import static dev.outboard.interop.ConnectionToolsTest.rping;
import static dev.outboard.interop.OurProgram.verbs;

import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The guest's interface loses packets: both sides have to repeat, and understand the other's
/// repetitions. Few packets at 5 %: with the connection manager, what the guest does not get an
/// answer for it repeats after two seconds.
@Interop
class LossTest {
    private final TestBeds beds;

    LossTest(TestBeds beds) {
        this.beds = beds;
    }

    @AfterEach
    void loseNoMore() {
        beds.of(Link.IPV4_1024).loseNothing();
        beds.of(Link.IPV4_4096).loseNothing();
    }

    @ParameterizedTest
    @CsvSource({
        "IPV4_1024, 1, 10, 50000",
        "IPV4_4096, 5,  4, 50000",
        "IPV6_1024, 5,  4, 10000",
        "IPV6_4096, 1, 10, 50000"
    })
    @Requirement({"ROCE-RC-10", "ROCE-RC-35"})
    void streamsBothWays(Link link, int percent, int transfers, int bytes) {
        String rstream = "rstream -T v -I 1 -C %d -S %d ".formatted(transfers, bytes);
        Conversation conversation = losing(link, percent);
        conversation.callsGuest(
                stream("call", "{guest}", transfers, bytes), rstream + "-b {guest}", 7471);
        conversation.guestCalls(rstream + "-s {host}", stream("serve", "-", transfers, bytes));
    }

    @ParameterizedTest
    @CsvSource({
        "IPV4_1024, 1, 20,  5001",
        "IPV4_4096, 5,  5,   101",
        "IPV6_1024, 5,  3,  3001",
        "IPV6_4096, 1,  5, 65535"
    })
    @Requirement({"ROCE-RC-10", "ROCE-RC-35"})
    void readsAndWritesBack(Link link, int percent, int count, int bytes) {
        String pings = "-C %d -S %d".formatted(count, bytes);
        Conversation conversation = losing(link, percent);
        conversation.callsGuest(
                verbs("rping -c -V -a {guest} " + pings), rping("-s -a {guest} " + pings), 7174);
        conversation.guestCalls(rping("-c -V -a {host} " + pings), verbs("rping -s -a {host}"));
    }

    @ParameterizedTest
    @CsvSource({
        "IPV4_1024, 1, send-bw,   100, 20000",
        "IPV6_4096, 5, send-bw,    20, 20001",
        "IPV4_4096, 1, write-bw,  100, 20000",
        "IPV6_1024, 5, write-bw,   20, 10001",
        "IPV4_4096, 5, read-bw,    20, 20001",
        "IPV6_1024, 1, read-bw,   100, 10000",
        "IPV4_1024, 5, atomic-bw,  50,     8",
        "IPV6_4096, 1, atomic-bw, 200,     8"
    })
    @Requirement({"ROCE-RC-10", "ROCE-RC-35"})
    void measuresBandwidth(Link link, int percent, String tool, int count, int bytes) {
        PerftestToolsTest.bothRoles(
                losing(link, percent), tool, "-n %d -s %d".formatted(count, bytes));
    }

    /// Messages of many packets, of which several get lost: the guest goes back for a second report
    /// only once it has seen that the first has helped.
    @ParameterizedTest
    @CsvSource({"IPV4_1024, 2, 10, 65536", "IPV4_4096, 2, 20, 65536"})
    @Requirement({"ROCE-RC-10", "ROCE-RC-35"})
    void writesManyPacketsOverTheConnectionManager(Link link, int percent, int count, int bytes) {
        PerftestToolsTest.bothRolesConnected(losing(link, percent), "write-bw", count, bytes);
    }

    private Conversation losing(Link link, int percent) {
        beds.of(link).lose(percent);
        return new Conversation(beds, link);
    }

    private static List<String> stream(String role, String peer, int transfers, int bytes) {
        return OurProgram.test(
                StreamPeer.class,
                role,
                "{host}",
                peer,
                "7471",
                "1",
                String.valueOf(transfers),
                String.valueOf(bytes));
    }
}
