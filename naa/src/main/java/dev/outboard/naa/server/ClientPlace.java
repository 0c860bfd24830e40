package dev.outboard.naa.server;

import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.QueuePair;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.protocol.ServerMachine;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The place of one client at a server: since when it has it, what it does with it, and how it has
/// lost it. The thread of the connection looks; everything else may come from any thread.
final class ClientPlace {
    private static final String ACKNOWLEDGEMENTS = "acks-received";

    private final Origin origin;
    private final ServerMachine machine;
    private final long sinceNanos = System.nanoTime();
    private volatile ConnectionEvent.@Nullable Type end;

    private long acknowledgements;
    private volatile boolean quiet;
    private volatile long quietSinceNanos;

    /// @param origin where the client comes from
    ClientPlace(Origin origin, ServerMachine machine) {
        this.origin = origin;
        this.machine = machine;
    }

    /// Where the client comes from.
    Origin origin() {
        return origin;
    }

    // ---- use ------------------------------------------------------------------------------------

    /// What the client does with it.
    Standing standing() {
        long now = System.nanoTime();
        NaaState state = machine.state();
        return switch (state) {
            case INIT, READY -> new Standing(Standing.Use.HALF_OPEN, now - sinceNanos);
            case CONNECTED, MRSP_RECEIVING ->
                    new Standing(Standing.Use.NO_REGIONS, now - machine.sinceNanos());
            case MRSP_SENDING, DATA_SENDING ->
                    new Standing(Standing.Use.STALLED, quiet ? now - quietSinceNanos : 0);
            case MRSP_DONE, DATA_RECEIVING ->
                    new Standing(Standing.Use.IDLE, now - machine.sinceNanos());
            case CALCULATING, FINISHED, DISCONNECTED, ERROR -> new Standing(Standing.Use.BUSY, 0);
        };
    }

    /// Whether the client has not finished its handshake for this long.
    boolean isHalfOpen(Duration since) {
        return machine.state() == NaaState.READY
                && System.nanoTime() - sinceNanos >= since.toNanos();
    }

    /// Something is sent to the client from now on.
    void sending() {
        quiet = false;
    }

    /// Notices whether the client acknowledges anything of what is sent, until it has arrived.
    void look(QueuePair pair) {
        NaaState state = machine.state();
        if (state != NaaState.MRSP_SENDING && state != NaaState.DATA_SENDING) {
            return;
        }
        long now = pair.counters().getOrDefault(ACKNOWLEDGEMENTS, 0L);
        if (!quiet || now != acknowledgements) {
            acknowledgements = now;
            quietSinceNanos = System.nanoTime();
            quiet = true;
        }
    }

    // ---- end ------------------------------------------------------------------------------------

    /// The connection has ended.
    ///
    /// @param how DISCONNECTED, or a failure
    void ended(ConnectionEvent.Type how) {
        end = how;
    }

    /// Whether the connection has ended, though not everything may be released yet.
    boolean hasEnded() {
        return end != null;
    }

    /// Tells the machine if the connection has ended.
    void noticeEnd() {
        ConnectionEvent.Type how = end;
        if (how == ConnectionEvent.Type.DEVICE_REMOVAL) {
            machine.deviceRemoved();
        } else if (how != null) {
            machine.disconnected();
        }
    }
}
