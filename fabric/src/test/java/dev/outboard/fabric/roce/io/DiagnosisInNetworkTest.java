package dev.outboard.fabric.roce.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// What a diagnosis says about networks that are not in order: those of a namespace of our own.
class DiagnosisInNetworkTest {
    private static final List<String> SHELL = new ArrayList<>();

    @BeforeAll
    static void makeSureThereCanBeANetwork() throws InterruptedException {
        SHELL.addAll(List.of("unshare", "--net", "sh", "-ec"));
        if (!"root".equals(System.getProperty("user.name"))) {
            SHELL.addAll(1, List.of("--user", "--map-root-user"));
        }
        ChildJvm.assume(
                ChildJvm.join(SHELL, List.of(network(1500))),
                "no network of our own can be made here");
    }

    @Test
    @Requirement("ROCE-PKT-9")
    void failsWhenTheMtuIsTooSmallForRoce() throws Exception {
        assertThat(findings(340, "roce://10.77.0.1"))
                .anyMatch(line ->
                        line.matches("FAIL\\|MTU\\|.*340 bytes is too small.*\\|.*ip link set.*"));
    }

    @Test
    @Requirement("ROCE-PKT-9")
    void warnsWhenPacketsCarryLittle() throws Exception {
        assertThat(findings(700, "roce://10.77.0.1"))
                .anyMatch(line -> line.matches("WARN\\|MTU\\|IP 700 bytes.* carry 512\\|.*"));
    }

    /// The interface carries more than the route: RoCE takes the interface's word.
    @Test
    void failsWhenTheRouteCarriesLessThanTheInterface() throws Exception {
        assertThat(
                        findings(
                                1500,
                                "roce://10.77.0.1?peer=10.99.0.1",
                                "ip route add 10.99.0.0/16 via 10.77.0.2 mtu 600"))
                .anyMatch(line -> line.matches("FAIL\\|route\\|packets with 1024 bytes.*"));
    }

    @Test
    void failsWhenThereIsNoRouteToThePeer() throws Exception {
        assertThat(findings(1500, "roce://auto?peer=203.0.113.7"))
                .anyMatch(line -> line.matches("FAIL\\|peer\\|no route to 203.0.113.7.*"));
        assertThat(findings(1500, "roce://10.77.0.1?peer=203.0.113.7"))
                .anyMatch(line -> line.matches("FAIL\\|route\\|no way from 10.77.0.1 to 203.*"));
    }

    private static String network(int mtu, String... more) {
        List<String> commands =
                new ArrayList<>(
                        List.of(
                                "ip link set lo up",
                                "ip link add veth0 type veth peer name veth1",
                                "ip link set veth0 mtu " + mtu,
                                "ip address add 10.77.0.1/24 dev veth0",
                                "ip link set veth0 up",
                                "ip link set veth1 up"));
        commands.addAll(List.of(more));
        return String.join(" && ", commands);
    }

    private static List<String> findings(int mtu, String uri, String... more) throws Exception {
        String program =
                String.join(
                        " ",
                        ChildJvm.command(
                                DiagnosisProgram.class,
                                ChildJvm.classPathOf(UdpSocket.class, DiagnosisProgram.class)));
        return ChildJvm.run(
                ChildJvm.join(
                        SHELL,
                        List.of(network(mtu, more) + " && exec " + program + " '" + uri + "'")));
    }
}
