package dev.outboard.fabric.verbs;

import static dev.outboard.fabric.QueuePairChange.Attribute.ACCESS;
import static dev.outboard.fabric.QueuePairChange.Attribute.ADDRESS_VECTOR;
import static dev.outboard.fabric.QueuePairChange.Attribute.DESTINATION_NUMBER;
import static dev.outboard.fabric.QueuePairChange.Attribute.MAX_DESTINATION_READ_ATOMIC;
import static dev.outboard.fabric.QueuePairChange.Attribute.MAX_READ_ATOMIC;
import static dev.outboard.fabric.QueuePairChange.Attribute.MIN_RNR_TIMER;
import static dev.outboard.fabric.QueuePairChange.Attribute.PATH_MTU;
import static dev.outboard.fabric.QueuePairChange.Attribute.PEER_GUID;
import static dev.outboard.fabric.QueuePairChange.Attribute.QUEUE_KEY;
import static dev.outboard.fabric.QueuePairChange.Attribute.RECEIVE_PSN;
import static dev.outboard.fabric.QueuePairChange.Attribute.RETRY_COUNT;
import static dev.outboard.fabric.QueuePairChange.Attribute.RNR_RETRY_COUNT;
import static dev.outboard.fabric.QueuePairChange.Attribute.SEND_PSN;
import static dev.outboard.fabric.QueuePairChange.Attribute.TIMEOUT;
import static dev.outboard.fabric.QueuePairState.ERROR;
import static dev.outboard.fabric.QueuePairState.INIT;
import static dev.outboard.fabric.QueuePairState.READY_TO_RECEIVE;
import static dev.outboard.fabric.QueuePairState.READY_TO_SEND;
import static dev.outboard.fabric.QueuePairState.RESET;
import static dev.outboard.fabric.QueuePairState.SEND_QUEUE_DRAIN;
import static dev.outboard.fabric.QueuePairState.SEND_QUEUE_ERROR;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairChange.Attribute;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.QueuePairType;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// Which changes of a queue pair exist, and which attributes each needs and permits (roce.md 3.10;
/// InfiniBand Architecture, volume 1, section 11.2.5.2). Attributes that mean nothing over Ethernet
/// (P_Key index, port, alternate path) do not exist here.
///
/// ROCE-RC-30: which changes of state there are, and what each needs.
public final class Transitions {
    private static final int MAX_24_BITS = 0xFFFFFF;
    private static final Set<Integer> PATH_MTUS = new TreeSet<>(Set.of(256, 512, 1024, 2048, 4096));

    /// What a transition needs, and what else it permits.
    private record Rule(Set<Attribute> required, Set<Attribute> optional) {
        boolean knows(Attribute attribute) {
            return required.contains(attribute) || optional.contains(attribute);
        }
    }

    private static final Transitions CONNECTED =
            new Transitions()
                    .permit(RESET, INIT, Set.of(ACCESS), Set.of())
                    .permit(INIT, INIT, Set.of(), Set.of(ACCESS))
                    .permit(
                            INIT,
                            READY_TO_RECEIVE,
                            EnumSet.of(
                                    ADDRESS_VECTOR,
                                    PATH_MTU,
                                    DESTINATION_NUMBER,
                                    RECEIVE_PSN,
                                    MAX_DESTINATION_READ_ATOMIC,
                                    MIN_RNR_TIMER),
                            Set.of(ACCESS, PEER_GUID))
                    .permit(
                            READY_TO_RECEIVE,
                            READY_TO_SEND,
                            EnumSet.of(
                                    SEND_PSN,
                                    TIMEOUT,
                                    RETRY_COUNT,
                                    RNR_RETRY_COUNT,
                                    MAX_READ_ATOMIC),
                            Set.of(ACCESS, MIN_RNR_TIMER))
                    .permit(READY_TO_SEND, READY_TO_SEND, Set.of(), Set.of(ACCESS, MIN_RNR_TIMER))
                    .permit(READY_TO_SEND, SEND_QUEUE_DRAIN, Set.of(), Set.of())
                    .permit(
                            SEND_QUEUE_DRAIN,
                            SEND_QUEUE_DRAIN,
                            Set.of(),
                            EnumSet.of(
                                    ACCESS,
                                    ADDRESS_VECTOR,
                                    TIMEOUT,
                                    RETRY_COUNT,
                                    RNR_RETRY_COUNT,
                                    MAX_READ_ATOMIC,
                                    MAX_DESTINATION_READ_ATOMIC,
                                    MIN_RNR_TIMER))
                    .permit(
                            SEND_QUEUE_DRAIN,
                            READY_TO_SEND,
                            Set.of(),
                            Set.of(ACCESS, MIN_RNR_TIMER));

    private static final Transitions DATAGRAM =
            new Transitions()
                    .permit(RESET, INIT, Set.of(QUEUE_KEY), Set.of())
                    .permit(INIT, INIT, Set.of(), Set.of(QUEUE_KEY))
                    .permit(INIT, READY_TO_RECEIVE, Set.of(), Set.of(QUEUE_KEY))
                    .permit(READY_TO_RECEIVE, READY_TO_SEND, Set.of(SEND_PSN), Set.of(QUEUE_KEY))
                    .permit(READY_TO_SEND, READY_TO_SEND, Set.of(), Set.of(QUEUE_KEY))
                    .permit(READY_TO_SEND, SEND_QUEUE_DRAIN, Set.of(), Set.of())
                    .permit(SEND_QUEUE_DRAIN, SEND_QUEUE_DRAIN, Set.of(), Set.of(QUEUE_KEY))
                    .permit(SEND_QUEUE_DRAIN, READY_TO_SEND, Set.of(), Set.of(QUEUE_KEY))
                    .permit(SEND_QUEUE_ERROR, READY_TO_SEND, Set.of(), Set.of(QUEUE_KEY));

    private static final Transitions RAW =
            new Transitions()
                    .permit(RESET, INIT, Set.of(), Set.of())
                    .permit(INIT, INIT, Set.of(), Set.of())
                    .permit(INIT, READY_TO_RECEIVE, Set.of(), Set.of())
                    .permit(READY_TO_RECEIVE, READY_TO_SEND, Set.of(), Set.of())
                    .permit(READY_TO_SEND, READY_TO_SEND, Set.of(), Set.of())
                    .permit(READY_TO_SEND, SEND_QUEUE_DRAIN, Set.of(), Set.of())
                    .permit(SEND_QUEUE_DRAIN, SEND_QUEUE_DRAIN, Set.of(), Set.of())
                    .permit(SEND_QUEUE_DRAIN, READY_TO_SEND, Set.of(), Set.of())
                    .permit(SEND_QUEUE_ERROR, READY_TO_SEND, Set.of(), Set.of());

    private final Map<QueuePairState, Map<QueuePairState, Rule>> rules =
            new EnumMap<>(QueuePairState.class);

    private Transitions() {
        for (QueuePairState from : QueuePairState.values()) {
            permit(from, RESET, Set.of(), Set.of());
            permit(from, ERROR, Set.of(), Set.of());
        }
    }

    private Transitions permit(
            QueuePairState from,
            QueuePairState to,
            Set<Attribute> required,
            Set<Attribute> optional) {
        rules.computeIfAbsent(from, any -> new EnumMap<>(QueuePairState.class))
                .put(to, new Rule(required, optional));
        return this;
    }

    /// Checks that queue pair `number`, in state `from`, can be changed like that.
    ///
    /// @param local the address of its device
    /// @param maxPathMtu bytes
    /// @throws FabricException that says what is wrong and what would be valid
    public static void check(
            int number,
            QueuePairType type,
            QueuePairState from,
            QueuePairChange change,
            InetAddress local,
            int maxPathMtu) {
        Transitions table =
                switch (type) {
                    case RELIABLE_CONNECTED -> CONNECTED;
                    case UNRELIABLE_DATAGRAM -> DATAGRAM;
                    case RAW_PACKET -> RAW;
                };
        Map<QueuePairState, Rule> exits = table.rules.getOrDefault(from, Map.of());
        Rule rule = exits.get(change.state());
        if (rule == null) {
            throw new FabricException(
                    Reason.INVALID_STATE,
                    "queue pair %d (%s) cannot go from %s to %s; from there it can go to %s"
                            .formatted(number, type, from, change.state(), exits.keySet()));
        }
        String transition =
                "queue pair %d (%s), %s to %s".formatted(number, type, from, change.state());
        checkAttributes(transition, rule, change);
        checkValues(transition, change, local, maxPathMtu);
    }

    private static void checkAttributes(String transition, Rule rule, QueuePairChange change) {
        Set<Attribute> missing = new TreeSet<>(rule.required());
        missing.removeAll(change.given());
        if (!missing.isEmpty()) {
            throw invalid(transition, missing + " missing");
        }
        for (Attribute attribute : change.given()) {
            if (!rule.knows(attribute)) {
                Set<Attribute> valid = new TreeSet<>(rule.required());
                valid.addAll(rule.optional());
                throw invalid(transition, attribute + " cannot be given; valid here: " + valid);
            }
        }
    }

    private static void checkValues(
            String transition, QueuePairChange change, InetAddress local, int maxPathMtu) {
        for (Attribute attribute : change.given()) {
            int value = change.value(attribute);
            switch (attribute) {
                case ACCESS, QUEUE_KEY, PEER_GUID -> {}
                case ADDRESS_VECTOR -> checkDestination(transition, change, local);
                case PATH_MTU -> checkPathMtu(transition, value, maxPathMtu);
                case DESTINATION_NUMBER, RECEIVE_PSN, SEND_PSN ->
                        range(transition, attribute, value, MAX_24_BITS);
                case MAX_DESTINATION_READ_ATOMIC, MAX_READ_ATOMIC ->
                        range(transition, attribute, value, 255);
                case MIN_RNR_TIMER, TIMEOUT -> range(transition, attribute, value, 31);
                case RETRY_COUNT, RNR_RETRY_COUNT -> range(transition, attribute, value, 7);
            }
        }
    }

    private static void checkDestination(
            String transition, QueuePairChange change, InetAddress local) {
        InetAddress destination = change.addressVector().orElseThrow().destination();
        if (destination instanceof Inet4Address != local instanceof Inet4Address) {
            throw invalid(
                    transition,
                    "ADDRESS_VECTOR leads to %s, but the device's address is %s; both must be IPv4 or both IPv6"
                            .formatted(destination.getHostAddress(), local.getHostAddress()));
        }
    }

    private static void checkPathMtu(String transition, int bytes, int max) {
        if (!PATH_MTUS.contains(bytes) || bytes > max) {
            Collection<Integer> valid = new TreeSet<>(PATH_MTUS);
            valid.removeIf(each -> each > max);
            throw invalid(transition, "PATH_MTU is " + bytes + "; valid: " + valid);
        }
    }

    private static void range(String transition, Attribute attribute, int value, int max) {
        if (value < 0 || value > max) {
            throw invalid(transition, attribute + " is " + value + "; valid: 0 to " + max);
        }
    }

    private static FabricException invalid(String transition, String what) {
        return new FabricException(Reason.INVALID_ARGUMENT, transition + ": " + what);
    }
}
