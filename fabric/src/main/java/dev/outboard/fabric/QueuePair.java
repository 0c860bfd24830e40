package dev.outboard.fabric;

import java.util.List;
import java.util.Map;

/// A send queue and a receive queue, towards one remote queue pair if [#type] is
/// RELIABLE_CONNECTED, towards any with UNRELIABLE_DATAGRAM, towards an Ethernet port with
/// RAW_PACKET.
///
/// One thread at a time may post to the send queue, and one to the receive queue. The posting
/// thread drives the device, so a request usually is on the wire when [#post(SendRequest)] returns.
/// Completions arrive in the order of the posts. A queue pair that fails completes everything
/// outstanding, the failed request first, the rest as flushed.
public interface QueuePair extends QueuePairControl {
    QueuePairType type();

    /// Posts `request`; its fields are copied, so it can be reused at once. In SEND_QUEUE_DRAIN it
    /// waits; in SEND_QUEUE_ERROR and ERROR it is flushed.
    ///
    /// @return false if the send queue is full
    /// @throws FabricException with INVALID_STATE before the queue pair is ready to send; with
    ///   INVALID_ARGUMENT if the request is larger than the limits
    boolean post(SendRequest request);

    /// Posts `requests` in their order and rings once (the verbs' `ibv_post_send` takes a list):
    /// many small ones leave together, and arrive so. Ends before the first that does not fit.
    ///
    /// @return how many were posted; the others are left to another call, which tells what is wrong
    ///   with the first of them if the send queue is not full
    /// @throws FabricException like [#post(SendRequest)], for the first of the list
    int post(List<SendRequest> requests);

    /// Posts a receive. In state ERROR it is flushed.
    ///
    /// @return false if the receive queue is full
    /// @throws FabricException with INVALID_STATE in state RESET, or if the queue pair has a shared
    ///   receive queue
    boolean post(ReceiveRequest request);

    /// Steers frames that match to this queue pair (the verbs' `ibv_create_flow`), in any state;
    /// the queue pair drops and counts those that come before READY_TO_RECEIVE.
    ///
    /// @throws FabricException with INVALID_STATE if the queue pair is of another type than
    ///   RAW_PACKET; with IN_USE if the device has a flow for the same frames; with LIMIT_REACHED
    ///   if it has [DeviceLimits#maxFlows]
    Flow createFlow(FlowMatch match);

    /// What this queue pair counted: packets, bytes, retransmissions, NAKs by kind. At least
    /// `bytes-sent` and `bytes-received`, payload both.
    Map<String, Long> counters();

    /// The counter `bytes-received` alone, which costs no allocation. A message is counted before
    /// its completion can be polled.
    long bytesReceived();
}
