package dev.outboard.console.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.outboard.console.Execution;
import dev.outboard.console.OutboardProcess;
import java.io.IOException;
import java.net.BindException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The tools that tell each other their queue pairs over TCP and bounce messages.
class PingPongToolsTest {
    @ParameterizedTest
    @ValueSource(strings = {"0", "1", "1024", "100001"})
    void everySizeComesBackUnharmed(String bytes) {
        ToolPair run = ToolPair.run("rc-pingpong", "", "-s", bytes, "-n", "20", "-c", "-e");

        long moved = 2 * 20 * Long.parseLong(bytes);
        assertThat(run.client().out()).contains(moved + " bytes in ", "20 iters in ");
        assertThat(run.server().out()).contains(moved + " bytes in ", "20 iters in ");
    }

    @ParameterizedTest
    @CsvSource({"rc-pingpong, 256", "srq-pingpong, 4096"})
    void bothSidesUseTheMtuTheyAreTold(String tool, String mtu) {
        ToolPair run = ToolPair.run(tool, "", "-s", "9000", "-m", mtu, "-n", "20", "-c");

        assertThat(run.client().out()).contains("20 iters in ");
    }

    @Test
    void datagramsComeBackUnharmed() {
        ToolPair run = ToolPair.run("ud-pingpong", "", "-s", "1000", "-n", "20", "-c");

        assertThat(run.client().out()).contains("20 iters in ");
        assertThat(run.server().out()).contains("20 iters in ");
    }

    @Test
    void manyQueuePairsShareTheirReceives() {
        ToolPair run = ToolPair.run("srq-pingpong", "", "-q", "40", "-r", "64", "-n", "200", "-e");

        assertThat(run.client().out().lines().filter(line -> line.contains("remote address")))
                .hasSize(40);
        assertThat(run.server().out()).contains("200 iters in ");
    }

    @Test
    void packetsTravelOverIpv6() throws IOException {
        String ours = anotherIpv6Address();
        requireFree("::1");
        requireFree(ours);
        String[] options = {"-n", "20", "-s", "9000", "-c", "-e"};
        List<String> serve = new ArrayList<>(List.of("verbs", "rc-pingpong", "--bind", "::1"));
        serve.addAll(List.of("-p", "0"));
        serve.addAll(List.of(options));
        try (OutboardProcess server = OutboardProcess.start(serve.toArray(String[]::new))) {
            String port = server.awaitLine("ready at \\[.*\\]:(\\d+), .*").group(1);
            List<String> call = new ArrayList<>(List.of("verbs", "rc-pingpong", "::1"));
            call.addAll(List.of("--bind", ours, "-p", port));
            call.addAll(List.of(options));

            Execution client = Execution.ofOutboard(call.toArray(String[]::new));

            assertThat(client.exitCode()).as(client.toString()).isZero();
            assertThat(client.out()).contains("GID 0:0:0:0:0:0:0:1", "20 iters in ");
            assertThat(server.awaitEnd().exitCode()).isZero();
        }
    }

    /// Two processes need two addresses, and the loopback interface has only one.
    private static String anotherIpv6Address() throws SocketException {
        Optional<String> address =
                NetworkInterface.networkInterfaces()
                        .flatMap(NetworkInterface::inetAddresses)
                        .filter(Inet6Address.class::isInstance)
                        .filter(each -> !each.isLoopbackAddress() && !each.isLinkLocalAddress())
                        .map(each -> each.getHostAddress().replaceFirst("%.*", ""))
                        .findFirst();
        assumeThat(address).as("an IPv6 address besides ::1").isPresent();
        return address.orElseThrow();
    }

    /// Another process may have the address; nobody chooses these two.
    private static void requireFree(String address) throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            channel.bind(new InetSocketAddress(address, 4791));
        } catch (BindException e) {
            assumeThat(e).as(address + " is in use").isNull();
        }
    }
}
