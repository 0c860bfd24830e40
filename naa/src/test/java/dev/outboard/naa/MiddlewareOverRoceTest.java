package dev.outboard.naa;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Device;
import dev.outboard.naa.client.NaaParameter;
import dev.outboard.naa.client.NaaSession;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.naa.server.ServerUnderTest;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/// The suite over RoCEv2 packets on loopback, and a process that finds everything in its
/// environment.
class MiddlewareOverRoceTest extends MiddlewareSuite {
    @Override
    Device open() {
        return roce();
    }

    @Test
    @Requirement({"NAA-MW-13", "NAA-MW-17"})
    void aProcessNeedsNothingButItsEnvironment() throws IOException, InterruptedException {
        Queue<String> peers = new ConcurrentLinkedQueue<>();
        serve(
                ServerOptions.builder(),
                rpc -> {
                    server.server.connections().forEach(c -> peers.add(c.peer()));
                    return ServerUnderTest.increment(rpc);
                });
        String local = clientDevice.address().getHostAddress();
        clientDevice.close();

        ProcessBuilder builder =
                new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Program.class.getName());
        builder.environment().put("NAA_SPEC", "oops," + item(CUSTOM, 1));
        builder.environment().put("NAA_LOCAL_IP", local);
        Process process = builder.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);

        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains("item 'oops' is skipped").contains("1 2 3");
        assertThat(peers).singleElement().asString().startsWith(local + ":");
    }

    /// Has three bytes incremented and prints them.
    static final class Program {
        private Program() {}

        public static void main(String[] args) {
            byte[] bytes = {0, 1, 2};
            List<NaaParameter> parameters = List.of(NaaParameter.of(MemorySegment.ofArray(bytes)));
            try (NaaSession session = NaaSession.create(CUSTOM, parameters, parameters)) {
                session.invoke();
                if (session.await().isSuccess()) {
                    System.out.printf("%d %d %d%n", bytes[0], bytes[1], bytes[2]);
                }
            }
        }
    }
}
