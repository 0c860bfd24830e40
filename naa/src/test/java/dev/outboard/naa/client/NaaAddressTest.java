package dev.outboard.naa.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// How users write where an NAA listens.
class NaaAddressTest {
    @ParameterizedTest
    @CsvSource({
        "127.0.0.2, 127.0.0.2, 12345, 127.0.0.2:12345",
        "node7:4000, node7, 4000, node7:4000",
        "[fd00::7]:65535, fd00::7, 65535, [fd00::7]:65535",
        "[::1], ::1, 12345, [::1]:12345",
        "::1, ::1, 12345, [::1]:12345",
        "fe80::1%eth0, fe80::1%eth0, 12345, [fe80::1%eth0]:12345"
    })
    void readsWhatUsersWrite(String text, String host, int port, String written) {
        NaaAddress address = NaaAddress.parse(text);

        assertThat(address).isEqualTo(new NaaAddress(host, port));
        assertThat(address).hasToString(written);
        assertThat(NaaAddress.parse(written)).isEqualTo(address);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", ":1", "a:", "a:x", "node:1:2", "a:123456", "[::1", "[]:1", "[::1]1"})
    void refusesWhatIsNone(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NaaAddress.parse(text))
                .withMessageContaining("'" + text + "' is not an address");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a:0", "a:65536"})
    void refusesPortsThatDoNotExist(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NaaAddress.parse(text))
                .withMessageContaining("valid: 1 to 65535");
    }
}
