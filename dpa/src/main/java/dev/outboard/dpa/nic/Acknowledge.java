package dev.outboard.dpa.nic;

import dev.outboard.dpa.nic.layout.Syndrome;

/// How a peer answers a request.
enum Acknowledge {
    /// It is done.
    DONE(Syndrome.SUCCESS),
    /// Not now: the peer has no receive entry, or its answer is on the way. The requester asks
    /// again with the same message.
    NOT_YET(Syndrome.SUCCESS),
    /// The NIC itself does not execute such a request: nothing has left it.
    NOT_EXECUTABLE(Syndrome.LOCAL_QUEUE_PAIR_OPERATION),
    /// The peer does not execute such a request.
    INVALID_REQUEST(Syndrome.REMOTE_INVALID_REQUEST),
    /// The key does not allow it.
    REMOTE_ACCESS(Syndrome.REMOTE_ACCESS),
    /// The peer failed on its own side.
    REMOTE_OPERATION(Syndrome.REMOTE_OPERATION),
    /// There is no peer, or it is in error.
    NO_ANSWER(Syndrome.TRANSPORT_RETRY_EXCEEDED);

    private final Syndrome syndrome;

    Acknowledge(Syndrome syndrome) {
        this.syndrome = syndrome;
    }

    /// What the requester's completion says.
    Syndrome syndrome() {
        return syndrome;
    }
}
