package dev.outboard.interop;

import static dev.outboard.interop.OurProgram.verbs;

import dev.outboard.testkit.Requirement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Datagrams: ibv_ud_pingpong, whose sides know each other from TCP, and udaddy, which looks up the
/// service with SIDR.
@Interop
class DatagramToolsTest {
    private static final int TCP_PORT = 18515;
    private static final int RDMA_PORT = 7174;

    private final TestBeds beds;

    DatagramToolsTest(TestBeds beds) {
        this.beds = beds;
    }

    @ParameterizedTest
    @CsvSource({
        "IPV4_1024, 100, 1024",
        "IPV4_4096, 100, 4096",
        "IPV6_1024, 100,   13",
        "IPV6_4096, 100, 2049"
    })
    @Requirement({"ROCE-UD-1", "ROCE-UD-2"})
    void bouncesDatagrams(Link link, int count, int bytes) {
        String options = "-c -n %d -s %d ".formatted(count, bytes);
        String original = "ibv_ud_pingpong -e -g {gid} " + options;
        new Conversation(beds, link)
                .callsGuestOverTcp(
                        verbs("ud-pingpong " + options + "--bind {host} {guest4}"),
                        original,
                        TCP_PORT);
        new Conversation(beds, link)
                .guestCalls(original + "{host}", verbs("ud-pingpong " + options + "--bind {host}"));
    }

    @ParameterizedTest
    @CsvSource({
        "IPV4_1024,  1, 10,  100",
        "IPV4_4096,  3,  5, 4096",
        "IPV6_1024, 10,  5, 1023",
        "IPV6_4096,  1, 20,    1"
    })
    @Requirement("ROCE-CM-17")
    void looksUpAndServesDatagramServices(Link link, int services, int count, int bytes) {
        String options = "-c %d -C %d -S %d ".formatted(services, count, bytes);
        new Conversation(beds, link)
                .callsGuest(
                        verbs("udaddy -s {guest} " + options),
                        "udaddy -b {guest} " + options,
                        RDMA_PORT);
        new Conversation(beds, link)
                .guestCalls(
                        "udaddy -s {host} " + options, verbs("udaddy --bind {host} " + options));
    }
}
