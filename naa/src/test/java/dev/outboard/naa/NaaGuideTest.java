package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.outboard.fabric.Device;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.client.NaaParameter;
import dev.outboard.naa.client.NaaPool;
import dev.outboard.naa.client.NaaSession;
import dev.outboard.naa.client.NaaStatus;
import dev.outboard.naa.server.NaaServer;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Runs the Java of the guides for clients: every block of code there is a part of this file, or a
/// whole class, which the page's commands run.
class NaaGuideTest {
    private static final int SHA_256 = 12;
    private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern CLASS = Pattern.compile("(?m)^public final class ");

    private Device device;
    private NaaServer server;
    private String host;
    private int port;
    private final List<String> reports = new ArrayList<>();

    @BeforeEach
    void serve() {
        device = SessionSuite.roce();
        RoutineSet routines = RoutineSet.of(RoutineSpec.of(SHA_256, "sha-256", NaaGuideTest::hash));
        ServerOptions options = ServerOptions.builder().maxConnections(10).build();
        server = NaaServer.start(device, 0, routines, options);
        host = device.address().getHostAddress();
        port = server.port();
    }

    @AfterEach
    void close() {
        server.close();
        device.close();
    }

    private static int hash(RpcContext rpc) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update(rpc.parameter(0).memory().asByteBuffer());
        rpc.parameter(1).memory().copyFrom(MemorySegment.ofArray(digest.digest()));
        return ReturnCode.SUCCESS;
    }

    private static List<String> blocks(String page) throws IOException {
        String text = Files.readString(Repository.root().resolve(page));
        return BLOCK.matcher(text).results().map(block -> block.group(1)).toList();
    }

    /// The formatter may break lines as it likes.
    private static String squeezed(String code) {
        return code.replaceAll("\\s+", "");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "docs/guide/offload-your-first-function.md",
                "docs/guide/naa.md",
                "docs/guide/from-the-c-library.md"
            })
    void everyBlockIsPartOfThisTest(String page) throws IOException {
        String source =
                squeezed(
                        Files.readString(
                                Repository.root()
                                        .resolve(
                                                "naa/src/test/java/dev/outboard/naa/NaaGuideTest.java")));
        List<String> blocks = blocks(page);
        assertThat(blocks).isNotEmpty();
        assertThat(blocks)
                .filteredOn(block -> !CLASS.matcher(block).find())
                .allMatch(block -> source.contains(squeezed(block)));
    }

    // ---- the parts of the guides ----------------------------------------------------------------

    private NaaClient open() {
        return NaaClient.builder(host, port)
                .functionCode(SHA_256)
                .region(RegionSpec.input(MemorySegment.ofArray(new byte[1000])))
                .region(RegionSpec.output(MemorySegment.ofArray(new byte[32])))
                .open();
    }

    private void report(Object... what) {
        reports.add(List.of(what).toString());
    }

    @Test
    void memoryInPlace() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment message = arena.allocate(1 << 20);
            MemorySegment digest = arena.allocate(32);
            try (NaaClient client =
                    NaaClient.builder(host, port)
                            .functionCode(12)
                            .region(RegionSpec.input(message))
                            .region(RegionSpec.output(digest))
                            .open()) {
                for (int i = 0; i < 10; i++) {
                    message.fill((byte) i);
                    client.invoke();
                }
            }
        }
    }

    @Test
    void stepByStep() {
        MemorySegment message = MemorySegment.ofArray(new byte[1000]);
        byte[] bytes = new byte[32];
        MemorySegment digest = MemorySegment.ofArray(bytes);

        NaaClient client =
                NaaClient.builder(host, port)
                        .functionCode(12)
                        .region(RegionSpec.input(message))
                        .region(RegionSpec.output(digest))
                        .build();
        client.connect();
        client.registerRegions();
        client.startMrsp();
        while (client.state() != NaaState.MRSP_DONE) {
            client.pollCompletions();
        }
        client.startRpc();
        while (client.state() != NaaState.FINISHED) {
            client.pollCompletions();
        }
        client.close();

        assertThat(bytes).isNotEqualTo(new byte[32]);
    }

    @Test
    void manyCallsFromOneThread() {
        List<NaaClient> clients = List.of(open(), open(), open());

        List<CompletableFuture<RpcResult>> calls = new ArrayList<>();
        for (NaaClient client : clients) {
            calls.add(client.invokeAsync());
        }
        CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)).join();

        assertThat(calls).allMatch(call -> call.join().isSuccess());
        clients.forEach(NaaClient::close);
    }

    @Test
    void settingsOfACall() {
        try (NaaClient client = open()) {
            client.setUserImmediate((byte) 1, (byte) 0, (byte) 0);
            client.setBytesToSend(0, 100);
            RpcResult result = client.invoke(Duration.ofSeconds(2));
            client.resetBytesToSend(0);

            assertThat(result.isSuccess()).isTrue();
        }
    }

    @Test
    void failures() {
        NaaClient client = open();
        server.close();

        try {
            client.invoke();
        } catch (RpcException e) {
            // The routine answered with an error code. The client stays usable.
            report(e.returnCode());
        } catch (NaaException e) {
            // The connection is lost or the time is over. The client can only be closed.
            report(e.phase(), e.getMessage());
        }

        assertThat(reports).singleElement().asString().contains(host);
        client.close();
    }

    @Test
    void severalAccelerators() {
        byte[] message = new byte[1000];
        byte[] digest = new byte[32];

        try (NaaPool pool =
                NaaPool.builder(12)
                        .naa(host, port)
                        .input(message.length)
                        .output(digest.length)
                        .sessionsPerNaa(4)
                        .idempotent()
                        .open()) {
            pool.invoke(MemorySegment.ofArray(message), MemorySegment.ofArray(digest));
        }

        assertThat(digest).isNotEqualTo(new byte[32]);
    }

    @Test
    void aSessionOfAJob() {
        // This process is no job. What a job does is in MiddlewareOverRoceTest.
        assertThatExceptionOfType(NaaConnectException.class)
                .isThrownBy(() -> runAsJob(new byte[1000], new byte[32]))
                .withMessageContaining("NAA_SPEC is not set");
    }

    private void runAsJob(byte[] message, byte[] digest) {
        List<NaaParameter> inputs = List.of(NaaParameter.of(MemorySegment.ofArray(message)));
        List<NaaParameter> outputs = List.of(NaaParameter.of(MemorySegment.ofArray(digest)));
        try (NaaSession session = NaaSession.create(12, inputs, outputs)) {
            session.invoke();
            while (!session.test().isComplete()) {
                report("something else");
            }
            NaaStatus status = session.await();
            report(status.isSuccess(), status.returnCode());
        }
    }
}
