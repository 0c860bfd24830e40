package dev.outboard.naa.server;

import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.RpcId;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One RPC as its [Routine] sees it: what was asked, the memory of the connection, and how much
/// time is left. The server makes one per RPC; it is valid until the routine returns. Regions and
/// questions may be used from any thread that the routine starts and ends.
///
/// NAA-KERN-2: all that a routine gets.
public final class RpcContext {
    private final int functionCode;
    private final int userBytes;
    private final List<RoutineRegion> parameters;
    private final List<RoutineRegion> internals;
    private final long beganNanos = System.nanoTime();
    private volatile long deadlineNanos;
    private volatile boolean cancelled;
    private @Nullable InetSocketAddress client;
    private long ordinal;
    private volatile long waitedNanos;

    /// An RPC for a routine.
    ///
    /// @param userBytes the three user bytes, byte 0 in bits 7..0
    /// @param deadlineNanos when its time is over, by [System#nanoTime]
    public RpcContext(
            int functionCode,
            int userBytes,
            List<RoutineRegion> parameters,
            List<RoutineRegion> internals,
            long deadlineNanos) {
        this.functionCode = functionCode;
        this.userBytes = userBytes;
        this.parameters = List.copyOf(parameters);
        this.internals = List.copyOf(internals);
        this.deadlineNanos = deadlineNanos;
    }

    /// The code the client called.
    public int functionCode() {
        return functionCode;
    }

    /// One of the three bytes that the client sent along with the function code, as 0..255; 0 in
    /// `ap1-2023`.
    ///
    /// NAA-XFER-12: unchanged.
    ///
    /// @param index 0, 1 or 2
    public int userByte(int index) {
        if (index < 0 || index > 2) {
            throw new IndexOutOfBoundsException("user byte " + index + "; valid: 0 to 2");
        }
        return (userBytes >>> (8 * index)) & 0xff;
    }

    /// The regions both sides have, in the client's order and without the metadata region of
    /// `ap1-2023`.
    public List<RoutineRegion> parameters() {
        return parameters;
    }

    /// The parameter region at `index`.
    public RoutineRegion parameter(int index) {
        return parameters.get(index);
    }

    /// The regions that exist on the NAA only.
    public List<RoutineRegion> internals() {
        return internals;
    }

    /// The time left; zero when it is over.
    public Duration remaining() {
        return Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime()));
    }

    /// Whether nobody waits for the result any more: the time is over or the connection is gone. A
    /// long routine asks every few milliseconds, or lets [#throwIfCancelled] ask, and returns.
    public boolean isCancelled() {
        return cancelled || deadlineNanos - System.nanoTime() <= 0;
    }

    /// Ends the routine if nobody waits for its result any more.
    ///
    /// @throws RoutineException with [ReturnCode#TIMEOUT], which nobody sees
    public void throwIfCancelled() throws RoutineException {
        if (isCancelled()) {
            throw RoutineException.ofServer(ReturnCode.TIMEOUT, "nobody waits for it any more");
        }
    }

    /// Shortens the time to what the routine may take; zero leaves it as it is.
    void limit(Duration limit) {
        long end = beganNanos + limit.toNanos();
        if (!limit.isZero() && end - deadlineNanos < 0) {
            deadlineNanos = end;
        }
    }

    /// What it is called at both ends; 0 if it has come from no client.
    ///
    /// @see RpcId
    public long id() {
        return client == null ? 0 : RpcId.of(client, ordinal);
    }

    /// It has come from a client.
    ///
    /// @param which RPC of the connection, counted from 1
    void from(InetSocketAddress sender, long which) {
        client = sender;
        ordinal = which;
    }

    /// When it has arrived, by [System#nanoTime].
    public long arrivedNanos() {
        return beganNanos;
    }

    /// How long it has waited until its routine began; 0 if that has not.
    public long waitedNanos() {
        return waitedNanos;
    }

    /// Its routine begins.
    void begun() {
        waitedNanos = elapsedNanos();
    }

    /// The time since the RPC arrived.
    long elapsedNanos() {
        return System.nanoTime() - beganNanos;
    }

    /// Tells the routine that nobody waits any more. For what runs routines.
    public void cancel() {
        cancelled = true;
    }
}
