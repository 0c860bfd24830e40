package dev.outboard.naa;

/// How an RPC ended, and where its time went as far as the client can know.
///
/// The client sees three instants: it started to post, the server's NIC acknowledged the last
/// input, and the answer's immediate value arrived. What lies between the last two is the routine
/// and the way of the outputs.
///
/// @param returnCode see [ReturnCode]; other values come from the server as they are
/// @param bytesReceived the length of the WRITE that carried the immediate value
/// @param totalBytesReceived the length of all returned regions; 0 after an error code
/// @param sendNanos from the start to the acknowledgement of the last input
/// @param computeNanos from then to the first bytes of the answer
/// @param receiveNanos from then to the end of the answer
public record RpcResult(
        int returnCode,
        long bytesReceived,
        long totalBytesReceived,
        long sendNanos,
        long computeNanos,
        long receiveNanos) {

    /// Whether the routine ended without error.
    public boolean isSuccess() {
        return returnCode == ReturnCode.SUCCESS;
    }

    /// The time of the whole RPC.
    public long totalNanos() {
        return sendNanos + computeNanos + receiveNanos;
    }
}
