package dev.outboard.naa.protocol;

import dev.outboard.naa.Dialect;
import java.util.OptionalInt;
import java.util.function.LongSupplier;

/// The RPC that a server's client has called, as its immediate value tells it, and one that has
/// come too early. One thread at a time, but the return region from any.
final class ServerCall {
    private boolean isHeld;
    private int heldImmediate;
    private int functionCode;
    private int userBytes;
    private volatile int returnRegion;
    private boolean hostErrorSeen;
    private final LongSupplier arrivedBytes;
    private long countedBytes;

    /// @param arrivedBytes the bytes that the connection has received so far
    ServerCall(LongSupplier arrivedBytes) {
        this.arrivedBytes = arrivedBytes;
    }

    /// What has come since this was last asked, with a message or an RPC: a completion tells of the
    /// last WRITE alone.
    long newBytes() {
        long before = countedBytes;
        countedBytes = arrivedBytes.getAsLong();
        return countedBytes - before;
    }

    /// Keeps an RPC that comes before the client can know that the answer to the last has arrived.
    ///
    /// NAA-MRSP-5: the first RPC may be polled before the completion of A.
    ///
    /// @return false if one is kept already
    boolean hold(int immediate) {
        if (isHeld) {
            return false;
        }
        isHeld = true;
        heldImmediate = immediate;
        return true;
    }

    /// The RPC that was kept, once.
    OptionalInt takeHeld() {
        OptionalInt held = isHeld ? OptionalInt.of(heldImmediate) : OptionalInt.empty();
        isHeld = false;
        return held;
    }

    /// An RPC is called with this immediate value.
    void begin(Dialect dialect, int immediate) {
        functionCode = dialect.functionCode(immediate);
        userBytes = dialect.userBytes(immediate);
        hostErrorSeen |= isHostError();
    }

    /// Whether the client says that it could not start its RPC.
    boolean isHostError() {
        return functionCode == 0;
    }

    /// Whether that was said; told once.
    boolean takeHostError() {
        boolean seen = hostErrorSeen;
        hostErrorSeen = false;
        return seen;
    }

    int functionCode() {
        return functionCode;
    }

    int userBytes() {
        return userBytes;
    }

    int returnRegion() {
        return returnRegion;
    }

    void returnRegion(int returnRegion) {
        this.returnRegion = returnRegion;
    }
}
