package dev.outboard.fabric.contract.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.FlowMatch;
import dev.outboard.fabric.MacAddress;
import dev.outboard.fabric.contract.RawPacketEnd;
import dev.outboard.fabric.sim.SimNetwork;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// What can happen to raw frames on a simulated network.
class EthernetNetworkTest {
    private static final int TYPE = 0x88B5;
    private static final int CHECK = 4;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    @AfterEach
    void close() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private RawPacketEnd end(String uri) {
        Device device = Fabric.open("sim://ethernet/" + uri);
        open.push(device);
        RawPacketEnd end = new RawPacketEnd(device);
        open.push(end);
        end.queuePair().createFlow(FlowMatch.all());
        for (int i = 0; i < RawPacketEnd.SLOTS; i++) {
            end.postReceive(i);
        }
        return end;
    }

    private static SimNetwork network(RawPacketEnd end) {
        return SimNetwork.of(end.device());
    }

    private static void pass(RawPacketEnd end, long nanos) {
        network(end).runUntil(network(end).nowNanos() + nanos);
    }

    private static long received(RawPacketEnd end) {
        return end.queuePair().counters().get("frames-received");
    }

    @Test
    void anAddressComesWithThatOfTheDevice() {
        assertThat(end("10.1.2.3").address()).hasToString("02:00:0a:01:02:03");
        MacAddress one = end("fd00::1").address();
        MacAddress other = end("fd00::2").address();
        MacAddress elsewhere = end("fd01::1").address();
        assertThat(List.of(one, other, elsewhere)).doesNotHaveDuplicates();
        assertThat(one.isMulticast()).isFalse();
        assertThat(one.bits() >>> 40).isEqualTo(6);
        assertThat(one.bits() ^ other.bits()).isEqualTo(3);
    }

    @Test
    void twoDevicesWithOneAddressAreRefusedByName() {
        end("fd00::1");
        assertThatThrownBy(() -> end("fd00::100:0:1"))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.ADDRESS_IN_USE))
                .hasMessageContaining("sim://ethernet/fd00:0:0:0:0:100:0:1 would have the MAC")
                .hasMessageContaining("sim://ethernet/fd00:0:0:0:0:0:0:1 has");
        end("fd00::100:0:2");
    }

    @Test
    void aFrameTakesItsBitsAndItsWay() {
        RawPacketEnd near = end("10.0.0.1?clock=stepped&latency=1ms&bandwidth=1Gbit");
        RawPacketEnd far = end("10.0.0.2");
        near.post(near.send(1, near.frame(far.address(), TYPE, 1000)));
        long wire = 8 * (1000 + CHECK);
        pass(near, 1_000_000 + wire - 1);
        assertThat(received(far)).isZero();
        pass(near, 1);
        assertThat(received(far)).isEqualTo(1);
    }

    @Test
    void aFrameForAllLeavesOnce() {
        RawPacketEnd near = end("10.0.0.1?clock=stepped&latency=1ms&bandwidth=1Gbit");
        List<RawPacketEnd> others = List.of(end("10.0.0.2"), end("10.0.0.3"), end("10.0.0.4"));
        near.post(near.send(1, near.frame(MacAddress.BROADCAST, TYPE, 1000)));
        pass(near, 1_000_000 + 8 * (1000 + CHECK));
        assertThat(others).allSatisfy(other -> assertThat(received(other)).isEqualTo(1));
        assertThat(near.device().counters()).containsEntry("sent.frames", 1L);
        assertThat(network(near).counters()).containsEntry("sent", 3L);
    }

    @Test
    void aFrameThatNobodyCanGetIsCounted() {
        RawPacketEnd near = end("10.0.0.1");
        near.sendAndAwait(1, near.frame(MacAddress.BROADCAST, TYPE, 100));
        assertThat(network(near).counters()).containsEntry("undeliverable", 1L);
    }

    @Test
    void whatIsCutOffOrTooLongOrKilledIsCounted() {
        RawPacketEnd near = end("10.0.0.1");
        RawPacketEnd far = end("10.0.0.2");
        SimNetwork network = network(near);
        byte[] frame = near.frame(far.address(), TYPE, 100);
        network.cut(near.device().address(), far.device().address());
        near.sendAndAwait(1, frame);
        pass(near, 1_000_000);
        assertThat(network.counters()).containsEntry("cut-off", 1L);
        network.heal();
        network.limit(near.device().address(), far.device().address(), 100 + CHECK);
        near.sendAndAwait(1, frame);
        near.sendAndAwait(1, near.frame(far.address(), TYPE, 101));
        pass(near, 1_000_000);
        assertThat(network.counters()).containsEntry("too-long", 1L);
        assertThat(received(far)).isEqualTo(1);
        network.kill(far.device().address());
        near.sendAndAwait(1, frame);
        assertThat(network.counters()).containsEntry("cut-off", 2L);
    }

    @Test
    void aFilterSeesEachFrameWithItsCheckSequence() {
        RawPacketEnd near = end("10.0.0.1");
        RawPacketEnd far = end("10.0.0.2");
        List<SimNetwork.Frame> seen = new ArrayList<>();
        network(near)
                .filter(frame -> {
                    seen.add(frame);
                    return seen.size() != 2;
                });
        byte[] sent = near.frame(far.address(), TYPE, 100);
        for (int i = 0; i < 3; i++) {
            near.sendAndAwait(1, sent);
        }
        pass(near, 1_000_000);
        assertThat(received(far)).isEqualTo(2);
        SimNetwork.Frame first = seen.getFirst();
        assertThat(first.isEthernet()).isTrue();
        assertThat(first.from()).isEqualTo(near.device().address());
        assertThat(first.to()).isEqualTo(far.device().address());
        assertThat(first.bytes()).hasSize(104).startsWith(sent);
        CRC32 whole = new CRC32();
        whole.update(first.bytes());
        assertThat(whole.getValue()).as("what is left over frame and check").isEqualTo(0x2144DF1C);
    }

    @Test
    void aDamagedFrameIsFoundAndCounted() {
        RawPacketEnd near = end("10.0.0.1?corrupt=100%25");
        RawPacketEnd far = end("10.0.0.2");
        for (int i = 0; i < 50; i++) {
            near.sendAndAwait(1, near.frame(far.address(), TYPE, 60 + 100 * (i % 10)));
        }
        pass(near, 1_000_000);
        assertThat(received(far)).isZero();
        assertThat(far.device().counters())
                .containsEntry("discarded.bad-frame-check", 50L)
                .containsEntry("received.frames", 0L);
    }

    @Test
    void framesWaitInTheInboxLikePackets() {
        RawPacketEnd near = end("10.0.0.1?inbox=3&clock=stepped&idle=1ms");
        RawPacketEnd far = end("10.0.0.2");
        for (int i = 0; i < 10; i++) {
            near.post(near.send(i, near.frame(far.address(), TYPE, 100)));
        }
        pass(near, 10_000_000);
        assertThat(network(near).counters()).containsEntry("overflowed", 7L);
        assertThat(received(far)).isEqualTo(3);
    }
}
