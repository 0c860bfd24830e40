package dev.outboard.interop;

import static dev.outboard.interop.OurProgram.verbs;

import dev.outboard.testkit.Requirement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// The tools that connect through the connection manager of Linux.
@Interop
class ConnectionToolsTest {
    private static final int PORT = 7471;
    private static final int RPING_PORT = 7174;

    private final TestBeds beds;

    ConnectionToolsTest(TestBeds beds) {
        this.beds = beds;
    }

    @ParameterizedTest
    @EnumSource(Link.class)
    @Requirement({"ROCE-CM-4", "ROCE-CM-14"})
    void connectsToRdmaServer(Link link) {
        new Conversation(beds, link)
                .callsGuest(
                        verbs("rdma-client -s {guest} -p 7471"),
                        "rdma_server -s {guest} -p 7471",
                        PORT);
    }

    @ParameterizedTest
    @EnumSource(Link.class)
    @Requirement({"ROCE-CM-5", "ROCE-CM-14"})
    void acceptsRdmaClient(Link link) {
        new Conversation(beds, link)
                .guestCalls(
                        "rdma_client -s {host} -p 7471",
                        verbs("rdma-server --bind {host} -p 7471"));
    }

    @ParameterizedTest
    @CsvSource({
        "IPV4_1024,  1, 10,     100",
        "IPV4_1024,  2,  3, 3000001",
        "IPV4_4096,  8, 10,    1501",
        "IPV6_1024, 20,  4,       1",
        "IPV6_4096,  2,  3,  777777"
    })
    @Requirement("ROCE-CM-4")
    void connectsToUcmatose(Link link, int connections, int messages, int bytes) {
        String counts = "-c %d -C %d -S %d".formatted(connections, messages, bytes);
        new Conversation(beds, link)
                .callsGuest(
                        verbs("ucmatose -s {guest} " + counts),
                        "ucmatose -b {guest} " + counts,
                        PORT);
    }

    @ParameterizedTest
    @CsvSource({
        "IPV4_1024,  8, 10,    1501",
        "IPV4_4096,  2,  3, 3000001",
        "IPV6_1024,  2,  3,  777777",
        "IPV6_4096, 20,  4,       1"
    })
    @Requirement("ROCE-CM-5")
    void acceptsUcmatose(Link link, int connections, int messages, int bytes) {
        String counts = "-c %d -C %d -S %d".formatted(connections, messages, bytes);
        new Conversation(beds, link)
                .guestCalls(
                        "ucmatose -s {host} " + counts, verbs("ucmatose --bind {host} " + counts));
    }

    /// The guest READs and WRITEs our memory.
    @ParameterizedTest
    @CsvSource({
        "IPV4_1024, 20,    64",
        "IPV4_4096,  5, 65535",
        "IPV6_1024,  5,  5001",
        "IPV6_4096, 20,    23"
    })
    @Requirement("ROCE-CM-4")
    void connectsToRping(Link link, int count, int bytes) {
        new Conversation(beds, link)
                .callsGuest(
                        verbs("rping -c -V -a {guest} -C %d -S %d".formatted(count, bytes)),
                        rping("-s -a {guest} -S " + bytes),
                        RPING_PORT);
    }

    /// We READ and WRITE the guest's memory.
    @ParameterizedTest
    @CsvSource({
        "IPV4_1024,  5,  5001",
        "IPV4_4096, 20,   101",
        "IPV6_1024, 20,    64",
        "IPV6_4096,  5, 65535"
    })
    @Requirement("ROCE-CM-5")
    void acceptsRping(Link link, int count, int bytes) {
        new Conversation(beds, link)
                .guestCalls(
                        rping("-c -V -a {host} -C %d -S %d".formatted(count, bytes)),
                        verbs("rping -s -a {host}"));
    }

    /// The original as a command of the guest's shell. rping 44 ends with 255 after success if it
    /// closes its event channel while its own thread is on the way from one event to the next
    /// (rdma-core mended it with pull request 1622): it then says so, and nothing of a failure.
    static String rping(String words) {
        return "rping "
                + words
                + " 2>rping.err; code=$?; cat rping.err >&2; [ $code = 255 ]"
                + " && grep -q '^rdma_get_cm_event: Bad file descriptor' rping.err"
                + " && ! grep -q failed rping.err || exit $code";
    }
}
