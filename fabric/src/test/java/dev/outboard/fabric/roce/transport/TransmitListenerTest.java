package dev.outboard.fabric.roce.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Path;
import org.junit.jupiter.api.Test;

class TransmitListenerTest {
    @Test
    void whoTakesNoNoteLetsPacketsShareACall() {
        Gid address = Gid.ofIpv4(0x0A00_0001);
        Path path = new Path(address, address, Path.DESTINATION_PORT, 0);

        assertThat(TransmitListener.INDIFFERENT.maySegment(path)).isTrue();
    }
}
