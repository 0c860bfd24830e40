package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.Execution;
import dev.outboard.console.OutboardProcess;
import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A node whose standard output and error go to a pipe that is full and that nobody reads.
@Timeout(value = 4, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StalledReaderTest {
    /// What a pipe holds on Linux.
    private static final int PIPE_BYTES = 65_536;

    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir private Path directory;
    private Path fifo;
    private String file;
    private OutboardProcess node;
    private InputStream pipe;
    private BufferedReader reader;
    private String address;
    private String metrics;

    @BeforeEach
    void serveIntoAPipeThatIsFull() throws Exception {
        file = Files.writeString(directory.resolve("some.txt"), "hello").toString();
        fifo = directory.resolve("fifo");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
        // The shell opens the pipe, as opening it waits for the other end.
        List<String> command = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" >\"$0\" 2>&1"));
        command.add(fifo.toString());
        command.addAll(OutboardProcess.command());
        command.addAll(List.of("naa", "serve", "--bind", "auto", "--port", "0", "--metrics", "0"));
        command.add("--stats");
        node = OutboardProcess.ofProgram(new ProcessBuilder(command));
        pipe = Files.newInputStream(fifo);
        reader = new BufferedReader(new InputStreamReader(pipe, StandardCharsets.UTF_8), 1);
        metrics = awaitLine("metrics at (\\S+)").group(1);
        Matcher ready = awaitLine("ready at (\\S+):(\\d+), .*");
        address = ready.group(1) + ":" + ready.group(2);
        // Exactly what the pipe holds; nothing of the node's is in it.
        Thread.ofPlatform().daemon().start(this::fill);
    }

    private void fill() {
        try (FileOutputStream out = new FileOutputStream(fifo.toFile())) {
            byte[] line = ".".repeat(63).concat("\n").getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < 2 * PIPE_BYTES / line.length; i++) {
                out.write(line);
            }
        } catch (IOException _) {
            // The test is over.
        }
    }

    @AfterEach
    void endNode() throws IOException {
        node.close();
        pipe.close();
    }

    private Matcher awaitLine(String regex) throws IOException {
        Pattern pattern = Pattern.compile(regex);
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            Matcher matcher = pattern.matcher(line);
            if (matcher.matches()) {
                return matcher;
            }
        }
        throw new AssertionError("no line '" + regex + "' before the end");
    }

    private void call() {
        Execution call =
                Execution.ofOutboard("naa", "call", address, "--function", "3", "--in", file);
        assertThat(call.exitCode()).as(call.toString()).isZero();
    }

    private long counted(String metric) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(metrics)).timeout(LIMIT).build();
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(request, HttpResponse.BodyHandlers.ofString())
                    .body()
                    .lines()
                    .filter(line -> line.startsWith("outboard_naa_" + metric + "_total "))
                    .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1)))
                    .findFirst()
                    .orElse(-1);
        }
    }

    @Test
    void itServesAndTellsLaterWhatWasMissed() throws Exception {
        long start = System.nanoTime();
        while (counted("log_dropped") < 1) {
            call();
            assertThat(System.nanoTime() - start).isLessThan(2 * LIMIT.toNanos());
        }
        assertThat(counted("rpcs")).isGreaterThan(100);
        // The reader wakes up.
        awaitLine("client .* connected");
        awaitLine("\\d+ lines were dropped: nobody took them");
        call();
        node.handle().destroy();
        awaitLine(" *log.dropped +[1-9]\\d*");
    }

    @Test
    void itEndsThoughNobodyTakesItsLastWords() throws Exception {
        call();
        call();
        node.handle().destroy();

        assertThat(node.handle().onExit().get(60, TimeUnit.SECONDS).isAlive()).isFalse();
    }

    /// Who asks for the counters and does not finish, or does not listen, keeps nobody else from
    /// it.
    @Test
    void halfARequestForTheCountersKeepsNobodyWaiting() throws Exception {
        URI url = URI.create(metrics);
        InetSocketAddress at = new InetSocketAddress(url.getHost(), url.getPort());
        List<Socket> halves = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Socket half = new Socket();
            half.connect(at);
            half.getOutputStream().write("GET /met".getBytes(StandardCharsets.US_ASCII));
            halves.add(half);
        }
        assertThat(counted("rpcs")).isZero();
        for (Socket half : halves) {
            half.close();
        }
    }
}
