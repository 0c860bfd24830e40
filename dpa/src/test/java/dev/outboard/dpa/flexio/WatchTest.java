package dev.outboard.dpa.flexio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpa.nic.QueueStatus;
import dev.outboard.dpa.watch.Watch;
import dev.outboard.dpa.watch.Watched;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.JsonSchema;
import dev.outboard.testkit.TraceFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What others see of processes of the DPA through the socket.
class WatchTest {
    private static final MachineOptions OPTIONS = MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL);

    @TempDir Path parent;

    private Path directory() {
        return parent.resolve("watch");
    }

    private String status() throws IOException {
        List<Watched> all = Watched.all(directory());
        assertThat(all)
                .singleElement()
                .extracting(Watched::pid)
                .isEqualTo(ProcessHandle.current().pid());
        String status = all.getFirst().status();
        assertThat(JsonSchema.problems(Watch.class, "status.schema.json", status)).isEmpty();
        return status.replaceAll("\\s+", " ");
    }

    @Test
    void theSchemaHasEveryKindOfQueue() throws IOException {
        try (InputStream schema =
                Objects.requireNonNull(Watch.class.getResourceAsStream("status.schema.json"))) {
            String text = new String(schema.readAllBytes(), StandardCharsets.UTF_8);
            for (QueueStatus.Kind kind : QueueStatus.Kind.values()) {
                assertThat(text).contains('"' + kind.name() + '"');
            }
        }
    }

    static List<RunMode> modes() {
        return List.of(
                RunMode.fast(),
                RunMode.check(Observer.NONE, 1),
                RunMode.weak(Profile.SEED, 2),
                RunMode.weak(Profile.PARANOID, 3));
    }

    @ParameterizedTest
    @MethodSource("modes")
    void aProcessIsSeenWithWhatItHasAndDoes(RunMode mode) throws IOException {
        DpaDevice device = DpaDevice.of(OPTIONS, mode);
        try (Watch _ = Watch.open(directory());
                HostProcess host = HostProcess.open();
                FlexioProcess process = FlexioProcess.create(host, device, EchoStub.APP)) {
            FlexioEventHandler handler =
                    FlexioEventHandler.create(
                            process, EchoStub.echo, FlexioEventHandler.Attributes.DEFAULT);
            EchoSide server = new EchoSide(process, Optional.of(handler));
            EchoSide client = new EchoSide(process, Optional.empty());
            server.pair.connect(client.pair);
            String before = status();
            assertThat(before)
                    .contains("\"app\": \"echo\"", "\"running\": true", "\"error\": \"\"")
                    .contains(
                            "{ \"name\": \"echo\", \"kind\": \"HANDLER\", \"state\": \"INACTIVE\","
                                    + " \"unit\": -1, \"activations\": 0 }")
                    .contains(
                            queue(server.completions.number(), 16, 0)
                                    + ", \"armed\": true, \"error\": false");
            assertThat(before.contains("\"profile\": \"" + profile(mode) + "\""))
                    .isEqualTo(mode instanceof RunMode.Turns turns && turns.weak().isPresent());

            handler.run(server.context.value());
            assertThat(process.call(EchoStub.call(client.context, 5))).isEqualTo(5);
            process.call(EchoStub.ring(client.context, 0x99999));
            Eventually.until(() -> {
                process.call(EchoStub.hasOutbox(0));
                return process.status().discards().foreignDoorbells() == 2;
            });
            long calls = process.status().threads().getFirst().activations();
            assertThat(calls).isGreaterThan(2);
            assertThat(status())
                    .contains(
                            "{ \"name\": \"RPC\", \"kind\": \"RPC\", \"state\": \"INACTIVE\","
                                    + " \"unit\": -1, \"activations\": "
                                    + calls)
                    .contains(queue(client.completions.number(), 16, 2))
                    .contains(
                            "\"sends\": { \"purpose\": \"\", \"posted\": 1, \"outstanding\": 0, \"failed\": 0 }")
                    .contains("\"foreignDoorbells\": 2")
                    .contains("\"sizeBytes\": " + (4 << 20));
            assertThat(process.status().threads().get(1).activations()).isPositive();
            assertThat(process.status().heap()).isEqualTo(process.heap().usage());
        }
        assertThat(device.status()).isEmpty();
    }

    private static String queue(int number, int depth, int written) {
        return "\"number\": %d, \"depth\": %d, \"written\": %d".formatted(number, depth, written);
    }

    private static String profile(RunMode mode) {
        return mode instanceof RunMode.Turns turns
                ? turns.weak().map(Profile::name).orElse("")
                : "";
    }

    @ParameterizedTest
    @MethodSource("modes")
    void whatHasEndedAProcessIsSeen(RunMode mode) throws IOException {
        DpaDevice device = DpaDevice.of(OPTIONS, mode);
        try (Watch _ = Watch.open(directory());
                HostProcess host = HostProcess.open();
                FlexioProcess process = FlexioProcess.create(host, device, LedgerStub.APP)) {
            assertThatThrownBy(() -> process.call(LedgerStub.load(new DpaAddr(8))))
                    .isInstanceOf(FlexioException.class);
            assertThat(status())
                    .contains("\"running\": false", "\"fault\": \"BAD_LOAD\"")
                    .contains("\"error\": \"Thread 'RPC' on execution unit ");
        }
    }

    /// Somebody looks while another thread of the host waits for a call.
    @ParameterizedTest
    @MethodSource("modes")
    void whoeverLooksWaitsForNoCall(RunMode mode) throws IOException {
        DpaDevice device = DpaDevice.of(OPTIONS, mode);
        try (Watch _ = Watch.open(directory());
                HostProcess host = HostProcess.open()) {
            FlexioProcess process = FlexioProcess.create(host, device, LedgerStub.APP);
            DpaAddr word = process.heap().zeros(8);
            Thread caller =
                    Thread.ofPlatform()
                            .start(() ->
                                    assertThatThrownBy(() -> process.call(LedgerStub.count(word)))
                                            .isInstanceOf(FlexioException.class));
            Eventually.until(() -> process.status().threads().getFirst().status().unit() >= 0);
            assertThat(status()).contains("\"state\": \"RUNNING\"");
            process.close();
            Eventually.until(() -> !caller.isAlive());
        }
    }

    @Test
    void aTraceOfAllDevicesIsTakenWhileTheyRun() throws IOException {
        DpaDevice fast = DpaDevice.of(OPTIONS, RunMode.fast());
        DpaDevice weak = DpaDevice.of(OPTIONS, RunMode.weak(Profile.SEED, 5));
        try (Watch _ = Watch.open(directory());
                HostProcess host = HostProcess.open();
                FlexioProcess one = FlexioProcess.create(host, fast, LedgerStub.APP);
                FlexioProcess two = FlexioProcess.create(host, weak, LedgerStub.APP)) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            Thread taker =
                    Thread.ofPlatform()
                            .start(() -> {
                                try {
                                    Watched watched = Watched.all(directory()).getFirst();
                                    Watched.Taken taken =
                                            watched.trace(Duration.ofMillis(500), out);
                                    assertThat(taken.lost()).isZero();
                                } catch (IOException e) {
                                    throw new AssertionError(e);
                                }
                            });
            while (taker.isAlive()) {
                one.call(LedgerStub.calls());
                two.call(LedgerStub.calls());
            }
            TraceFile file = TraceFile.read(out.toByteArray());
            assertThat(file.slices("unit \\d+"))
                    .extracting(slice -> slice.track().group().replaceFirst(" \\d+$", ""))
                    .contains(
                            "execution units (monotonic clock)", "execution units (virtual time)");
        }
    }

    @Test
    void aTraceThatCannotBeTakenIsRefused() throws IOException {
        DpaDevice device = DpaDevice.of(OPTIONS, RunMode.fast());
        try (Watch _ = Watch.open(directory())) {
            Watched watched = Watched.all(directory()).getFirst();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            assertThatThrownBy(() -> watched.trace(Duration.ofMinutes(11), out))
                    .isInstanceOf(IOException.class)
                    .hasMessage("a trace takes at most 600 s");
            try (dev.outboard.dpa.trace.Trace _ = device.trace()) {
                assertThatThrownBy(() -> watched.trace(Duration.ofMillis(1), out))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("is being taken already");
            }
            assertThat(out.size()).isZero();
            assertThat(watched.trace(Duration.ofMillis(1), out).events()).isZero();
        }
    }
}
