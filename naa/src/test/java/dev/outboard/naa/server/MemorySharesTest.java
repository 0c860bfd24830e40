package dev.outboard.naa.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.naa.server.MemoryShares.Answer;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

/// How much memory the clients at one address get, and what counts as one address.
class MemorySharesTest {
    private static final Origin NEAR = origin("127.0.0.1");
    private static final Origin FAR = origin("192.0.2.1");
    private static final Origin FARTHER = origin("192.0.2.2");

    private static Origin origin(String address) {
        return Origin.of(InetAddress.ofLiteral(address));
    }

    private static MemoryShares shares(ServerOptions.Builder options) {
        return new MemoryShares(options.maxTotalBytes(100).build());
    }

    @Test
    void anAddressGetsThreeQuartersAndThisMachineAll() {
        MemoryShares shares = shares(ServerOptions.builder());

        assertThat(shares.take(FAR, 76)).isEqualTo(Answer.ADDRESS_USED);
        assertThat(shares.take(FAR, 75)).isEqualTo(Answer.GRANTED);
        assertThat(shares.take(FAR, 1)).isEqualTo(Answer.ADDRESS_USED);
        assertThat(shares.take(FARTHER, 26)).isEqualTo(Answer.ALL_USED);
        assertThat(shares.take(FARTHER, 25)).isEqualTo(Answer.GRANTED);
        assertThat(shares.used()).isEqualTo(100);
        shares.giveBack(FAR, 75);
        shares.giveBack(FARTHER, 25);
        assertThat(shares.used()).isZero();
        assertThat(shares.take(NEAR, 100)).isEqualTo(Answer.GRANTED);
    }

    @Test
    void aShareThatIsSetHoldsOnThisMachineToo() {
        MemoryShares shares = shares(ServerOptions.builder().maxAddressBytes(10));

        assertThat(shares.take(NEAR, 11)).isEqualTo(Answer.ADDRESS_USED);
        assertThat(shares.take(NEAR, 6)).isEqualTo(Answer.GRANTED);
        assertThat(shares.take(NEAR, 5)).isEqualTo(Answer.ADDRESS_USED);
        shares.giveBack(NEAR, 6);
        assertThat(shares.take(NEAR, 10)).isEqualTo(Answer.GRANTED);
    }

    @Test
    void moreThanALongCanHoldIsTooMuch() {
        MemoryShares shares = shares(ServerOptions.builder());
        shares.take(NEAR, 50);

        assertThat(shares.take(NEAR, Long.MAX_VALUE)).isEqualTo(Answer.ALL_USED);
        assertThat(shares.used()).isEqualTo(50);
    }

    @Test
    void aHostOfIpv6IsItsNetwork() {
        assertThat(origin("2001:db8:1:2:3:4:5:6"))
                .isEqualTo(origin("2001:db8:1:2::1"))
                .hasSameHashCodeAs(origin("2001:db8:1:2::1"))
                .isNotEqualTo(origin("2001:db8:1:3::1"))
                .hasToString("2001:db8:1:2:3:4:5:6/64");
        assertThat(origin("192.0.2.1")).isNotEqualTo(origin("192.0.2.2")).hasToString("192.0.2.1");
        assertThat(origin("::1").isLoopback()).isTrue();
        assertThat(origin("127.9.9.9").isLoopback()).isTrue();
        assertThat(FAR.isLoopback()).isFalse();
    }
}
