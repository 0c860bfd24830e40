package dev.outboard.naa;

/// How an RPC ended, and where its time went as far as the client can know.
///
/// A client sees that it starts to post, that the last input is acknowledged, and that the answer
/// is there. When a large answer begins it finds out by looking at the bytes received now and then.
/// A small one (below 256 KiB), or one that comes all between two looks, begins when it ends, so
/// that its way back is part of `computeNanos`.
///
/// A server should return every output whole, and nothing in the protocol says so if it does not:
/// the client knows how many bytes came, not which. What did not come is in memory as it was
/// before.
///
/// NAA-RET-12: two numbers of bytes, each with its name.
///
/// @param returnCode see [ReturnCode]; other values come from the server as they are
/// @param bytesReceived the length of the WRITE that carried the immediate value
/// @param totalBytesReceived the length of all WRITEs of the answer, as they arrived
/// @param expectedBytes the length of all regions that the answer should return; 0 after an error
///   code
/// @param sendNanos from the start to the acknowledgement of the last input
/// @param computeNanos from then to the first bytes of the answer
/// @param receiveNanos from then to the answer's immediate value
public record RpcResult(
        int returnCode,
        long bytesReceived,
        long totalBytesReceived,
        long expectedBytes,
        long sendNanos,
        long computeNanos,
        long receiveNanos) {

    /// Whether the routine ended without error.
    public boolean isSuccess() {
        return returnCode == ReturnCode.SUCCESS;
    }

    /// How many bytes of the outputs the server did not return, although the routine ended without
    /// error.
    public long missingBytes() {
        return Math.max(0, expectedBytes - totalBytesReceived);
    }

    /// The time of the whole RPC.
    public long totalNanos() {
        return sendNanos + computeNanos + receiveNanos;
    }
}
