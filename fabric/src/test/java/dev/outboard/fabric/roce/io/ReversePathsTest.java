package dev.outboard.fabric.roce.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Path;
import org.junit.jupiter.api.Test;

class ReversePathsTest {
    private static final Gid LOCAL = Gid.of(Loopback.address(127, 91, 0, 1));

    private final ReversePaths paths = new ReversePaths(LOCAL);

    @Test
    void leadsFromTheSenderToUs() {
        Path path = paths.fromIpv4(0x7F5B0002, 0xC123);

        assertThat(path.source()).isEqualTo(Gid.of(Loopback.address(127, 91, 0, 2)));
        assertThat(path.destination()).isEqualTo(LOCAL);
        assertThat(path.sourcePort()).isEqualTo(0xC123);
    }

    @Test
    void aSenderKeepsItsPath() {
        Path path = paths.fromIpv4(0x7F5B0002, 4791);

        assertThat(paths.fromIpv4(0x7F5B0002, 4791)).isSameAs(path);
        assertThat(paths.fromIpv4(0x7F5B0002, 4792)).isNotSameAs(path);
        assertThat(paths.fromIpv4(0x7F5B0003, 4791)).isNotSameAs(path);
        assertThat(paths.fromIpv4(0x7F5B0002, 4791)).isSameAs(path);
    }

    @Test
    void hundredsOfSendersFitAtATime() {
        Path[] first = new Path[200];
        for (int i = 0; i < first.length; i++) {
            first[i] = paths.fromIpv4(0x0A000001 + i, 4791);
        }
        int kept = 0;
        for (int i = 0; i < first.length; i++) {
            kept += paths.fromIpv4(0x0A000001 + i, 4791) == first[i] ? 1 : 0;
        }
        assertThat(kept).isGreaterThan(190);
    }

    @Test
    void aSenderOfAllPortsTakesNoMoreThanTheTable() {
        Path[] paths = new Path[0x10000];
        for (int port = 0; port < paths.length; port++) {
            paths[port] = this.paths.fromIpv4(0x7F5B0002, port);
        }
        int kept = 0;
        for (int port = paths.length - 1; port >= 0; port--) {
            kept += this.paths.fromIpv4(0x7F5B0002, port) == paths[port] ? 1 : 0;
        }
        assertThat(kept).isBetween(1, ReversePaths.SLOTS);
    }
}
