package dev.outboard.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.drive.Drivers;
import dev.outboard.fabric.drive.Engine;
import dev.outboard.fabric.drive.ScriptedMachine;
import dev.outboard.fabric.roce.transport.PacketHandler;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.sim.network.DatagramSink;
import dev.outboard.fabric.spi.DeviceUri;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The place of a device on a simulated network: what it takes off the network, and when it gets a
/// turn.
class SimSiteTest {
    private static final Gid HERE = Gid.ofIpv4(0x0A000001);
    private static final Path TO_HERE = new Path(HERE, HERE, Path.DESTINATION_PORT, 0);

    private final SimSite site = new SimSite(of("sim://site/10.0.0.1?clock=stepped&inbox=64"));
    private final ScriptedMachine machine = new ScriptedMachine();
    private final Engine engine = new Engine(machine, site);
    private final Drivers drivers = site.drivers(engine, "device");
    private final Counting taken = new Counting();

    private static final class Counting implements PacketHandler {
        private final AtomicInteger packets = new AtomicInteger();
        private final AtomicInteger frames = new AtomicInteger();

        @Override
        public void packet(Packet packet, long nowNanos) {
            packets.incrementAndGet();
        }

        @Override
        public void frame(MemorySegment frame, int length) {
            frames.incrementAndGet();
        }
    }

    private static SimOptions of(String uri) {
        return SimOptions.of(DeviceUri.parse(uri));
    }

    private Map<String, Long> counters() {
        Map<String, Long> counters = new TreeMap<>();
        site.countersTo(counters);
        return counters;
    }

    @AfterEach
    void close() {
        drivers.close();
        site.close();
    }

    /// So a peer learns how much it may send ahead.
    @Test
    void anInboxIsABufferOfSoManyPackets() {
        assertThat(site.receiveBufferBytes()).isEqualTo(64 * 4352);
        SimSite large = new SimSite(of("sim://large/10.0.0.1"));
        assertThat(large.receiveBufferBytes()).isEqualTo(8 << 20);
        large.close();
    }

    @Test
    void itTakesNoMoreThanItIsAskedForAndTellsHowMuch() {
        for (int i = 0; i < 3; i++) {
            site.network().send(TO_HERE, packet());
        }
        site.network().sendFrame(Gid.ofIpv4(7), frame());
        site.network().runUntil(1_000_000);

        assertThat(site.receive(2, 0, taken)).isEqualTo(2);
        assertThat(site.receive(3, 0, taken)).isEqualTo(2);
        assertThat(site.receive(3, 0, taken)).isZero();
        assertThat(taken.packets).hasValue(3);
        assertThat(taken.frames).hasValue(1);
        assertThat(counters())
                .containsEntry("received.packets", 3L)
                .containsEntry("received.frames", 1L);
    }

    /// A device gets turns until it has taken all that is there, as long as it takes any.
    @Test
    void aTurnGoesOnUntilAllIsTaken() {
        for (int i = 0; i < 3; i++) {
            site.network().send(TO_HERE, packet());
        }
        site.network().sendFrame(Gid.ofIpv4(7), frame());
        long before = machine.turns.size();
        takeOneByOne();
        while (site.network().nextNanos() < Long.MAX_VALUE) {
            site.network().runUntil(site.network().nextNanos());
        }

        assertThat(taken.packets).hasValue(3);
        assertThat(taken.frames).hasValue(1);
        assertThat(machine.turns.size() - before).isBetween(4L, 8L);
    }

    private void takeOneByOne() {
        machine.next =
                () -> {
                    site.receive(1, 0, taken);
                    takeOneByOne();
                };
    }

    /// A hundred turns at one instant, then a microsecond passes.
    @Test
    void workThatNeverEndsLetsTheTimePass() {
        machine.left = Integer.MAX_VALUE;
        engine.exclusively(() -> {});
        machine.turns.clear();

        for (int turns = 0; turns < 101; turns++) {
            assertThat(site.network().nowNanos()).isZero();
            site.network().step();
        }
        assertThat(machine.turns).hasSize(101);
        assertThat(site.network().nowNanos()).isEqualTo(1_000);
    }

    private static byte[] packet() {
        DatagramSink sink = new DatagramSink(1);
        int length = Opcode.SEND_ONLY.headerLength();
        Bth.write(
                sink.headerMemory(),
                sink.headerOffset(),
                Opcode.SEND_ONLY,
                false,
                0,
                Bth.DEFAULT_PARTITION_KEY,
                2,
                false,
                0);
        sink.finish(TO_HERE, length);
        return sink.bytes(0);
    }

    private static byte[] frame() {
        byte[] frame = new byte[60];
        Arrays.fill(frame, 0, 6, (byte) 0xFF);
        return frame;
    }
}
