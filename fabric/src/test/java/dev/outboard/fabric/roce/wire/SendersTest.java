package dev.outboard.fabric.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SendersTest {
    private static final Gid LOCAL = Gid.ofIpv4(0x7F5B0001);

    private final Senders senders = new Senders(LOCAL);

    @Test
    void leadsFromTheSenderToUs() {
        Path path = senders.ofIpv4(0x7F5B0002, 0xC123).path();

        assertThat(path.source()).isEqualTo(Gid.ofIpv4(0x7F5B0002));
        assertThat(path.destination()).isEqualTo(LOCAL);
        assertThat(path.sourcePort()).isEqualTo(0xC123);
    }

    @Test
    void aSenderIsKnownByAddressAndPort() {
        Sender sender = senders.ofIpv4(0x7F5B0002, 4791);

        assertThat(senders.ofIpv4(0x7F5B0002, 4791)).isSameAs(sender);
        assertThat(senders.ofIpv4(0x7F5B0002, 4792)).isNotSameAs(sender);
        assertThat(senders.ofIpv4(0x7F5B0003, 4791)).isNotSameAs(sender);
        assertThat(senders.ofIpv4(0x7F5B0002, 4791)).isSameAs(sender);
    }

    @Test
    void hundredsOfSendersFitAtATime() {
        Sender[] first = new Sender[200];
        for (int i = 0; i < first.length; i++) {
            first[i] = senders.ofIpv4(0x0A000001 + i, 4791);
        }
        int kept = 0;
        for (int i = 0; i < first.length; i++) {
            kept += senders.ofIpv4(0x0A000001 + i, 4791) == first[i] ? 1 : 0;
        }
        assertThat(kept).isGreaterThan(190);
    }

    @Test
    void aSenderOfAllPortsTakesNoMoreThanTheTable() {
        Sender[] made = new Sender[0x10000];
        for (int port = 0; port < made.length; port++) {
            made[port] = senders.ofIpv4(0x7F5B0002, port);
        }
        int kept = 0;
        for (int port = made.length - 1; port >= 0; port--) {
            kept += senders.ofIpv4(0x7F5B0002, port) == made[port] ? 1 : 0;
        }
        assertThat(kept).isBetween(1, Senders.SLOTS);
    }
}
