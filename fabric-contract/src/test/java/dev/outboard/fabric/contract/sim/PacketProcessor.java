package dev.outboard.fabric.contract.sim;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FlowMatch;
import dev.outboard.fabric.MacAddress;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.contract.RawPacketEnd;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// A program at a port that sends each frame back to where it came from, with one byte of its
/// payload changed: receive, swap addresses, rewrite, send, receive again.
final class PacketProcessor implements AutoCloseable {
    /// Where the byte is.
    static final int REWRITTEN = 14;

    private final RawPacketEnd end;
    private final Completion completion = new Completion();
    private final SendRequest request = new SendRequest();
    private final long destination;

    PacketProcessor(Device device, int receives) {
        end = new RawPacketEnd(device);
        destination = end.address().bits();
        end.queuePair().createFlow(FlowMatch.destination(end.address()));
        for (int slot = 0; slot < receives; slot++) {
            end.postReceive(slot);
        }
    }

    RawPacketEnd end() {
        return end;
    }

    /// Handles what has come.
    void work() {
        while (end.completions().poll(completion)) {
            if (completion.status() != CompletionStatus.SUCCESS) {
                throw new AssertionError(completion.toString());
            }
            if (completion.opcode() == CompletionOpcode.RECEIVE) {
                answer(completion.id(), completion.byteCount());
            } else {
                end.postReceive(completion.id());
            }
        }
    }

    private void answer(long slot, long length) {
        long at = RawPacketEnd.offset(slot);
        MemorySegment frame = end.region().segment().asSlice(at, length);
        long source = MacAddress.bitsAt(frame, MacAddress.LENGTH);
        new MacAddress(source).writeTo(frame, 0);
        new MacAddress(destination).writeTo(frame, MacAddress.LENGTH);
        byte value = frame.get(ValueLayout.JAVA_BYTE, REWRITTEN);
        frame.set(ValueLayout.JAVA_BYTE, REWRITTEN, (byte) (value + 1));
        end.post(request.id(slot).payload(end.region(), at, length));
    }

    @Override
    public void close() {
        end.close();
    }
}
