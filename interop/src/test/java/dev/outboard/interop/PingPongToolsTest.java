package dev.outboard.interop;

import static dev.outboard.interop.OurProgram.verbs;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The pingpongs of libibverbs: queue pairs that are told about each other over TCP, without the
/// connection manager. Both sides check every message.
@Interop
class PingPongToolsTest {
    private static final int PORT = 18515;

    private final TestBeds beds;

    PingPongToolsTest(TestBeds beds) {
        this.beds = beds;
    }

    @ParameterizedTest
    @CsvSource({
        "IPV4_1024,  100,       1",
        "IPV4_1024,    5, 2000001",
        "IPV4_4096,   50,    4096",
        "IPV6_1024,   50,    1025",
        "IPV6_4096,   20,   60000"
    })
    void bouncesOverReliableConnections(Link link, int count, int bytes) {
        bounce(link, "rc", "-c -m {mtu} -n %d -s %d".formatted(count, bytes));
    }

    @ParameterizedTest
    @CsvSource({
        "IPV4_1024, 16, 200,  4096",
        "IPV4_4096,  3,  30, 60001",
        "IPV6_1024,  1,  50,  1025",
        "IPV6_4096, 16, 200,    17"
    })
    void bouncesOverSharedReceiveQueues(Link link, int pairs, int count, int bytes) {
        bounce(link, "srq", "-c -m {mtu} -q %d -n %d -s %d".formatted(pairs, count, bytes));
    }

    /// In both roles. `-e`: a tool that polled would take the emulated processor from its kernel.
    private void bounce(Link link, String kind, String options) {
        String original = "ibv_%s_pingpong -e -g {gid} %s ".formatted(kind, options);
        String ours = "%s-pingpong %s ".formatted(kind, options);
        new Conversation(beds, link)
                .callsGuestOverTcp(verbs(ours + "--bind {host} {guest4}"), original, PORT);
        new Conversation(beds, link).guestCalls(original + "{host}", verbs(ours + "--bind {host}"));
    }
}
