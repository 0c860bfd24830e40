package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.Execution;
import dev.outboard.console.OutboardProcess;
import dev.outboard.fabric.contract.roce.CapturedPacket;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.io.TempDir;

/// The first capture that a newcomer takes: a call to a node, both of them just started. A Java
/// process takes tens of milliseconds for what it does for the first time; that is no reason to
/// send anything again.
class FirstCaptureTest {
    /// A machine that is so busy that an answer takes longer than this is not judged.
    private static final long PATIENCE_NANOS = 200_000_000;

    @TempDir private Path directory;

    /// What is sent once: an ACKNOWLEDGE may repeat its number.
    private record Once(InetAddress source, int opcode, int psn) {}

    @RepeatedTest(10)
    @Requirement("ROCE-RC-33")
    void nothingIsSentTwice() throws IOException {
        Path capture = directory.resolve("call.pcapng");
        Path file = Files.writeString(directory.resolve("hello.txt"), "hello");
        try (OutboardProcess node = OutboardProcess.node();
                OutboardProcess client =
                        node.call(1, "--inout", file.toString(), "--capture", capture.toString())) {
            Execution call = client.awaitEnd();
            assertThat(call.exitCode()).as(call.toString()).isZero();
        }

        List<CapturedPacket> packets = CapturedPacket.readAll(capture);
        Map<Once, Long> sent = new HashMap<>();
        for (CapturedPacket packet : packets) {
            if (packet.isCm()) {
                continue;
            }
            Once once = new Once(packet.source(), packet.opcode(), packet.psn());
            Long before = sent.put(once, packet.epochNanos());
            if (before != null) {
                assertThat(packet.epochNanos() - before)
                        .as("%s left twice, the second time after this time", once)
                        .isGreaterThan(PATIENCE_NANOS);
            }
        }
        assertThat(sent).hasSizeGreaterThan(4);
    }
}
