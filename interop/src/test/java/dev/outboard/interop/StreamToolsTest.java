package dev.outboard.interop;

import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Byte streams with rstream: every message is a WRITE with immediate data, many have no payload,
/// and receives have no buffer. Both sides compare every byte.
@Interop
class StreamToolsTest {
    private static final int PORT = 7471;
    private static final String STREAM = "rstream -T v -I %d -C %d -S %d %s";

    private final TestBeds beds;

    StreamToolsTest(TestBeds beds) {
        this.beds = beds;
    }

    @ParameterizedTest
    @CsvSource({
        "IPV4_1024, 3, 20,   65537",
        "IPV4_4096, 1,  2, 4000001",
        "IPV6_1024, 5, 50,      13",
        "IPV6_4096, 3, 20,   65537"
    })
    @Requirement({"ROCE-CM-4", "ROCE-RC-23"})
    void connectsToRstream(Link link, int rounds, int transfers, int bytes) {
        new Conversation(beds, link)
                .callsGuest(
                        ours("call", "{guest}", rounds, transfers, bytes),
                        STREAM.formatted(rounds, transfers, bytes, "-b {guest}"),
                        PORT);
    }

    @ParameterizedTest
    @CsvSource({
        "IPV4_1024, 5, 50,      13",
        "IPV4_4096, 3, 20,   65537",
        "IPV6_1024, 3, 20,   65537",
        "IPV6_4096, 1,  2, 4000001"
    })
    @Requirement({"ROCE-CM-5", "ROCE-RC-23"})
    void acceptsRstream(Link link, int rounds, int transfers, int bytes) {
        new Conversation(beds, link)
                .guestCalls(
                        STREAM.formatted(rounds, transfers, bytes, "-s {host}"),
                        ours("serve", "-", rounds, transfers, bytes));
    }

    private static List<String> ours(
            String role, String peer, int rounds, int transfers, int bytes) {
        return OurProgram.test(
                StreamPeer.class,
                role,
                "{host}",
                peer,
                String.valueOf(PORT),
                String.valueOf(rounds),
                String.valueOf(transfers),
                String.valueOf(bytes));
    }
}
