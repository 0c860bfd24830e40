package dev.outboard.console.verbs;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;

/// Takes a reliable queue pair through its states with what the peer has told over TCP.
final class OutOfBand {
    /// Any: a peer that has been told where to write may write.
    private static final Access[] ACCESS = {
        Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC
    };

    /// 0.64 ms, as the originals.
    private static final int MIN_RNR_TIMER = 12;

    /// 1.07 s, where the originals have 67 ms: it decides when a peer is dead, not when a packet is
    /// lost, and a busy machine may let a process wait for half a second.
    private static final int TIMEOUT = 18;

    private static final int RETRIES = 7;

    private OutOfBand() {}

    /// RESET to INIT: receives can be posted.
    static void initialize(QueuePair pair) {
        pair.modify(QueuePairChange.to(QueuePairState.INIT).access(ACCESS));
    }

    /// INIT to READY_TO_SEND.
    ///
    /// @param psn the first sequence number that `pair` sends
    /// @param readDepth READs and atomics outstanding at most, either way
    static void connect(QueuePair pair, int psn, PairAddress remote, int mtu, int readDepth) {
        pair.modify(
                QueuePairChange.to(QueuePairState.READY_TO_RECEIVE)
                        .addressVector(AddressVector.to(remote.address()))
                        .destinationNumber(remote.number())
                        .pathMtu(mtu)
                        .receivePsn(remote.psn())
                        .maxDestinationReadAtomic(readDepth)
                        .minRnrTimer(MIN_RNR_TIMER));
        pair.modify(
                QueuePairChange.to(QueuePairState.READY_TO_SEND)
                        .sendPsn(psn)
                        .timeout(TIMEOUT)
                        .retryCount(RETRIES)
                        .rnrRetryCount(RETRIES)
                        .maxReadAtomic(readDepth));
    }
}
