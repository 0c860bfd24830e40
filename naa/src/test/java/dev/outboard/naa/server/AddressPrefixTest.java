package dev.outboard.naa.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.outboard.testkit.Requirement;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressPrefixTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.255.255.255, 11.0.0.0",
        "10.0.0.0/8, 10.0.0.0, 9.255.255.255",
        "192.0.2.128/25, 192.0.2.128, 192.0.2.127",
        "192.0.2.8/29, 192.0.2.15, 192.0.2.16",
        "192.0.2.1/32, 192.0.2.1, 192.0.2.2",
        "192.0.2.1, 192.0.2.1, 192.0.2.0",
        "0.0.0.0/0, 255.255.255.255, ::1",
        "::/0, 2001:db8::1, 192.0.2.1",
        "::1/128, ::1, ::2",
        "2001:db8::/33, 2001:db8:7fff::1, 2001:db8:8000::",
    })
    @Requirement("NAA-ROB-4")
    void containsTheAddressesThatBeginAlike(String prefix, String inside, String outside) {
        AddressPrefix network = AddressPrefix.parse(prefix);

        assertThat(network.contains(InetAddress.ofLiteral(inside))).isTrue();
        assertThat(network.contains(InetAddress.ofLiteral(outside))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "/8",
                "10.0.0.0/",
                "10.0.0.0/33",
                "10.0.0.0/-1",
                "10.0.0.0/8/8",
                "10.0.0.1/8",
                "::1/129",
                "::1/127",
                "localhost",
                "10.0.0.0/x",
                "10.0.0.128/24"
            })
    void refusesWhatIsNoNetwork(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AddressPrefix.parse(text))
                .withMessageStartingWith("'" + text + "' is not a network; valid are");
    }

    @Test
    void isWrittenAsItIsRead() {
        assertThat(AddressPrefix.parse("10.0.0.0/8")).hasToString("10.0.0.0/8");
        assertThat(AddressPrefix.parse("192.0.2.1")).hasToString("192.0.2.1/32");
    }
}
