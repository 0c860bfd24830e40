package dev.outboard.dpa.nic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.nic.PortCounters.Drop;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/// Frames on their way to a NIC that does not take them.
class FrameInboxTest {
    private static final int MAX_WAITING = 256;

    private final NicPort port = new EthernetSwitch(1).port(0);
    private final MemorySegment frame = MemorySegment.ofArray(new byte[60]);

    private static FrameReceiveQueue queue() {
        NicFixture fixture = new NicFixture(RunMode.fast());
        ThreadHandle thread = fixture.process.thread("device", any -> {});
        CompletionQueue completions =
                fixture.nic.completionQueue(
                        CompletionQueue.Attributes.of(
                                fixture.allocate(64), 0, fixture.allocate(8)));
        return fixture.nic.frameReceiveQueue(
                new QueuePair.Receive(fixture.allocate(16), 0, fixture.allocate(8), completions),
                new QueuePair.User(thread, 0));
    }

    @Test
    @Requirement("DPA-FXQ-12")
    void whatHasNoRoomToWaitIsDropped() {
        FrameReceiveQueue queue = queue();
        FrameInbox inbox = new FrameInbox(() -> true);
        for (int i = 0; i < MAX_WAITING; i++) {
            inbox.add(queue, port, frame, 60);
        }
        assertThat(port.counters().framesDropped(Drop.OVERFLOW)).isZero();
        inbox.add(queue, port, frame, 60);
        assertThat(port.counters().framesDropped(Drop.OVERFLOW)).isEqualTo(1);
    }

    @Test
    @Requirement("DPA-FXQ-12")
    void whatComesToAProcessThatHasEndedIsDropped() {
        FrameInbox inbox = new FrameInbox(() -> false);
        inbox.add(queue(), port, frame, 60);
        assertThat(port.counters().framesDropped(Drop.QUEUE_GONE)).isEqualTo(1);
    }
}
