package dev.outboard.fabric.roce.raw;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.FlowMatch;
import dev.outboard.fabric.MacAddress;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.cm.CaGuid;
import dev.outboard.fabric.roce.cm.CmConfiguration;
import dev.outboard.fabric.roce.nic.NicLink;
import dev.outboard.fabric.roce.nic.NicMachine;
import dev.outboard.fabric.roce.nic.NicQueuePair;
import dev.outboard.fabric.roce.rc.CongestionControl;
import dev.outboard.fabric.roce.transport.PacketHandler;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.transport.Port;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.PathMtu;
import dev.outboard.fabric.sim.network.DatagramSink;
import dev.outboard.fabric.sim.network.FrameBuffer;
import dev.outboard.fabric.verbs.CompletionRing;
import dev.outboard.fabric.verbs.QueuePairCore;
import dev.outboard.fabric.verbs.QueueSizes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// From posting to polling, steering included, a frame allocates nothing.
final class RawAllocationTest {
    private static final int DOMAIN = 7;
    private static final int DEPTH = 16;
    private static final int FRAMES = 100_000;
    private static final int FLOWS = 200;
    private static final Gid GID = Gid.ofIpv4(0x0A00_0001);
    private static final MacAddress ADDRESS = MacAddress.of("02:00:0a:00:00:01");

    /// What the measurement itself may cost.
    private static final long SLACK_BYTES = 4_096;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final SendRequest send = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private final Completion completion = new Completion();
    private final RegionTable regions = new RegionTable(4, new SplittableRandom(1));
    private final RegisteredRegion region =
            regions.register(DOMAIN, Arena.ofAuto().allocate(1 << 16), Set.of(Access.LOCAL_WRITE));
    private final CompletionRing completions = new CompletionRing(2 * DEPTH, ring -> {});
    private final FrameBuffer port = new FrameBuffer(ADDRESS, DEPTH);
    private final Loop link = new Loop();
    private final NicMachine nic =
            new NicMachine(
                    CmConfiguration.of(
                            CaGuid.random(new SplittableRandom(1), 0), GID, PathMtu.MTU_1024),
                    new SplittableRandom(2),
                    new CongestionControl(false, 1 << 20),
                    link);
    private final RawPacketQueuePair queuePair =
            new RawPacketQueuePair(
                    new QueuePairCore(
                            nic.freeNumber(),
                            DOMAIN,
                            regions,
                            completions,
                            completions,
                            new QueueSizes(DEPTH, DEPTH, 2, 64),
                            Optional.empty(),
                            true,
                            type -> {}),
                    new Port(GID, 1024),
                    port,
                    nic.discards()::increment);

    /// What leaves the port comes in there.
    private final class Loop implements NicLink {
        private final DatagramSink sink = new DatagramSink(1);
        private final MemorySegment frame = MemorySegment.ofArray(new byte[9018]);

        @Override
        public int receive(int messages, long nowNanos, PacketHandler handler) {
            int count = port.count();
            for (int i = 0; i < count; i++) {
                handler.frame(frame, port.copyTo(frame, i));
            }
            port.clear();
            return count;
        }

        @Override
        public PacketSink sink() {
            return sink;
        }

        @Override
        public void flush(long nowNanos) {}

        @Override
        public long deadlineNanos() {
            return Long.MAX_VALUE;
        }
    }

    @Test
    void framesAllocateNothing() {
        NicQueuePair inMachine = nic.add(queuePair);
        for (int i = 0; i < FLOWS; i++) {
            MacAddress other = new MacAddress(ADDRESS.bits() + i);
            nic.steering().add(FlowMatch.destination(other).withEtherType(0x0800), inMachine);
            nic.steering().add(FlowMatch.destination(other), inMachine);
        }
        queuePair.modify(QueuePairChange.to(QueuePairState.INIT));
        queuePair.modify(QueuePairChange.to(QueuePairState.READY_TO_RECEIVE));
        queuePair.modify(QueuePairChange.to(QueuePairState.READY_TO_SEND));
        ADDRESS.writeTo(region.segment(), 0);
        frames(inMachine, FRAMES / 2);
        long before = threads.getCurrentThreadAllocatedBytes();
        frames(inMachine, FRAMES);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        assertThat(allocated).isLessThan(SLACK_BYTES);
    }

    private void frames(NicQueuePair inMachine, int count) {
        for (int i = 0; i < count; i++) {
            boolean isInline = i % 2 == 0;
            receive.id(i).buffer(region, 1 << 15, 1000).appendBuffer(region, 1 << 14, 700);
            check(queuePair.post(receive), i);
            send.inline(isInline).payload(region, 0, 14);
            send.appendPayload(region, 100, isInline ? 50 : 1486);
            check(queuePair.post(send), i);
            nic.ready(inMachine);
            nic.turn(0, false, false);
            nic.turn(0, true, false);
            check(completions.poll(completion), i);
            check(completions.poll(completion), i);
        }
    }

    private static void check(boolean holds, int frame) {
        if (!holds) {
            throw new AssertionError("frame " + frame);
        }
    }
}
