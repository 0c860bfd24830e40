package dev.outboard.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.Finding;
import dev.outboard.fabric.roce.wire.PathMtu;
import dev.outboard.fabric.sim.network.NetworkFaults;
import dev.outboard.fabric.spi.DeviceUri;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SimOptionsTest {
    private static SimOptions of(String uri) {
        return SimOptions.of(DeviceUri.parse(uri));
    }

    @Test
    void withoutOptionsTheNetworkIsFastAndLosesNothing() {
        SimOptions plain = of("sim://lab/10.0.0.1");

        assertThat(plain.network()).isEqualTo("lab");
        assertThat(plain.address().getHostAddress()).isEqualTo("10.0.0.1");
        assertThat(plain.name()).isEqualTo("sim://lab/10.0.0.1");
        assertThat(plain.pathMtu()).isEqualTo(PathMtu.MTU_4096);
        assertThat(plain.ofNetwork().clock()).isEqualTo(SimClock.VIRTUAL);
        assertThat(plain.ofNetwork().seed()).isZero();
        assertThat(plain.ofNetwork().faults().delayNanos()).isEqualTo(1_000);
        assertThat(plain.ofNetwork().faults().bitsPerSecond()).isEqualTo(100_000_000_000L);
        assertThat(plain.ofNetwork().faults().loss()).isZero();
    }

    @Test
    void optionsSayWhatTheNetworkIsLike() {
        SimOptions options =
                of(
                        "sim://lab/fd00::1?seed=-7&clock=stepped&latency=2ms&jitter=3us"
                                + "&bandwidth=25Gbit&loss=1%25&duplicate=2%25&reorder=3%25"
                                + "&corrupt=0.5%25&inbox=64&mtu=1024");

        NetworkFaults faults = options.ofNetwork().faults();
        assertThat(options.name()).isEqualTo("sim://lab/fd00:0:0:0:0:0:0:1");
        assertThat(options.ofNetwork().seed()).isEqualTo(-7);
        assertThat(options.ofNetwork().clock()).isEqualTo(SimClock.STEPPED);
        assertThat(options.pathMtu()).isEqualTo(PathMtu.MTU_1024);
        assertThat(faults.delayNanos()).isEqualTo(2_000_000);
        assertThat(faults.jitterNanos()).isEqualTo(3_000);
        assertThat(faults.bitsPerSecond()).isEqualTo(25_000_000_000L);
        assertThat(faults.loss()).isEqualTo(0.01);
        assertThat(faults.duplication()).isEqualTo(0.02);
        assertThat(faults.reordering()).isEqualTo(0.03);
        assertThat(faults.corruption()).isEqualTo(0.005);
        assertThat(faults.inboxDatagrams()).isEqualTo(64);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sim://lab                      | expected sim://NETWORK/ADDRESS",
                "sim://lab/                     | expected sim://NETWORK/ADDRESS",
                "sim://lab/host                 | address=host: expected an IP address",
                "sim://lab/300.1.1.1            | address=300.1.1.1: expected an IP address",
                "sim://lab/10.0.0.1?sed=1       | unknown option 'sed'; valid: [bandwidth, clock,",
                "sim://lab/10.0.0.1?seed=x      | seed=x: expected an integer",
                "sim://lab/10.0.0.1?clock=wall  | clock=wall: expected one of [virtual, real,",
                "sim://lab/10.0.0.1?latency=5   | latency=5: expected a time such as 20us",
                "sim://lab/10.0.0.1?bandwidth=9 | bandwidth=9: expected bits per second such as",
                "sim://lab/10.0.0.1?loss=101%25 | loss=101%: at most 100% is possible",
                "sim://lab/10.0.0.1?inbox=0     | inbox=0: expected 1 to 9999999 packets",
                "sim://lab/10.0.0.1?role=switch | role=switch: expected host or dpu",
                "sim://lab/10.0.0.1?functions=  | functions=: expected vf:ADDRESS or sf:ADDRESS",
                "sim://lab/10.0.0.1?functions=vf | functions=vf: expected an IP address",
                "sim://lab/10.0.0.1?functions=pf:10.0.0.2 | functions=pf:10.0.0.2: expected vf:",
                "sim://lab/10.0.0.1?functions=sf:10.0.0.1 | functions=sf:10.0.0.1: another",
                "sim://lab/10.0.0.1?functions=vf:10.0.0.2,sf:10.0.0.2 | functions=sf:10.0.0.2: a",
                "sim://lab/10.0.0.1?mtu=1500    | mtu=1500: expected 256, 512, 1024, 2048 or 4096",
            })
    void whatIsWrongIsNamedWithWhatWouldBeRight(String uri, String message) {
        assertThatThrownBy(() -> Fabric.open(uri))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.BAD_URI))
                .hasMessageContaining(message);
    }

    @Test
    void aCardHasSoManyFunctionsAtMost() {
        String most = functions(63);
        assertThat(of("sim://lab/10.0.0.1?functions=" + most).functions()).hasSize(63);
        assertThatThrownBy(() -> of("sim://lab/10.0.0.1?functions=" + functions(64)))
                .hasMessageContaining("functions=64 functions: expected at most 63");
        assertThat(Fabric.limits("sim://lab/10.0.0.1").maxFunctions()).isEqualTo(64);
    }

    private static String functions(int count) {
        return IntStream.range(0, count)
                .mapToObj("vf:10.0.1.%d"::formatted)
                .collect(Collectors.joining(","));
    }

    @Test
    void theFirstDeviceDecidesAboutTheNetwork() {
        try (Device first = Fabric.open("sim://options/10.0.0.1?seed=1");
                Device same = Fabric.open("sim://options/10.0.0.2?seed=1&mtu=1024");
                Device none = Fabric.open("sim://options/10.0.0.3")) {
            assertThat(SimNetwork.of(none)).isSameAs(SimNetwork.of(first));
            assertThat(same.limits().pathMtuBytes()).isEqualTo(1024);
            assertThatThrownBy(() -> Fabric.open("sim://options/10.0.0.4?seed=2"))
                    .hasMessageContaining("the network options is there already, with {seed=1}")
                    .hasMessageContaining("{seed=2}");
        }
        try (Device later = Fabric.open("sim://options/10.0.0.1?seed=2")) {
            assertThat(SimNetwork.of(later).nowNanos()).isZero();
        }
    }

    @Test
    void anAddressServesOneDevice() {
        try (Device _ = Fabric.open("sim://taken/10.0.0.1");
                Device elsewhere = Fabric.open("sim://other/10.0.0.1")) {
            assertThat(elsewhere.name()).isEqualTo("sim://other/10.0.0.1");
            assertThatThrownBy(() -> Fabric.open("sim://taken/10.0.0.1"))
                    .isInstanceOfSatisfying(
                            FabricException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.ADDRESS_IN_USE))
                    .hasMessageContaining("take another address");
        }
    }

    @Test
    void whatIsKnownOfADeviceNeedsNoDevice() {
        assertThat(Fabric.describe("sim://lab/10.0.0.1?seed=3").uri())
                .isEqualTo("sim://lab/10.0.0.1?seed=3");
        assertThat(Fabric.limits("sim://lab/10.0.0.1?mtu=256").pathMtuBytes()).isEqualTo(256);
        List<Finding> findings =
                Fabric.diagnose("sim://lab/10.0.0.1?role=dpu&functions=sf:10.0.0.2");
        assertThat(findings).extracting(Finding::verdict).containsOnly(Finding.Verdict.OK);
        assertThat(findings.getLast().toString())
                .contains("role=DPU", "1 (sub, sim://lab/10.0.0.2)");
    }

    @Test
    void anotherProvidersDeviceIsOnNoSimulatedNetwork() {
        try (Device live = Fabric.open("roce://auto?peer=127.0.0.1")) {
            assertThatThrownBy(() -> SimNetwork.of(live))
                    .hasMessageContaining("roce://127.")
                    .hasMessageContaining("valid: a device of sim://");
        }
    }
}
