package dev.outboard.fabric.roce.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RouteTest {
    @Test
    void betweenAddressesOfTheMachineThereIsAWay() {
        assertThat(problem("127.0.0.2", "127.0.0.3")).isEmpty();
        assertThat(Route.localAddressTowards(address("127.0.0.1"))).isEqualTo(address("127.0.0.1"));
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1, 0.0.0.0", "127.0.0.1, 224.0.0.1", "::1, ::", "::1, ff02::1"})
    void whatStandsForManyHostsIsNoDestination(String local, String remote) {
        assertThat(problem(local, remote))
                .isEqualTo(address(remote).getHostAddress() + " is not the address of one host");
    }

    @Test
    void noWayLeadsFromOneIpVersionToTheOther() {
        assertThat(problem("127.0.0.1", "fd77::1"))
                .isEqualTo(
                        "no way from 127.0.0.1 to fd77:0:0:0:0:0:0:1: one is IPv4, the other IPv6");
    }

    @ParameterizedTest
    @CsvSource({"203.0.113.7, 127.0.0.1", "127.0.0.1, 203.0.113.7"})
    void theSystemTellsWhyThereIsNone(String local, String remote) {
        assertThat(problem(local, remote))
                .startsWith("no way from " + local + " to " + remote + ": ")
                .doesNotEndWith(": ");
    }

    private static String problem(String local, String remote) {
        return Route.problem(address(local), address(remote));
    }

    private static InetAddress address(String text) {
        return InetAddress.ofLiteral(text);
    }
}
