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

    private void bothRoles(Link link, String operation, String measure, String options) {
        String original = "ib_%s_%s -F -x {gid} %s ".formatted(operation, measure, options);
        String ours = "%s-%s %s ".formatted(operation, measure, options);
        new Conversation(beds, link)
                .callsGuestOverTcp(verbs(ours + "--bind {host} {guest4}"), original, PORT);
        new Conversation(beds, link)
                .guestCalls(original + "{host4}", verbs(ours + "--bind {host} --listen {host4}"));
    }
}
