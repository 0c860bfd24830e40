package dev.outboard.interop;

import static dev.outboard.interop.OurProgram.verbs;

import dev.outboard.testkit.Requirement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// perftest: many requests outstanding, or one at a time. Each test runs in both roles: what one
/// side issues, the other executes.
@Interop
class PerftestToolsTest {
    private static final int PORT = 18515;

    private final TestBeds beds;

    PerftestToolsTest(TestBeds beds) {
        this.beds = beds;
    }

    @ParameterizedTest
    @CsvSource({
        "IPV4_1024, bw,  100,   65536",
        "IPV4_4096, bw,    5, 3000001",
        "IPV6_1024, bw,  300,       1",
        "IPV6_4096, bw,  100,    4097",
        "IPV4_1024, lat, 100,       2",
        "IPV6_4096, lat,  50,    5000"
    })
    void sends(Link link, String measure, int count, int bytes) {
        bothRoles(link, "send", measure, "-n %d -s %d".formatted(count, bytes));
    }

    @ParameterizedTest
    @CsvSource({
        "IPV4_1024, bw,  300,       3",
        "IPV4_4096, bw,  100,   65536",
        "IPV6_1024, bw,    5, 3000001",
        "IPV6_4096, bw,  100,   12289",
        "IPV4_4096, lat,  50,    5001",
        "IPV6_1024, lat, 100,      17"
    })
    void writes(Link link, String measure, int count, int bytes) {
        bothRoles(link, "write", measure, "-n %d -s %d".formatted(count, bytes));
    }

    @ParameterizedTest
    @CsvSource({
        "IPV4_1024, bw,    5, 3000001",
        "IPV4_4096, bw,  200,       7",
        "IPV6_1024, bw,  100,   65536",
        "IPV6_4096, bw,  100,    8193",
        "IPV4_1024, lat,  50,    5001",
        "IPV6_4096, lat, 100,       2"
    })
    @Requirement("ROCE-RC-5")
    void reads(Link link, String measure, int count, int bytes) {
        bothRoles(link, "read", measure, "-n %d -s %d".formatted(count, bytes));
    }

    @ParameterizedTest
    @CsvSource({
        "IPV4_1024, bw,  FETCH_AND_ADD",
        "IPV4_4096, bw,  CMP_AND_SWAP",
        "IPV6_1024, lat, FETCH_AND_ADD",
        "IPV6_4096, lat, CMP_AND_SWAP"
    })
    @Requirement("ROCE-RC-25")
    void executesAtomics(Link link, String measure, String operation) {
        bothRoles(link, "atomic", measure, "-n 100 -A " + operation);
    }

    /// The connection manager alone: one connection to agree over, one to measure. perftest 4.5
    /// knows IPv4 only there.
    @ParameterizedTest
    @CsvSource({
        "IPV4_1024, send-bw,    100, 65536",
        "IPV4_4096, send-lat,    50,     2",
        "IPV4_4096, write-bw,   100, 12289",
        "IPV4_1024, write-lat,   50,  5001",
        "IPV4_1024, read-bw,    100,     7",
        "IPV4_4096, read-lat,    50,  8193",
        "IPV4_4096, atomic-bw,  100,     8",
        "IPV4_1024, atomic-lat, 100,     8"
    })
    @Requirement({"ROCE-CM-4", "ROCE-CM-5"})
    void connectsWithTheConnectionManager(Link link, String tool, int count, int bytes) {
        bothRolesConnected(new Conversation(beds, link), tool, count, bytes);
    }

    /// Two runs of `tool`, one per role, with `-R`.
    static void bothRolesConnected(Conversation conversation, String tool, int count, int bytes) {
        String options = " -R -n %d -s %d ".formatted(count, bytes);
        String original = "ib_" + tool.replace('-', '_') + " -F" + options;
        String ours = tool + options + "--bind {host} ";
        conversation.callsGuest(verbs(ours + "{guest}"), original, PORT);
        conversation.guestCalls(original + "{host}", verbs(ours));
    }

    private void bothRoles(Link link, String operation, String measure, String options) {
        bothRoles(new Conversation(beds, link), operation + "-" + measure, options);
    }

    /// Two runs of `tool`, one per role, agreed upon over TCP.
    static void bothRoles(Conversation conversation, String tool, String options) {
        String original = "ib_%s -F -x {gid} %s ".formatted(tool.replace('-', '_'), options);
        String ours = "%s %s --bind {host} ".formatted(tool, options);
        conversation.callsGuestOverTcp(verbs(ours + "{guest4}"), original, PORT);
        conversation.guestCalls(original + "{host4}", verbs(ours + "--listen {host4}"));
    }
}
