package dev.outboard.naa;

/// Where a connection stands (`spec/naaice.md`, section 11.1). Client and server walk through the
/// same states; what leads from one to the next is in sections 11.2 and 11.3.
///
/// NAA-STATE-1: with the names and numbers of 11.1.
public enum NaaState {
    /// Created. Leads to READY.
    INIT(0),
    /// Queue pair and completion queue exist. Leads to CONNECTED.
    READY(1),
    /// The connection is established; region setup comes next.
    CONNECTED(2),
    /// Closed, by either side. Final.
    DISCONNECTED(3),
    /// The own region setup message is under way.
    MRSP_SENDING(10),
    /// Waiting for the peer's region setup message.
    MRSP_RECEIVING(11),
    /// Both sides know all regions.
    MRSP_DONE(12),
    /// Client: inputs are under way. Server: results are.
    DATA_SENDING(20),
    /// The routine runs. Server only.
    CALCULATING(21),
    /// Client: waiting for the result. Server: waiting for an RPC.
    DATA_RECEIVING(22),
    /// Client: the result is there, the next RPC may start. Server: the client has disconnected.
    FINISHED(30),
    /// Failed; can only be closed.
    ERROR(40);

    private final int code;

    NaaState(int code) {
        this.code = code;
    }

    /// The number of the state in the reference implementation.
    public int code() {
        return code;
    }

    /// Whether the connection is over.
    ///
    /// NAA-STATE-8: whatever the numbers of the states are.
    public boolean isTerminal() {
        return this == DISCONNECTED || this == ERROR;
    }
}
