package dev.outboard.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.spi.DeviceUri;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Which devices there are, and how users that do not know of each other share one.
class DevicesTest {
    private static final String ANY = "roce://auto?peer=127.0.0.1";

    private final String address = freeAddress();
    private final String uri = "roce://" + address;

    @Test
    void usersOfOneAddressShareADeviceUntilTheLastIsDone() {
        Devices.Share first = Devices.share(uri);
        Devices.Share second = Devices.share(uri);
        assertThat(second.device()).isSameAs(first.device());

        first.close();
        first.close();
        assertThat(second.device().isOpen()).isTrue();
        second.close();
        assertThat(second.device().isOpen()).isFalse();

        try (Devices.Share later = Devices.share(uri)) {
            assertThat(later.device()).isNotSameAs(first.device());
        }
    }

    @Test
    void anAddressIsTheSameHoweverItIsWritten() {
        String mapped = "roce://[::ffff:" + address + "]";
        try (Devices.Share first = Devices.share(uri);
                Devices.Share second = Devices.share(mapped)) {
            assertThat(second.device()).isSameAs(first.device());
        }
    }

    @Test
    void oneThatDrawsItsAddressIsSharedByThoseWhoNameItAlike() {
        try (Devices.Share first = Devices.share(ANY + "&icrc=strict");
                Devices.Share second = Devices.share("roce://auto?icrc=strict&peer=127.0.0.1");
                Devices.Share other = Devices.share(ANY + "&icrc=off")) {
            assertThat(second.device()).isSameAs(first.device());
            assertThat(other.device()).isNotSameAs(first.device());
        }
    }

    @Test
    void oneThatHasDrawnItsAddressIsSharedByThoseWhoNameThat() {
        Device device;
        try (Devices.Share drawn = Devices.share(ANY + "&icrc=strict")) {
            device = drawn.device();
            String name = device.name();
            try (Devices.Share named = Devices.share(name + "?icrc=strict")) {
                assertThat(named.device()).isSameAs(device);
            }
            assertThat(device.isOpen()).isTrue();
            assertRefused(name, name + "?icrc=strict already");
        }
        try (Devices.Share later = Devices.share(ANY + "&icrc=strict")) {
            assertThat(later.device()).isNotSameAs(device);
            assertThat(later.device().isOpen()).isTrue();
        }
    }

    @Test
    void anotherAddressIsDrawnForThoseWhoWantIt() {
        Devices.Share first = Devices.shareAnother(ANY);
        Devices.Share second = Devices.shareAnother(ANY);
        try (Devices.Share common = Devices.share(ANY)) {
            assertThat(Set.of(first.device(), second.device(), common.device())).hasSize(3);
        }
        Devices.Share named = Devices.share(first.device().name());
        assertThat(named.device()).isSameAs(first.device());
        first.close();
        assertThat(named.device().isOpen()).isTrue();
        named.close();
        assertThat(named.device().isOpen()).isFalse();
        second.close();
        assertThat(second.device().isOpen()).isFalse();
    }

    @Test
    void whereNothingIsDrawnThereIsNoOther() {
        try (Devices.Share first = Devices.share(uri);
                Devices.Share second = Devices.shareAnother(uri)) {
            assertThat(second.device()).isSameAs(first.device());
        }
    }

    @Test
    void otherOptionsAreRefusedWhileItIsOpen() {
        try (Devices.Share share = Devices.share(uri + "?icrc=strict")) {
            assertRefused(uri, uri + "?icrc=strict already", "open it as " + uri + " as well");
            assertThat(share.device().isOpen()).isTrue();
        }
        Devices.share(uri).close();
    }

    @Test
    void aDeviceThatSomebodyHasForHimselfIsNotShared() {
        try (Device own = Fabric.open(uri)) {
            assertRefused(uri, address);
            assertThat(own.isOpen()).isTrue();
        }
        Devices.share(uri).close();
    }

    @Test
    void aDeviceIsDescribedWithoutBeingOpened() {
        assertThat(Fabric.describe("roce://127.0.0.9?fault=loss=1%25&capture=a%20b"))
                .isEqualTo(
                        new DeviceInfo(
                                "roce://127.0.0.9?capture=a+b&fault=loss%3D1%25",
                                Optional.of(InetAddress.ofLiteral("127.0.0.9")), false));
        assertThat(Fabric.describe(ANY))
                .isEqualTo(
                        new DeviceInfo(ANY, Optional.of(InetAddress.ofLiteral("127.0.0.1")), true));
        assertThat(Fabric.describe("roce://auto").address()).as("nobody to reach").isEmpty();
        assertThat(Fabric.describe("roce://no.such.host.invalid").address()).isEmpty();
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(() -> Fabric.describe("ibv://mlx5_0"))
                .extracting(FabricException::reason)
                .isEqualTo(Reason.NO_PROVIDER);
    }

    @Test
    void theWayToAPeerNamesADevice() {
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.9");
        assertThat(Fabric.at(loopback).uri()).isEqualTo("roce://127.0.0.9");
        assertThat(Fabric.towards(loopback)).isEqualTo(Fabric.describe(ANY));
        InetAddress ipv6 = InetAddress.ofLiteral("2001:db8::1");
        assertThat(Fabric.at(ipv6).uri()).isEqualTo("roce://[2001:db8:0:0:0:0:0:1]");
    }

    @Test
    void everyAddressOfTheMachineIsADevice() throws Exception {
        List<InetAddress> expected = new ArrayList<>();
        for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
            if (each.isUp() && !each.isLoopback()) {
                each.inetAddresses().filter(a -> !a.isLinkLocalAddress()).forEach(expected::add);
            }
        }
        List<DeviceInfo> devices = Fabric.devices();
        assertThat(devices.getFirst()).isEqualTo(Fabric.describe(ANY));
        assertThat(devices.stream().skip(1).map(info -> info.address().orElseThrow()))
                .containsExactlyElementsOf(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "roce://127.0.0.2",
                "roce://[fe80:0:0:0:0:0:0:1%eth0]",
                "roce://auto?peer=10.0.0.7&capture=%2Ftmp%2Fa+b.pcapng",
                "shm://name"
            })
    void aUriIsWrittenAsItIsRead(String text) {
        assertThat(DeviceUri.parse(text)).hasToString(text);
        assertThat(DeviceUri.parse(text).with(Map.of()).toString()).doesNotContain("?");
    }

    private static void assertRefused(String uri, String... messages) {
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(() -> Devices.share(uri))
                .satisfies(e -> assertThat(e).hasMessageContainingAll(messages))
                .extracting(FabricException::reason)
                .isEqualTo(Reason.ADDRESS_IN_USE);
    }

    private static String freeAddress() {
        try (Device device = Fabric.open(ANY)) {
            return device.address().getHostAddress();
        }
    }
}
