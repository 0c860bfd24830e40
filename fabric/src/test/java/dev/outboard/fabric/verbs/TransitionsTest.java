package dev.outboard.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairChange.Attribute;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.testkit.Requirement;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Every pair of states against the table of roce.md 3.10, written down once more.
class TransitionsTest {
    private static final int NUMBER = 0x1234;
    private static final InetAddress LOCAL = InetAddress.ofLiteral("127.0.0.2");
    private static final int MAX_PATH_MTU = 2048;

    /// From, to, what is needed, what else may be given. What is missing here does not exist; RESET
    /// and ERROR can always be reached, with nothing given.
    private static final List<String> CONNECTED =
            List.of(
                    "RESET INIT ACCESS -",
                    "INIT INIT - ACCESS",
                    "INIT READY_TO_RECEIVE"
                            + " ADDRESS_VECTOR,PATH_MTU,DESTINATION_NUMBER,RECEIVE_PSN,MAX_DESTINATION_READ_ATOMIC,MIN_RNR_TIMER"
                            + " ACCESS,PEER_GUID",
                    "READY_TO_RECEIVE READY_TO_SEND"
                            + " SEND_PSN,TIMEOUT,RETRY_COUNT,RNR_RETRY_COUNT,MAX_READ_ATOMIC"
                            + " ACCESS,MIN_RNR_TIMER",
                    "READY_TO_SEND READY_TO_SEND - ACCESS,MIN_RNR_TIMER",
                    "READY_TO_SEND SEND_QUEUE_DRAIN - -",
                    "SEND_QUEUE_DRAIN SEND_QUEUE_DRAIN -"
                            + " ACCESS,ADDRESS_VECTOR,TIMEOUT,RETRY_COUNT,RNR_RETRY_COUNT,MAX_READ_ATOMIC,MAX_DESTINATION_READ_ATOMIC,MIN_RNR_TIMER",
                    "SEND_QUEUE_DRAIN READY_TO_SEND - ACCESS,MIN_RNR_TIMER");

    private static final List<String> DATAGRAM =
            List.of(
                    "RESET INIT QUEUE_KEY -",
                    "INIT INIT - QUEUE_KEY",
                    "INIT READY_TO_RECEIVE - QUEUE_KEY",
                    "READY_TO_RECEIVE READY_TO_SEND SEND_PSN QUEUE_KEY",
                    "READY_TO_SEND READY_TO_SEND - QUEUE_KEY",
                    "READY_TO_SEND SEND_QUEUE_DRAIN - -",
                    "SEND_QUEUE_DRAIN SEND_QUEUE_DRAIN - QUEUE_KEY",
                    "SEND_QUEUE_DRAIN READY_TO_SEND - QUEUE_KEY",
                    "SEND_QUEUE_ERROR READY_TO_SEND - QUEUE_KEY");

    private static final List<String> RAW =
            List.of(
                    "RESET INIT - -",
                    "INIT INIT - -",
                    "INIT READY_TO_RECEIVE - -",
                    "READY_TO_RECEIVE READY_TO_SEND - -",
                    "READY_TO_SEND READY_TO_SEND - -",
                    "READY_TO_SEND SEND_QUEUE_DRAIN - -",
                    "SEND_QUEUE_DRAIN SEND_QUEUE_DRAIN - -",
                    "SEND_QUEUE_DRAIN READY_TO_SEND - -",
                    "SEND_QUEUE_ERROR READY_TO_SEND - -");

    private record Row(Set<Attribute> required, Set<Attribute> optional) {}

    static Stream<Arguments> everyTransition() {
        return Arrays.stream(QueuePairType.values())
                .flatMap(type ->
                        Arrays.stream(QueuePairState.values())
                                .flatMap(from ->
                                        Arrays.stream(QueuePairState.values())
                                                .map(to -> Arguments.of(type, from, to))));
    }

    @ParameterizedTest
    @MethodSource("everyTransition")
    @Requirement("ROCE-RC-30")
    void permitsExactlyTheTransitionsOfTheTable(
            QueuePairType type, QueuePairState from, QueuePairState to) {
        Optional<Row> row = row(type, from, to);
        Set<Attribute> needed = row.map(Row::required).orElse(Set.of());
        FabricException refusal = refusal(type, from, change(to, needed));
        if (row.isPresent()) {
            assertThat(refusal).isNull();
        } else {
            assertThat(refusal).isNotNull();
            assertThat(refusal.reason()).isEqualTo(Reason.INVALID_STATE);
            assertThat(refusal)
                    .hasMessageContaining("queue pair " + NUMBER)
                    .hasMessageContaining(from + " to " + to)
                    .hasMessageContaining("RESET")
                    .hasMessageContaining("ERROR");
        }
    }

    @ParameterizedTest
    @MethodSource("everyTransition")
    @Requirement("ROCE-RC-30")
    void needsEveryRequiredAttribute(QueuePairType type, QueuePairState from, QueuePairState to) {
        Row row = row(type, from, to).orElse(new Row(Set.of(), Set.of()));
        for (Attribute missing : row.required()) {
            Set<Attribute> given = EnumSet.copyOf(row.required());
            given.remove(missing);
            FabricException refusal = refusal(type, from, change(to, given));
            assertThat(refusal).as("without %s", missing).isNotNull();
            assertThat(refusal.reason()).isEqualTo(Reason.INVALID_ARGUMENT);
            assertThat(refusal)
                    .hasMessageContaining("queue pair " + NUMBER)
                    .hasMessageContaining("[" + missing + "] missing");
        }
    }

    @ParameterizedTest
    @MethodSource("everyTransition")
    @Requirement("ROCE-RC-30")
    void permitsTheOptionalAttributesAndNoOthers(
            QueuePairType type, QueuePairState from, QueuePairState to) {
        Optional<Row> row = row(type, from, to);
        if (row.isEmpty()) {
            return;
        }
        for (Attribute extra : Attribute.values()) {
            if (row.get().required().contains(extra)) {
                continue;
            }
            Set<Attribute> given = EnumSet.of(extra);
            given.addAll(row.get().required());
            FabricException refusal = refusal(type, from, change(to, given));
            if (row.get().optional().contains(extra)) {
                assertThat(refusal).as("with %s", extra).isNull();
            } else {
                assertThat(refusal).as("with %s", extra).isNotNull();
                assertThat(refusal.reason()).isEqualTo(Reason.INVALID_ARGUMENT);
                assertThat(refusal).hasMessageContaining(extra + " cannot be given");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "DESTINATION_NUMBER, 0, 16777215",
        "RECEIVE_PSN, 0, 16777215",
        "MAX_DESTINATION_READ_ATOMIC, 0, 255",
        "MIN_RNR_TIMER, 0, 31"
    })
    @Requirement("ROCE-RC-30")
    void checksTheRangeOfEveryNumber(Attribute attribute, int min, int max) {
        assertThat(toReceive(attribute, min)).isNull();
        assertThat(toReceive(attribute, max)).isNull();
        for (int outside : new int[] {min - 1, max + 1}) {
            assertThat(toReceive(attribute, outside))
                    .isNotNull()
                    .hasMessageContaining(attribute + " is " + outside)
                    .hasMessageContaining("valid: 0 to " + max);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "SEND_PSN, 16777215",
        "MAX_READ_ATOMIC, 255",
        "TIMEOUT, 31",
        "RETRY_COUNT, 7",
        "RNR_RETRY_COUNT, 7"
    })
    @Requirement("ROCE-RC-30")
    void checksTheRangeOfEveryNumberOfTheSender(Attribute attribute, int max) {
        assertThat(toSend(attribute, 0)).isNull();
        assertThat(toSend(attribute, max)).isNull();
        assertThat(toSend(attribute, -1)).isNotNull();
        assertThat(toSend(attribute, max + 1))
                .isNotNull()
                .hasMessageContaining(attribute + " is " + (max + 1));
    }

    @ParameterizedTest
    @CsvSource({"256, true", "2048, true", "4096, false", "1000, false", "0, false"})
    @Requirement("ROCE-RC-30")
    void knowsThePathMtusThatTheDeviceCanSend(int bytes, boolean valid) {
        FabricException refusal = toReceive(Attribute.PATH_MTU, bytes);
        if (valid) {
            assertThat(refusal).isNull();
        } else {
            assertThat(refusal)
                    .isNotNull()
                    .hasMessageContaining("PATH_MTU is " + bytes)
                    .hasMessageContaining("[256, 512, 1024, 2048]");
        }
    }

    @Test
    @Requirement("ROCE-RC-30")
    void needsAnAddressOfTheSameKindAsItsOwn() throws UnknownHostException {
        QueuePairChange change =
                change(
                                QueuePairState.READY_TO_RECEIVE,
                                row(
                                                QueuePairType.RELIABLE_CONNECTED,
                                                QueuePairState.INIT,
                                                QueuePairState.READY_TO_RECEIVE)
                                        .orElseThrow()
                                        .required())
                        .addressVector(AddressVector.to(InetAddress.getByName("fd00::1")));
        assertThat(refusal(QueuePairType.RELIABLE_CONNECTED, QueuePairState.INIT, change))
                .isNotNull()
                .hasMessageContaining("fd00:0:0:0:0:0:0:1")
                .hasMessageContaining("127.0.0.2");
    }

    private static @Nullable FabricException toReceive(Attribute attribute, int value) {
        return withValue(QueuePairState.INIT, QueuePairState.READY_TO_RECEIVE, attribute, value);
    }

    private static @Nullable FabricException toSend(Attribute attribute, int value) {
        return withValue(
                QueuePairState.READY_TO_RECEIVE, QueuePairState.READY_TO_SEND, attribute, value);
    }

    private static @Nullable FabricException withValue(
            QueuePairState from, QueuePairState to, Attribute attribute, int value) {
        QueuePairType type = QueuePairType.RELIABLE_CONNECTED;
        QueuePairChange change = change(to, row(type, from, to).orElseThrow().required());
        give(change, attribute, value);
        return refusal(type, from, change);
    }

    private static @Nullable FabricException refusal(
            QueuePairType type, QueuePairState from, QueuePairChange change) {
        return catchThrowableOfType(
                FabricException.class,
                () -> Transitions.check(NUMBER, type, from, change, LOCAL, MAX_PATH_MTU));
    }

    private static List<String> rows(QueuePairType type) {
        return switch (type) {
            case RELIABLE_CONNECTED -> CONNECTED;
            case UNRELIABLE_DATAGRAM -> DATAGRAM;
            case RAW_PACKET -> RAW;
        };
    }

    private static Optional<Row> row(QueuePairType type, QueuePairState from, QueuePairState to) {
        if (to == QueuePairState.RESET || to == QueuePairState.ERROR) {
            return Optional.of(new Row(Set.of(), Set.of()));
        }
        return rows(type).stream()
                .map(line -> line.split(" "))
                .filter(line -> line[0].equals(from.name()) && line[1].equals(to.name()))
                .map(line -> new Row(attributes(line[2]), attributes(line[3])))
                .findFirst();
    }

    private static Set<Attribute> attributes(String list) {
        return list.equals("-")
                ? Set.of()
                : Arrays.stream(list.split(","))
                        .map(Attribute::valueOf)
                        .collect(Collectors.toCollection(() -> EnumSet.noneOf(Attribute.class)));
    }

    private static QueuePairChange change(QueuePairState to, Set<Attribute> given) {
        QueuePairChange change = QueuePairChange.to(to);
        given.forEach(attribute -> give(change, attribute, 1));
        return change;
    }

    private static void give(QueuePairChange change, Attribute attribute, int value) {
        switch (attribute) {
            case ACCESS -> change.access(Access.REMOTE_WRITE);
            case QUEUE_KEY -> change.queueKey(value);
            case ADDRESS_VECTOR ->
                    change.addressVector(AddressVector.to(InetAddress.getLoopbackAddress()));
            case PATH_MTU -> change.pathMtu(value == 1 ? 1024 : value);
            case DESTINATION_NUMBER -> change.destinationNumber(value);
            case RECEIVE_PSN -> change.receivePsn(value);
            case MAX_DESTINATION_READ_ATOMIC -> change.maxDestinationReadAtomic(value);
            case MIN_RNR_TIMER -> change.minRnrTimer(value);
            case SEND_PSN -> change.sendPsn(value);
            case MAX_READ_ATOMIC -> change.maxReadAtomic(value);
            case TIMEOUT -> change.timeout(value);
            case RETRY_COUNT -> change.retryCount(value);
            case RNR_RETRY_COUNT -> change.rnrRetryCount(value);
            case PEER_GUID -> change.peerGuid(value);
        }
    }
}
