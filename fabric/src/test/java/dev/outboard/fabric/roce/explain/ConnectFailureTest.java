package dev.outboard.fabric.roce.explain;

import static dev.outboard.fabric.roce.explain.FailureTest.dropping;
import static dev.outboard.fabric.roce.explain.FailureTest.fails;
import static dev.outboard.fabric.roce.explain.FailureTest.isData;
import static dev.outboard.fabric.roce.explain.FailureTest.losing;
import static dev.outboard.fabric.roce.explain.FailureTest.only;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Finding;
import dev.outboard.fabric.Finding.Verdict;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/// Ways in which two devices do not get connected, or only after repetitions.
class ConnectFailureTest {
    @Test
    void nobodyAnswersTheConnectionRequest() {
        try (CapturedPair pair = CapturedPair.at("client")) {
            pair.script(dropping((_, isFromClient) -> isFromClient));
            pair.request();
            pair.run(30_000);

            fails(
                    pair.findings(),
                    "10.0.0.2 never answered",
                    "the connection request was sent",
                    "nothing came from that address");
            assertThat(pair.findings().getFirst().subject())
                    .isEqualTo("10.0.0.1 → 10.0.0.2, port 7174");
        }
    }

    @Test
    void theProgramThatListensHangs() {
        try (CapturedPair pair = CapturedPair.at("client")) {
            pair.onRequest = _ -> {};
            pair.listen();
            pair.request();
            pair.run(600_000);

            Finding told = only(Verdict.FAIL, pair.findings());
            assertThat(told.detail()).contains("asked for patience (MRA), and never decided");
        }
    }

    @Test
    void nobodyListensOnThePort() {
        try (CapturedPair pair = CapturedPair.at("client")) {
            pair.request();
            pair.run(1_000);

            fails(pair.findings(), "10.0.0.2 rejected", "nobody listens on this port (reason 8)");
        }
    }

    @Test
    void theProgramRejects() {
        try (CapturedPair pair = CapturedPair.at("client")) {
            pair.onRequest = id -> id.reject("not today".getBytes(StandardCharsets.US_ASCII));
            pair.listen();
            pair.request();
            pair.run(1_000);

            fails(
                    pair.findings(),
                    "10.0.0.2 rejected",
                    "rejected by the application (reason 28); it says 'not today'");
        }
    }

    @Test
    void aReplyIsLostOnce() {
        try (CapturedPair pair = CapturedPair.at("server")) {
            pair.script(losing(1, (packet, isFromClient) -> !isFromClient && !isData(packet)));
            pair.listen();
            pair.request();
            pair.run(10_000);

            Finding told = only(Verdict.WARN, pair.findings());
            assertThat(told.detail())
                    .containsAnyOf("a reply (REP) was lost", "had to repeat its reply");
        }
    }

    @Test
    void noReplyArrives() {
        try (CapturedPair pair = CapturedPair.at("server")) {
            pair.script(dropping((_, isFromClient) -> !isFromClient));
            pair.listen();
            pair.request();
            pair.run(60_000);

            fails(pair.findings(), "10.0.0.2 agreed to the connection", "10.0.0.1 never took note");
        }
    }
}
