package dev.outboard.fabric.roce.cm;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.cm.Octets;
import dev.outboard.fabric.roce.wire.cm.SidrReply;
import dev.outboard.fabric.roce.wire.cm.SidrRequest;
import dev.outboard.fabric.roce.wire.cm.SidrStatus;
import java.util.random.RandomGenerator;

/// The part of a [CmAgent] for datagram services: asks peers for the queue pair and queue key
/// behind a port, and answers who asks for ours (service ID resolution, UDP port space). There is
/// no connection: an answered request is over. The rules of the agent about threads and time hold
/// here too.
public final class ServiceResolver {
    private final Ports ports;
    private final ResolutionTimers timers = new ResolutionTimers();
    private final SidrRequester requester;
    private final SidrResponder responder;

    ServiceResolver(Signalling signalling, RandomGenerator random) {
        ports = new Ports(random);
        requester = new SidrRequester(signalling, ports, timers, random);
        responder = new SidrResponder(signalling, timers);
    }

    /// Takes requests for `port`; 0 takes a free one.
    ///
    /// @param backlog requests that may wait for the application's answer, 1 or more; further ones
    ///   are dropped without an answer
    /// @throws FabricException with SERVICE_IN_USE if the port is taken
    public Listener listen(int port, int backlog) {
        Listener listener = Listener.on(ports, port, backlog);
        responder.add(listener);
        return listener;
    }

    /// Takes no more requests. Closing twice is harmless.
    public void close(Listener listener) {
        if (responder.remove(listener)) {
            ports.release(listener.port());
        }
    }

    /// Asks `remoteGid` for the queue pair behind `remotePort`. Ends in ESTABLISHED or UNREACHABLE.
    ///
    /// @param privateData at most 180 bytes
    /// @throws IllegalArgumentException if the private data is too long
    /// @throws FabricException with LIMIT_REACHED if no local port is free
    public Resolution resolve(Gid remoteGid, int remotePort, byte[] privateData, long nowNanos) {
        CmAgent.requirePort(remotePort);
        return requester.ask(remoteGid, remotePort, privateData, nowNanos);
    }

    /// Lets a request that [#resolve] began end at `limitNanos` at the latest, in UNREACHABLE if
    /// nothing else has ended it before. Without effect once it has ended.
    public void limit(Resolution resolution, long limitNanos) {
        requester.limit(resolution, limitNanos);
    }

    /// Answers the request that a CONNECT_REQUEST event brought with a queue pair.
    ///
    /// @param privateData at most 136 bytes for the peer
    /// @throws IllegalArgumentException if the private data is too long
    /// @throws IllegalStateException if it was answered already
    public void accept(
            Resolution resolution, int qpn, int queueKey, byte[] privateData, long nowNanos) {
        answer(resolution, SidrStatus.VALID, qpn, queueKey, privateData, nowNanos);
    }

    /// Answers the request that a CONNECT_REQUEST event brought with a refusal.
    ///
    /// @param privateData at most 136 bytes for the peer
    /// @throws IllegalArgumentException if the private data is too long
    /// @throws IllegalStateException if it was answered already
    public void reject(Resolution resolution, byte[] privateData, long nowNanos) {
        answer(resolution, SidrStatus.REJECTED, 0, 0, privateData, nowNanos);
    }

    /// Raises no more events for `resolution`: stops asking, or rejects what was not answered yet.
    /// Destroying twice is harmless.
    public void destroy(Resolution resolution, long nowNanos) {
        resolution.isDestroyed = true;
        switch (resolution.state()) {
            case ASKING -> requester.end(resolution);
            case ASKED -> reject(resolution, new byte[0], nowNanos);
            case ANSWERED, OVER -> {}
        }
    }

    /// Requests, of either side, that are remembered.
    public int resolutionCount() {
        return requester.snapshot().size() + responder.snapshot().size();
    }

    void onRequest(Gid source, long transactionId, SidrRequest request, long nowNanos) {
        responder.onRequest(source, transactionId, request, nowNanos);
    }

    void onReply(Gid source, SidrReply reply) {
        requester.onReply(source, reply);
    }

    void shutDown(long nowNanos) {
        requester.snapshot().forEach(resolution -> destroy(resolution, nowNanos));
        for (Resolution resolution : responder.snapshot()) {
            destroy(resolution, nowNanos);
            responder.end(resolution);
        }
    }

    long deadlineNanos() {
        return timers.deadlineNanos();
    }

    void onTimer(long nowNanos) {
        Resolution resolution = timers.pollExpired(nowNanos);
        while (resolution != null) {
            if (resolution.isActive()) {
                requester.onTimer(resolution, nowNanos);
            } else {
                responder.end(resolution);
            }
            resolution = timers.pollExpired(nowNanos);
        }
    }

    private void answer(
            Resolution resolution,
            SidrStatus status,
            int qpn,
            int queueKey,
            byte[] privateData,
            long nowNanos) {
        if (resolution.state() != Resolution.State.ASKED) {
            throw new IllegalStateException(resolution + " has no request to answer");
        }
        Octets padded = Octets.of(privateData).padded(SidrReply.PRIVATE_DATA_LENGTH);
        responder.answer(resolution, status, qpn, queueKey, padded, nowNanos);
    }
}
