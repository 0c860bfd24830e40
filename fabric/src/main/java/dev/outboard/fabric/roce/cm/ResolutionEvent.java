package dev.outboard.fabric.roce.cm;

import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.roce.wire.cm.Octets;
import dev.outboard.fabric.roce.wire.cm.SidrReply;

/// Something that happened to a service ID resolution, in librdmacm's terms.
///
/// | type | when | private data |
/// | --- | --- | --- |
/// | CONNECT_REQUEST | a SIDR_REQ for a listener; answer with accept or reject | 180 bytes |
/// | ESTABLISHED, active | the SIDR_REP brought a queue pair | 136 bytes |
/// | UNREACHABLE | a SIDR_REP with another status, or none | 136 bytes, or none |
///
/// @param status 0, a [dev.outboard.fabric.roce.wire.cm.SidrStatus] code, or an errno if nobody
///   answered
/// @param explanation one line for people; empty if nothing failed
/// @param qpn of ESTABLISHED: the peer's queue pair
/// @param queueKey of ESTABLISHED: what datagrams to it must carry
public record ResolutionEvent(
        ConnectionEvent.Type type,
        Resolution resolution,
        int status,
        String explanation,
        int qpn,
        int queueKey,
        Octets privateData) {

    static ResolutionEvent requested(Resolution resolution, Octets privateData) {
        return new ResolutionEvent(
                ConnectionEvent.Type.CONNECT_REQUEST, resolution, 0, "", 0, 0, privateData);
    }

    static ResolutionEvent resolved(Resolution resolution, SidrReply reply) {
        return new ResolutionEvent(
                ConnectionEvent.Type.ESTABLISHED,
                resolution,
                0,
                "",
                reply.qpn(),
                reply.queueKey(),
                reply.privateData());
    }

    static ResolutionEvent failed(
            Resolution resolution, int status, String explanation, Octets privateData) {
        return new ResolutionEvent(
                ConnectionEvent.Type.UNREACHABLE,
                resolution,
                status,
                explanation,
                0,
                0,
                privateData);
    }
}
