package dev.outboard.fabric.roce.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Path;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class PortTest {
    private static final Gid ADDRESS = Gid.ofIpv4(0x0A00_0001);

    @Test
    void leadsWhereAVectorSays() {
        AddressVector vector = new AddressVector(InetAddress.ofLiteral("10.0.0.2"), 0x28, 7);

        Path path = new Port(ADDRESS, 1024).pathTo(vector);

        assertThat(path.source()).isEqualTo(ADDRESS);
        assertThat(path.destination()).isEqualTo(Gid.ofIpv4(0x0A00_0002));
        assertThat(path.sourcePort()).isEqualTo(4791);
        assertThat(path.trafficClass()).isEqualTo(0x28);
    }
}
