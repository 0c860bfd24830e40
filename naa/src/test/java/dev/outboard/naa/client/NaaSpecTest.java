package dev.outboard.naa.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.outboard.naa.NaaConnectException;
import dev.outboard.naa.client.NaaSpec.Item;
import dev.outboard.testkit.Requirement;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What `NAA_SPEC` may say, and which NAA is taken from it.
class NaaSpecTest {
    @Test
    @Requirement("NAA-MW-13")
    void readsItemsInOrder() {
        NaaSpec spec = NaaSpec.parse("10.0.0.7:4000:10:2,naa.example::1:0, 10.0.0.8:12345:255:31");

        assertThat(spec.items())
                .containsExactly(
                        new Item("10.0.0.7", 4000, 10, 2),
                        new Item("naa.example", 12345, 1, 0),
                        new Item("10.0.0.8", 12345, 255, 31));
        assertThat(spec.warnings()).isEmpty();
    }

    @Test
    @Requirement({"NAA-MW-13", "NAA-MW-17"})
    void readsTheEnvironment() {
        NaaSpec spec = NaaSpec.of(Map.of("NAA_SPEC", "a:1:2:3", "NAA_LOCAL_IP", "10.0.0.1"));

        assertThat(spec.items()).containsExactly(new Item("a", 1, 2, 3));
        assertThat(spec.localAddress()).contains("10.0.0.1");
        assertThat(NaaSpec.of(Map.of("NAA_LOCAL_IP", "")).localAddress()).isEmpty();
        assertThat(NaaSpec.of(Map.of()).localAddress()).isEmpty();
    }

    @Test
    @Requirement("NAA-MW-18")
    void readsIpv6AddressesInBrackets() {
        NaaSpec spec = NaaSpec.parse("[fd00::7]:4000:10:2,[::1]::1:1");

        assertThat(spec.items())
                .containsExactly(new Item("fd00::7", 4000, 10, 2), new Item("::1", 12345, 1, 1));
        assertThat(spec.items()).extracting(Item::toString).contains("[fd00::7]:4000:10:2");
    }

    @ParameterizedTest
    @CsvSource({
        "a:1:2, expected address",
        "a:1:2:3:4, expected address",
        "a:b:2:3, expected address",
        "a:1:0x2:3, expected address",
        "a:1:-2:3, expected address",
        "a:1::3, expected address",
        "a:1:2:, expected address",
        ":1:2:3, expected address",
        "fd00::7:1:2:3, expected address",
        "[]:1:2:3, expected address",
        "a:0:2:3, the port is not in 1 to 65535",
        "a:65536:2:3, the port is not in 1 to 65535",
        "a:99999999999:2:3, the port is not in 1 to 65535",
        "a:1:0:3, the function code is not in 1 to 255",
        "a:1:256:3, the function code is not in 1 to 255",
        "a:1:2:256, the parameter count is not in 0 to 255"
    })
    @Requirement("NAA-MW-14")
    void skipsWhatIsMalformedAndSaysSo(String item, String why) {
        NaaSpec spec = NaaSpec.parse("good:1:2:3," + item + ",fine:4:5:6");

        assertThat(spec.items())
                .containsExactly(new Item("good", 1, 2, 3), new Item("fine", 4, 5, 6));
        assertThat(spec.warnings())
                .singleElement()
                .asString()
                .contains("'" + item + "' is skipped")
                .contains(why);
    }

    @Test
    @Requirement("NAA-MW-14")
    void saysWhyThereIsNoNaa() {
        assertThat(whyNone(NaaSpec.of(Map.of()), 1)).contains("NAA_SPEC is not set");
        assertThat(whyNone(NaaSpec.parse("rubbish,a:1"), 1))
                .contains("item 'rubbish'")
                .contains("item 'a:1'");
        assertThat(whyNone(NaaSpec.parse("a:1:2:3"), 1))
                .contains("function 1")
                .contains("offers only a:1:2:3");
    }

    private static String whyNone(NaaSpec spec, int functionCode) {
        NaaConnectException failure =
                catchThrowableOfType(NaaConnectException.class, () -> spec.take(functionCode));
        assertThat(failure.reason()).isEqualTo(NaaConnectException.Reason.NO_NAA);
        return String.valueOf(failure.getMessage());
    }

    @Test
    @Requirement("NAA-MW-15")
    void takesTheFirstThatOffersTheFunctionAndIsFree() {
        NaaSpec spec = NaaSpec.parse("a:1:7:1,b:1:8:1,c:1:7:1,c:1:7:1");

        Item first = spec.take(7);
        assertThat(first.host()).isEqualTo("a");
        Item second = spec.take(7);
        assertThat(second.host()).isEqualTo("c");
        assertThat(spec.take(7)).isEqualTo(second);
        assertThat(whyNone(spec, 7)).contains("all are in use").contains("a:1:7:1, c:1:7:1");
        assertThat(spec.take(8).host()).isEqualTo("b");
        spec.release(first);
        assertThat(spec.take(7)).isSameAs(first);
    }
}
