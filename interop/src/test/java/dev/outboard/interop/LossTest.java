package dev.outboard.interop;

import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The guest's interface loses packets in both directions: both sides have to repeat, and
/// understand the other's repetitions.
@Interop
class LossTest {
    private final TestBeds beds;

    LossTest(TestBeds beds) {
        this.beds = beds;
    }

    @AfterEach
    void loseNoMore() {
        beds.of(Link.IPV4_1024).lose(0);
        beds.of(Link.IPV4_4096).lose(0);
    }

    /// Few packets at 5 %: what the guest does not get an answer for, it repeats after two seconds.
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
        losing(link, percent)
                .callsGuest(
                        stream("call", "{guest}", transfers, bytes), rstream + "-b {guest}", 7471);
        losing(link, percent)
                .guestCalls(rstream + "-s {host}", stream("serve", "-", transfers, bytes));
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
