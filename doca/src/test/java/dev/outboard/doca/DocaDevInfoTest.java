package dev.outboard.doca;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DocaDevInfoTest {
    @Test
    @Requirement("DCORE-DEV-1")
    void listsLoopbackFirstAndThenEachAddressOfEachInterfaceThatIsUp() throws Exception {
        List<InetAddress> expected = new ArrayList<>();
        for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
            if (each.isUp() && !each.isLoopback()) {
                each.inetAddresses().filter(a -> !a.isLinkLocalAddress()).forEach(expected::add);
            }
        }
        List<DocaDevInfo> all = DocaDevInfo.list();
        assertThat(all.getFirst().ipv4().isLoopbackAddress()).isTrue();
        assertThat(all.stream().skip(1).map(info -> addressIn(info.uri())))
                .containsExactlyElementsOf(
                        expected.stream()
                                .map(a -> a.getHostAddress().replaceAll("%.*", ""))
                                .toList());
        try (DocaDev dev = DocaDev.open(all.getFirst())) {
            assertThat(dev.protectionDomain().device().address().isLoopbackAddress()).isTrue();
        }
    }

    @Test
    @Requirement("DCORE-DEV-2")
    void answersWhatIsKnownOfTheDevice() throws Exception {
        DocaDevInfo info = DocaDevInfo.of("roce://127.0.0.9?fault=loss=1%25");
        assertThat(info.ibdevName()).isEqualTo("roce://127.0.0.9");
        assertThat(info.ipv4()).isEqualTo(InetAddress.ofLiteral("127.0.0.9"));
        assertThat(info.ifaceName())
                .isEqualTo(
                        NetworkInterface.getByInetAddress(InetAddress.ofLiteral("127.0.0.1"))
                                .getName());
        DocaDevInfo six = DocaDevInfo.of("roce://[2001:db8::1]");
        assertThat(six.ipv6()).isEqualTo(InetAddress.ofLiteral("2001:db8::1"));
        assertRefused(DocaError.NOT_SUPPORTED, info::ipv6, "127.0.0.9", "IPv6");
        assertRefused(DocaError.NOT_SUPPORTED, six::ipv4, "IPv4");
    }

    @Test
    @Requirement("DCORE-DEV-2")
    void answersNotSupportedForWhatALoopbackRoceDeviceDoesNotHave() {
        DocaDevInfo info = TestDevices.loopback();
        assertRefused(DocaError.NOT_SUPPORTED, info::lid, "LID");
        assertRefused(DocaError.NOT_SUPPORTED, info::pciAddress, "PCI");
        assertRefused(DocaError.NOT_SUPPORTED, info::mac, "MAC");
    }

    @Test
    @Requirement("DCORE-DEV-2")
    void givesTheHardwareAddressOfAnInterfaceThatHasOne() throws Exception {
        for (DocaDevInfo info : DocaDevInfo.list().subList(1, DocaDevInfo.list().size())) {
            byte[] expected = NetworkInterface.getByName(info.ifaceName()).getHardwareAddress();
            if (expected == null) {
                assertRefused(DocaError.NOT_SUPPORTED, info::mac, info.ibdevName());
            } else {
                assertThat(info.mac()).isEqualTo(expected);
            }
        }
    }

    @Test
    @Requirement("DCORE-DEV-7")
    void hasNoEnvironmentsWithoutAModuleThatProvidesThem() {
        assertThat(TestDevices.loopback().environments()).isEmpty();
    }

    @Test
    @Requirement("DCORE-DEV-8")
    void findsTheFirstDeviceOfANameThatSupportsWhatIsAsked() {
        List<DocaDevInfo> all = DocaDevInfo.list();
        assertThat(DocaDevInfo.find("")).isEqualTo(all.getFirst());
        assertThat(DocaDevInfo.find("", info -> info.equals(all.getLast())))
                .isEqualTo(all.getLast());
        assertThat(DocaDevInfo.find(all.getFirst().ifaceName())).isEqualTo(all.getFirst());
        assertThat(DocaDevInfo.find(all.getLast().ibdevName())).isEqualTo(all.getLast());
        assertRefused(
                DocaError.NOT_FOUND,
                () -> DocaDevInfo.find("mlx5_0"),
                "'mlx5_0'",
                all.getFirst().toString());
        assertRefused(DocaError.NOT_FOUND, () -> DocaDevInfo.find("", info -> false));
    }

    @Test
    @Requirement("DCORE-DEV-5")
    void asksWithoutOpeningTheDevice() {
        DocaDevInfo info = DocaDevInfo.of("roce://127.0.0.9");
        info.ifaceName();
        assertThat(Mmap.isExportPciSupported(info)).isFalse();
        assertThat(OpenDevice.isOpen(info)).isFalse();
    }

    @Test
    void refusesWhatIsNoUri() {
        assertRefused(
                DocaError.INVALID_VALUE, () -> DocaDevInfo.of("127.0.0.1"), "scheme://device");
    }

    @Test
    void infosOfOneAddressAreEqualAndThoseOfDrawnOnesAreNot() {
        assertThat(DocaDevInfo.of("roce://127.0.0.9"))
                .isEqualTo(DocaDevInfo.of("roce://127.0.0.9"))
                .hasSameHashCodeAs(DocaDevInfo.of("roce://127.0.0.9"))
                .isNotEqualTo(DocaDevInfo.of("roce://127.0.0.8"));
        assertThat(TestDevices.loopback()).isNotEqualTo(TestDevices.loopback());
        assertThat(DocaDevInfo.list()).isEqualTo(DocaDevInfo.list());
        assertThat(DocaDevInfo.list().getFirst()).isNotEqualTo(TestDevices.loopback());
        assertThat(TestDevices.loopback()).isNotEqualTo(DocaDevInfo.list().getFirst());
    }

    private static String addressIn(String uri) {
        return uri.replaceAll("roce://|[\\[\\]]", "");
    }
}
