package dev.outboard.fabric;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A change of a queue pair: a new state, and the attributes that go with it (the verbs'
/// `ibv_qp_attr` with its mask). Which attributes a transition needs and permits is the table of
/// the InfiniBand Architecture, volume 1, section 11.2.5.2.
///
/// ```java
/// pair.modify(QueuePairChange.to(QueuePairState.INIT).access(Access.REMOTE_WRITE));
/// ```
///
/// Not thread-safe.
public final class QueuePairChange {
    /// What can be given besides the state.
    public enum Attribute {
        ACCESS,
        QUEUE_KEY,
        ADDRESS_VECTOR,
        PATH_MTU,
        DESTINATION_NUMBER,
        RECEIVE_PSN,
        MAX_DESTINATION_READ_ATOMIC,
        MIN_RNR_TIMER,
        SEND_PSN,
        MAX_READ_ATOMIC,
        TIMEOUT,
        RETRY_COUNT,
        RNR_RETRY_COUNT,
        PEER_GUID
    }

    private final QueuePairState state;
    private final EnumSet<Attribute> given = EnumSet.noneOf(Attribute.class);
    private final EnumSet<Access> access = EnumSet.noneOf(Access.class);
    private @Nullable AddressVector addressVector;
    private long peerGuid;
    private final int[] values = new int[Attribute.values().length];

    private QueuePairChange(QueuePairState state) {
        this.state = Objects.requireNonNull(state);
    }

    /// A change to `state`, without attributes.
    public static QueuePairChange to(QueuePairState state) {
        return new QueuePairChange(state);
    }

    /// What the peer may do: any of REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC.
    public QueuePairChange access(Access... permitted) {
        access.clear();
        Collections.addAll(access, permitted);
        given.add(Attribute.ACCESS);
        return this;
    }

    /// The peer may neither write, read nor use atomics.
    public QueuePairChange noAccess() {
        access.clear();
        given.add(Attribute.ACCESS);
        return this;
    }

    /// What datagrams to this queue pair must carry.
    public QueuePairChange queueKey(int key) {
        return put(Attribute.QUEUE_KEY, key);
    }

    /// The way to the peer.
    public QueuePairChange addressVector(AddressVector vector) {
        addressVector = vector;
        given.add(Attribute.ADDRESS_VECTOR);
        return this;
    }

    /// Payload bytes of a full packet: 256, 512, 1024, 2048 or 4096.
    public QueuePairChange pathMtu(int bytes) {
        return put(Attribute.PATH_MTU, bytes);
    }

    /// The peer's queue pair number, 24 bits.
    public QueuePairChange destinationNumber(int number) {
        return put(Attribute.DESTINATION_NUMBER, number);
    }

    /// The first sequence number the peer sends, 24 bits.
    public QueuePairChange receivePsn(int psn) {
        return put(Attribute.RECEIVE_PSN, psn);
    }

    /// READs and atomics the peer may have outstanding, 0..255.
    public QueuePairChange maxDestinationReadAtomic(int count) {
        return put(Attribute.MAX_DESTINATION_READ_ATOMIC, count);
    }

    /// The code, 0..31, of how long a peer waits when no receive is posted.
    public QueuePairChange minRnrTimer(int code) {
        return put(Attribute.MIN_RNR_TIMER, code);
    }

    /// The first sequence number to send, 24 bits.
    public QueuePairChange sendPsn(int psn) {
        return put(Attribute.SEND_PSN, psn);
    }

    /// READs and atomics to have outstanding, 0..255.
    public QueuePairChange maxReadAtomic(int count) {
        return put(Attribute.MAX_READ_ATOMIC, count);
    }

    /// The transport timeout is 4.096 µs times 2 to the power of `code`, 0..31; code 0 means never.
    public QueuePairChange timeout(int code) {
        return put(Attribute.TIMEOUT, code);
    }

    /// Transport retries, 0..7.
    public QueuePairChange retryCount(int count) {
        return put(Attribute.RETRY_COUNT, count);
    }

    /// Receiver-not-ready retries, 0..7; 7 means for ever.
    public QueuePairChange rnrRetryCount(int count) {
        return put(Attribute.RNR_RETRY_COUNT, count);
    }

    /// The [Device#guid] of the peer, which connection management exchanges too: a provider may
    /// recognize its own kind by it and send faster than to a stranger.
    public QueuePairChange peerGuid(long guid) {
        peerGuid = guid;
        given.add(Attribute.PEER_GUID);
        return this;
    }

    /// The state to change to.
    public QueuePairState state() {
        return state;
    }

    /// The attributes that were given.
    public Set<Attribute> given() {
        return Collections.unmodifiableSet(given);
    }

    /// The access given.
    public Set<Access> access() {
        return Collections.unmodifiableSet(access);
    }

    /// The address vector, if given.
    public Optional<AddressVector> addressVector() {
        return Optional.ofNullable(addressVector);
    }

    /// The GUID given for the peer's device; 0 if there is none.
    public long peerGuid() {
        return peerGuid;
    }

    /// The value given for a numeric `attribute`; 0 if there is none.
    public int value(Attribute attribute) {
        return values[attribute.ordinal()];
    }

    private QueuePairChange put(Attribute attribute, int value) {
        values[attribute.ordinal()] = value;
        given.add(attribute);
        return this;
    }
}
