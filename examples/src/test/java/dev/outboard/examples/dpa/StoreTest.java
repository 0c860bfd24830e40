package dev.outboard.examples.dpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioErrorState;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.RunningProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A store on a DPA, and clients that reach it over the network: in this process, and in others
/// that are killed.
class StoreTest {
    private static final String ROCE = "roce://auto?peer=127.0.0.1";
    private static final String LOSSY = ROCE + "&fault=loss=5%25,seed=1";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final HostProcess host = HostProcess.open();
    private final Device card = Fabric.open(ROCE);
    private final StoreServer store = open();

    private StoreServer open() {
        try {
            DpaDevice device = DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast(), card);
            StoreServer opened = new StoreServer(host, device, 0);
            Thread.ofVirtual().start(() -> serve(opened));
            return opened;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void serve(StoreServer store) {
        try {
            store.serve();
        } catch (IOException e) {
            // It is closed.
        }
    }

    private InetSocketAddress address() {
        return new InetSocketAddress(card.address(), store.port());
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        store.close();
        host.close();
        assertThat(card.counters())
                .containsEntry("open.queue-pairs", 0L)
                .containsEntry("open.memory-regions", 0L)
                .containsEntry("open.protection-domains", 0L)
                .containsEntry("open.completion-queues", 0L);
        card.close();
    }

    @Test
    void itKeepsWhatItIsTold() throws IOException, TimeoutException {
        try (Device device = Fabric.open(ROCE);
                StoreClient client = new StoreClient(device, address())) {
            assertThat(client.echo(77)).isEqualTo(77);
            assertThat(client.get(5)).isEmpty();
            assertThat(client.put(5, 50)).isTrue();
            assertThat(client.get(5)).hasValue(50);
            assertThat(client.read(5)).hasValue(50);
            assertThat(client.read(6)).isEmpty();
            client.write(5, 51);
            assertThat(client.get(5)).hasValue(51);
            assertThat(client.add(5, 9)).isEqualTo(51);
            assertThat(client.compareAndSwap(5, 1, 2)).isEqualTo(60);
            assertThat(client.compareAndSwap(5, 60, 70)).isEqualTo(60);
            assertThat(client.get(5)).hasValue(70);
        }
    }

    @Test
    void itKeepsWhatItIsToldThoughPacketsAreLost() throws IOException, TimeoutException {
        try (Device device = Fabric.open(LOSSY);
                StoreClient client = new StoreClient(device, address())) {
            for (long key = 1; key <= 300; key++) {
                assertThat(client.put(key, key)).isTrue();
                assertThat(client.add(key, key)).isEqualTo(key);
                assertThat(client.read(key)).hasValue(2 * key);
                client.write(key, 3 * key);
                assertThat(client.get(key)).hasValue(3 * key);
                assertThat(client.echo(key)).isEqualTo(key);
            }
        }
    }

    @Test
    void clientsOfOtherProcessesAreKilledAtAnyTime() throws IOException, TimeoutException {
        try (Device device = Fabric.open(ROCE);
                StoreClient client = new StoreClient(device, address())) {
            for (int round = 0; round < 3; round++) {
                long work = 200L << (2 * round);
                try (RunningProgram one = client(ROCE);
                        RunningProgram other = client(LOSSY)) {
                    one.awaitLine("connected", PATIENCE);
                    other.awaitLine("connected", PATIENCE);
                    serves(client, work);
                    assertThat(one.hasFailed()).as(one.toString()).isFalse();
                    assertThat(other.hasFailed()).as(other.toString()).isFalse();
                }
                serves(client, 100);
            }
            Eventually.until(() -> card.counters().getOrDefault("open.queue-pairs", 0L) == 1);
            assertThat(store.process().errorState().kind()).isEqualTo(FlexioErrorState.Kind.NONE);
        }
    }

    private static void serves(StoreClient client, long requests) throws TimeoutException {
        for (long word = 1; word <= requests; word++) {
            assertThat(client.echo(word)).isEqualTo(word);
        }
    }

    private RunningProgram client(String device) throws IOException {
        return java(
                StoreClient.class,
                device,
                card.address().getHostAddress(),
                Integer.toString(store.port()));
    }

    private static RunningProgram java(Class<?> program, String... arguments) throws IOException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                program.getName()));
        command.addAll(List.of(arguments));
        return new RunningProgram(program.getSimpleName(), new ProcessBuilder(command).start());
    }

    /// The host process of a DPA is killed while it serves: its client learns of it, and another
    /// one takes its place at the same address at once.
    @Test
    @Requirement({"DPA-SYS-2", "DPA-SYS-3"})
    void nothingIsLeftOfAHostThatIsKilled() throws IOException, TimeoutException {
        String address = freeAddress();
        for (int life = 1; life <= 2; life++) {
            try (RunningProgram server = java(StoreProgram.class, "roce://" + address);
                    Device device = Fabric.open(ROCE)) {
                int port = Integer.parseInt(server.awaitLine("port ([0-9]+)", PATIENCE).group(1));
                InetSocketAddress there = new InetSocketAddress(address, port);
                try (StoreClient client = new StoreClient(device, there)) {
                    assertThat(client.get(7)).as("life %d", life).isEmpty();
                    assertThat(client.put(7, life)).isTrue();
                    server.kill();
                    assertThatThrownBy(() -> client.get(7))
                            .hasMessageContaining("the peer does not answer");
                }
            }
        }
    }

    private static String freeAddress() {
        try (Device device = Fabric.open(ROCE)) {
            return device.address().getHostAddress();
        }
    }

    /// A store in a process of its own.
    static final class StoreProgram {
        private StoreProgram() {}

        public static void main(String[] arguments) throws IOException {
            try (Device card = Fabric.open(arguments[0]);
                    HostProcess host = HostProcess.open();
                    StoreServer store =
                            new StoreServer(
                                    host,
                                    DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast(), card),
                                    0)) {
                System.out.println("port " + store.port());
                store.serve();
            }
        }
    }
}
