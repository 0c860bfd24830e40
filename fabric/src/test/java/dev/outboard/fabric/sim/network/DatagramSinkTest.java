package dev.outboard.fabric.sim.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Path;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class DatagramSinkTest {
    private static final Path PATH =
            new Path(Gid.ofIpv4(0x0A000001), Gid.ofIpv4(0x0A000002), Path.DESTINATION_PORT, 0);

    private final DatagramSink sink = new DatagramSink(2);

    private void send(Payload payload) {
        sink.append(payload, 0, 8);
        sink.finish(PATH, Bth.LENGTH);
    }

    @Test
    void whatCannotBeReadIsDroppedAndCounted() {
        Arena arena = Arena.ofShared();
        Payload gone = Payload.of(arena.allocate(8));
        arena.close();
        send(gone);
        assertThat(sink.count()).isZero();
        assertThat(sink.unreadable()).isEqualTo(1);

        send(Payload.of(Arena.ofAuto().allocate(8)));
        assertThat(sink.count()).isEqualTo(1);
        assertThat(sink.length(0)).isEqualTo(Bth.LENGTH + 8 + 4);
        assertThat(sink.unreadable()).isEqualTo(1);
    }
}
