package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.CompletionChannel;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.MemoryWatch;
import dev.outboard.fabric.MemoryWindow;
import dev.outboard.fabric.MmioHandler;
import dev.outboard.fabric.PortSpace;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.SharedReceiveQueue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Closing on every provider: what is closed refuses and says so, what is in use cannot be closed,
/// closing twice is harmless, and the device counts what is open.
public abstract class ClosingContract {
    private static final byte[] NONE = {};
    private static final int PORT = 7373;

    /// Registers that hold nothing.
    private static final MmioHandler REGISTERS =
            new MmioHandler() {
                @Override
                public int readInt(long offset) {
                    return 0;
                }

                @Override
                public long readLong(long offset) {
                    return 0;
                }

                @Override
                public void writeInt(long offset, int value) {}

                @Override
                public void writeLong(long offset, long value) {}
            };

    private final MemorySegment memory = Arena.ofAuto().allocate(4096, 8);
    private Device device;
    private ProtectionDomain domain;
    private CompletionQueue queue;

    /// Opens a device that reaches, and is reached by, the other devices opened here.
    protected abstract Device open();

    @BeforeEach
    void create() {
        device = open();
        domain = device.allocateProtectionDomain();
        queue = device.createCompletionQueue(4);
    }

    @AfterEach
    void close() {
        queue.close();
        domain.close();
        assertOpen("protection-domains", 0);
        assertOpen("completion-queues", 0);
        assertOpen("queue-pairs", 0);
        assertOpen("memory-regions", 0);
        device.close();
    }

    private void assertOpen(String what, long count) {
        assertThat(device.counters()).containsEntry("open." + what, count);
    }

    private static void assertClosed(String object, ThrowingCallable... calls) {
        for (ThrowingCallable call : calls) {
            assertThatThrownBy(call)
                    .isInstanceOfSatisfying(
                            FabricException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.CLOSED))
                    .hasMessageContaining(object + " is closed");
        }
    }

    private QueuePairAttributes attributes() {
        return QueuePairAttributes.of(queue, 1, 1);
    }

    private AddressVector itself() {
        return AddressVector.to(device.address());
    }

    /// What a protection domain has. Each keeps it open alone.
    enum Child {
        REGION("1 memory regions") {
            @Override
            AutoCloseable of(ClosingContract test) {
                return test.domain.register(test.memory, Access.LOCAL_WRITE);
            }
        },
        WATCHED_REGION("1 memory regions") {
            @Override
            AutoCloseable of(ClosingContract test) {
                return test.domain.register(test.memory, new MemoryWatch() {}, Access.LOCAL_WRITE);
            }
        },
        REGION_ELSEWHERE("1 memory regions") {
            @Override
            AutoCloseable of(ClosingContract test) {
                return test.domain.register(test.memory, 0x1000, Access.LOCAL_WRITE);
            }
        },
        REGISTERS_OF_A_MODEL("1 memory regions") {
            @Override
            AutoCloseable of(ClosingContract test) {
                return test.domain.registerMmio(64, REGISTERS, Access.LOCAL_WRITE);
            }
        },
        WINDOW("1 memory windows") {
            @Override
            AutoCloseable of(ClosingContract test) {
                return test.domain.allocateMemoryWindow(MemoryWindow.Type.TYPE_1);
            }
        },
        QUEUE_PAIR("1 queue pairs") {
            @Override
            AutoCloseable of(ClosingContract test) {
                return test.domain.createQueuePair(test.attributes());
            }
        },
        SHARED_RECEIVE_QUEUE("1 shared receive queues") {
            @Override
            AutoCloseable of(ClosingContract test) {
                return test.domain.createSharedReceiveQueue(4, 1);
            }
        },
        ADDRESS_HANDLE("1 address handles") {
            @Override
            AutoCloseable of(ClosingContract test) {
                return test.domain.createAddressHandle(test.itself());
            }
        };

        final String inMessages;

        Child(String inMessages) {
            this.inMessages = inMessages;
        }

        abstract AutoCloseable of(ClosingContract test);
    }

    @ParameterizedTest
    @EnumSource
    void eachPartOfADomainKeepsItOpen(Child child) throws Exception {
        AutoCloseable open = child.of(this);
        QueuePairContract.assertInUse(domain, child.inMessages);
        child.of(this).close();
        QueuePairContract.assertInUse(domain, child.inMessages);
        assertOpen("protection-domains", 1);
        open.close();
        open.close();
        domain.close();
    }

    @ParameterizedTest
    @EnumSource
    void aClosedDomainHasNoMoreParts(Child child) {
        domain.close();
        assertClosed("protection domain of " + device.name(), () -> child.of(this));
    }

    @Test
    void aClosedDomainRegistersNoDeviceMemory() {
        if (device.limits().maxDeviceMemoryBytes() > 0) {
            try (var memoryOfTheCard = device.allocateDeviceMemory(64, 8)) {
                domain.close();
                assertClosed(
                        "protection domain of " + device.name(),
                        () -> domain.register(memoryOfTheCard, 0, 64));
            }
        }
    }

    @Test
    void aDomainIsCountedUntilItIsClosed() {
        ProtectionDomain other = device.allocateProtectionDomain();
        assertOpen("protection-domains", 2);
        other.close();
        other.close();
        assertOpen("protection-domains", 1);
    }

    @Test
    void aCompletionQueueIsCountedUntilItIsClosed() {
        try (CompletionChannel channel = device.createCompletionChannel()) {
            CompletionQueue told = device.createCompletionQueue(4, channel);
            CompletionQueue handing = device.createCompletionQueue(completion -> {});
            assertOpen("completion-queues", 3);
            QueuePairContract.assertInUse(channel, "1 completion queues");
            told.close();
            told.close();
            assertOpen("completion-queues", 2);
            handing.close();
            handing.close();
            assertOpen("completion-queues", 1);
        }
    }

    @Test
    void aQueuePairIsCountedUntilItIsClosed() {
        QueuePair one = domain.createQueuePair(attributes());
        QueuePair other = domain.createQueuePair(attributes());
        assertOpen("queue-pairs", 2);
        one.close();
        one.close();
        assertOpen("queue-pairs", 1);
        other.close();
    }

    @Test
    void aConnectionChannelIsCountedUntilItIsClosed() {
        ConnectionChannel one = device.createConnectionChannel();
        ConnectionChannel other = device.createConnectionChannel();
        assertOpen("connection-channels", 2);
        one.close();
        one.close();
        assertOpen("connection-channels", 1);
        other.close();
        assertOpen("connection-channels", 0);
    }

    @Test
    void aClosedQueuePairTakesNothing() {
        QueuePair pair = domain.createQueuePair(attributes());
        pair.close();
        assertClosed(
                "queue pair " + pair.number() + " of " + device.name(),
                () -> pair.post(new SendRequest().noPayload()),
                () -> pair.post(new ReceiveRequest().noBuffer()));
        assertThat(pair.state()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    void aClosedSharedReceiveQueueTakesNothing() {
        SharedReceiveQueue shared = domain.createSharedReceiveQueue(4, 1);
        shared.close();
        assertClosed(
                "shared receive queue of " + device.name(),
                () -> shared.post(new ReceiveRequest().noBuffer()),
                () -> shared.arm(0));
    }

    @Test
    void aQueuePairIsNotMadeOfClosedParts() {
        CompletionQueue old = device.createCompletionQueue(4);
        old.close();
        SharedReceiveQueue shared = domain.createSharedReceiveQueue(4, 1);
        shared.close();
        assertClosed(
                "completion queue of " + device.name(),
                () -> domain.createQueuePair(QueuePairAttributes.of(old, 1, 1)),
                () -> domain.createQueuePair(attributes().withReceiveQueue(old)));
        assertClosed(
                "shared receive queue of " + device.name(),
                () -> domain.createQueuePair(attributes().withSharedReceiveQueue(shared)));
        try (ConnectionChannel channel = device.createConnectionChannel()) {
            ConnectionId id = channel.createId();
            domain.close();
            assertClosed(
                    "protection domain of " + device.name(),
                    () -> id.createQueuePair(domain, attributes()));
        }
        assertOpen("queue-pairs", 0);
    }

    @Test
    void aClosedCompletionChannelTakesNoQueue() {
        CompletionChannel channel = device.createCompletionChannel();
        channel.close();
        channel.close();
        assertClosed(
                "completion channel of " + device.name(),
                () -> device.createCompletionQueue(4, channel));
        assertOpen("completion-queues", 1);
    }

    @ParameterizedTest
    @EnumSource
    void aClosedIdDoesNothing(PortSpace space) {
        try (ConnectionChannel channel = device.createConnectionChannel()) {
            ConnectionId id = channel.createId(space);
            InetSocketAddress remote = new InetSocketAddress(device.address(), PORT);
            id.close();
            id.close();
            id.disconnect();
            assertClosed(
                    "connection id of " + device.name(),
                    () -> id.limitAttempt(Duration.ofSeconds(1)),
                    () -> id.resolveAddress(remote, Duration.ofSeconds(1)),
                    () -> id.resolveRoute(Duration.ofSeconds(1)),
                    () -> id.listen(PORT, 1),
                    () -> id.createQueuePair(domain, attributes(space)),
                    () -> id.connect(ConnectionParameters.defaults()),
                    () -> id.accept(ConnectionParameters.defaults()),
                    () -> id.reject(NONE));
            assertThat(id.queuePair()).isEmpty();
            assertThat(channel.next(Duration.ZERO)).as("no event").isEmpty();
            channel.createId(space).listen(PORT, 1);
        }
    }

    private QueuePairAttributes attributes(PortSpace space) {
        return attributes()
                .withType(
                        space == PortSpace.TCP
                                ? QueuePairType.RELIABLE_CONNECTED
                                : QueuePairType.UNRELIABLE_DATAGRAM);
    }

    @Test
    void aClosedDeviceMakesNothing() {
        Device other = open();
        CompletionChannel channel = other.createCompletionChannel();
        ConnectionChannel events = other.createConnectionChannel();
        ProtectionDomain left = other.allocateProtectionDomain();
        CompletionQueue leftQueue = other.createCompletionQueue(4);
        assertThat(other.isOpen()).isTrue();
        other.close();
        other.close();
        assertThat(other.isOpen()).isFalse();
        assertClosed(
                other.name(),
                other::allocateProtectionDomain,
                () -> other.createCompletionQueue(4),
                () -> other.createCompletionQueue(4, channel),
                () -> other.createCompletionQueue(completion -> {}),
                other::createCompletionChannel,
                other::createConnectionChannel,
                events::createId,
                () -> other.allocateDeviceMemory(64, 8),
                () -> left.createQueuePair(QueuePairAttributes.of(leftQueue, 1, 1)),
                () -> left.register(memory));
        leftQueue.close();
        left.close();
    }

    @Test
    void anArenaOfTheDeviceHoldsMemoryForIt() {
        MemorySegment large;
        try (Arena arena = device.openArena()) {
            large = arena.allocate(1 << 20);
            assertThat(large.get(ValueLayout.JAVA_LONG, large.byteSize() - Long.BYTES)).isZero();
            for (MemorySegment each : List.of(large, arena.allocate(64))) {
                try (MemoryRegion region = domain.register(each, Access.LOCAL_WRITE)) {
                    assertThat(region.length()).isEqualTo(each.byteSize());
                }
            }
        }
        assertThat(large.scope().isAlive()).isFalse();
    }
}
