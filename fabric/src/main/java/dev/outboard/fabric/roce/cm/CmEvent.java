package dev.outboard.fabric.roce.cm;

import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionParameters;

/// Something that happened to a connection, in librdmacm's terms.
///
/// | type | when | parameters |
/// | --- | --- | --- |
/// | CONNECT_REQUEST | a REQ for a listener; answer with accept or reject | the REQ's, 56 bytes |
/// | ESTABLISHED, active | the REP came | the REP's, 196 bytes |
/// | ESTABLISHED, passive | the RTU or a packet on the queue pair came | the REQ's; the RTU's 224 bytes |
/// | REJECTED | a REJ; `status` is its reason | 148 bytes |
/// | UNREACHABLE | no answer to REQ or REP | |
/// | CONNECT_ERROR | the active side's queue pair could not be connected | |
/// | DISCONNECTED | a DREQ came, or our own was answered or given up | |
/// | TIMEWAIT_EXIT | queue pair number and communication ID are free again | |
///
/// @param status 0, a reject reason for REJECTED, or an errno
/// @param explanation one line for people; empty if nothing failed
public record CmEvent(
        ConnectionEvent.Type type,
        Connection connection,
        int status,
        String explanation,
        ConnectionParameters parameters) {
    /// The Linux errno of UNREACHABLE, and of DISCONNECTED if nobody answered.
    public static final int ETIMEDOUT = 110;

    /// The Linux errno of CONNECT_ERROR.
    public static final int EINVAL = 22;
}
