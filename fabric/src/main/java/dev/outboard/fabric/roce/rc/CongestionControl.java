package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.roce.wire.Gid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/// What the reliable queue pairs of one device share so that they overrun nobody: the [PeerBuffer]
/// of each remote address, and whether they mark packets and react to marks. Belongs to a device;
/// only the thread that drives it touches this.
public final class CongestionControl {
    private final boolean notifying;
    private final int assumedBytes;
    private final Map<Gid, PeerBuffer> buffers = new HashMap<>();
    private final List<PeerBuffer> crowded = new ArrayList<>();

    /// @param notifying whether packets are sent ECN-capable, marks are answered with congestion
    ///   notification packets, and these slow a queue pair down (DCQCN, roce.md 6)
    /// @param assumedBytes the receive buffer of peers that do not declare theirs
    public CongestionControl(boolean notifying, int assumedBytes) {
        this.notifying = notifying;
        this.assumedBytes = assumedBytes;
    }

    boolean isNotifying() {
        return notifying;
    }

    /// The peer at `remote` said how large its receive buffer is, as `SO_RCVBUF` reads there.
    /// Without effect before a queue pair is connected to it.
    public void declare(Gid remote, int bufferBytes) {
        PeerBuffer buffer = buffers.get(remote);
        if (buffer != null) {
            buffer.declare(bufferBytes);
        }
    }

    /// One more queue pair sends to `remote`.
    PeerBuffer join(Gid remote) {
        PeerBuffer buffer =
                buffers.computeIfAbsent(remote, gid -> new PeerBuffer(this, assumedBytes));
        buffer.users++;
        return buffer;
    }

    /// A queue pair does not send to `remote` any more.
    void leave(Gid remote) {
        PeerBuffer buffer = buffers.get(remote);
        if (buffer != null && --buffer.users == 0) {
            buffers.remove(remote);
        }
    }

    /// Queue pairs wait for `buffer`.
    void crowded(PeerBuffer buffer) {
        if (!buffer.isListed) {
            buffer.isListed = true;
            crowded.add(buffer);
        }
    }

    /// Names the queue pairs that waited for room at a peer and may send now, one per peer. Each is
    /// named until it was made to transmit.
    public void admit(IntConsumer queuePairNumber) {
        for (int i = crowded.size() - 1; i >= 0; i--) {
            PeerBuffer buffer = crowded.get(i);
            SendBudget next = buffer.next();
            if (next != null) {
                queuePairNumber.accept(next.queuePairNumber());
            } else if (!buffer.isCrowded()) {
                buffer.isListed = false;
                crowded.remove(i);
            }
        }
    }
}
