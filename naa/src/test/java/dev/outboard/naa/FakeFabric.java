package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.AddressHandle;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionChannel;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.DeviceLimits;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.GatherList;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.MemoryWindow;
import dev.outboard.fabric.NotificationHandle;
import dev.outboard.fabric.PortSpace;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.SharedReceiveQueue;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// A fabric inside this process: bytes move from region to region under one lock. It keeps what
/// went over the wire, and can be told to fail. Registered as an extension it fails a test that
/// leaves something open.
public final class FakeFabric implements AfterEachCallback {
    /// What a queue pair did to its peer.
    record Wire(SendRequest.Operation operation, long length, int immediate, boolean solicited) {}

    final List<Wire> wire = Collections.synchronizedList(new ArrayList<>());
    final List<ConnectionParameters> requests = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger open = new AtomicInteger();
    public DeviceLimits limits =
            DeviceLimits.builder()
                    .maxMessageBytes(1L << 31)
                    .pathMtuBytes(4096)
                    .maxQueuePairs(1 << 16)
                    .maxMemoryRegions(1 << 16)
                    .maxCompletions(1 << 16)
                    .maxWorkRequests(1 << 14)
                    .maxScatterGather(1)
                    .build();

    final List<ConnectionParameters> grants = Collections.synchronizedList(new ArrayList<>());
    final List<Duration> limitsGiven = Collections.synchronizedList(new ArrayList<>());
    final List<QueuePairAttributes> queuePairs = Collections.synchronizedList(new ArrayList<>());
    final List<String> violations = Collections.synchronizedList(new ArrayList<>());
    int backlog;

    /// How far one gets with an address.
    public final Map<InetAddress, ConnectionEvent.Type> broken = new ConcurrentHashMap<>();

    /// Nothing arrives any more.
    volatile boolean deaf;

    /// Nobody answers a disconnect, not even the own side.
    volatile boolean mute;

    /// How long the thread of the test has waited for an event at most.
    volatile Duration longestWait = Duration.ZERO;

    private final Thread creator = Thread.currentThread();

    /// The last message of a handshake is lost.
    volatile boolean halfOpen;

    /// No completion queue can be created.
    volatile boolean refuseQueues;

    /// Looking for an address fails as no device should.
    volatile boolean failsToResolve;

    /// Regions that this thread closes fail to.
    volatile Thread failsToClose;

    private final Map<Integer, FakeId> listeners = new ConcurrentHashMap<>();
    private final Map<Integer, FakeRegion> regions = new HashMap<>();
    private final AtomicInteger numbers = new AtomicInteger(1000);

    public Device device() {
        return new FakeDevice();
    }

    public int openResources() {
        return open.get();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        assertThat(openResources()).as("open resources").isZero();
    }

    private final class FakeDevice extends BareDevice {
        @Override
        public DeviceLimits limits() {
            return limits;
        }

        @Override
        public ProtectionDomain allocateProtectionDomain() {
            return new FakeDomain(this);
        }

        @Override
        public CompletionQueue createCompletionQueue(int capacity) {
            if (refuseQueues) {
                throw new FabricException(
                        FabricException.Reason.LIMIT_REACHED, "no more completion queues");
            }
            open.incrementAndGet();
            return new FakeQueue(capacity, open::decrementAndGet);
        }

        @Override
        public CompletionQueue createCompletionQueue(int capacity, CompletionChannel channel) {
            FakeQueue queue = (FakeQueue) createCompletionQueue(capacity);
            queue.reportTo((FakeCompletionChannel) channel);
            return queue;
        }

        @Override
        public CompletionChannel createCompletionChannel() {
            open.incrementAndGet();
            return new FakeCompletionChannel(open::decrementAndGet);
        }

        @Override
        public ConnectionChannel createConnectionChannel() {
            return new FakeChannel();
        }
    }

    /// Counts what is open, so that tests see leaks.
    private abstract class Resource implements AutoCloseable {
        private boolean closed;

        Resource() {
            open.incrementAndGet();
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                open.decrementAndGet();
            }
        }
    }

    private final class FakeDomain extends Resource implements BareDomain {
        private final Device device;
        private int openPairs;

        FakeDomain(Device device) {
            this.device = device;
        }

        @Override
        public Device device() {
            return device;
        }

        @Override
        public MemoryRegion register(MemorySegment segment, Access... access) {
            FakeRegion region = new FakeRegion(this, segment, numbers.incrementAndGet());
            synchronized (FakeFabric.this) {
                regions.put(region.key, region);
            }
            return region;
        }

        @Override
        public QueuePair createQueuePair(QueuePairAttributes attributes) {
            throw new UnsupportedOperationException("connect through a connection id");
        }

        @Override
        public MemoryWindow allocateMemoryWindow(MemoryWindow.Type type) {
            throw new UnsupportedOperationException("nobody uses windows");
        }

        @Override
        public SharedReceiveQueue createSharedReceiveQueue(int maxReceives, int maxPieces) {
            throw new UnsupportedOperationException("nobody shares receives");
        }

        @Override
        public AddressHandle createAddressHandle(AddressVector vector) {
            throw new UnsupportedOperationException("nobody sends datagrams");
        }

        @Override
        public AddressHandle createAddressHandle(
                Completion received, MemoryRegion region, long offset) {
            throw new UnsupportedOperationException("nobody sends datagrams");
        }
    }

    private final class FakeRegion extends Resource implements MemoryRegion {
        private final FakeDomain domain;
        private final MemorySegment segment;
        private final int key;

        FakeRegion(FakeDomain domain, MemorySegment segment, int key) {
            this.domain = domain;
            this.segment = segment;
            this.key = key;
        }

        @Override
        public MemorySegment segment() {
            return segment;
        }

        @Override
        public long address() {
            return segment.address();
        }

        @Override
        public long length() {
            return segment.byteSize();
        }

        @Override
        public int localKey() {
            return key;
        }

        @Override
        public int remoteKey() {
            return key;
        }

        @Override
        public void close() {
            synchronized (FakeFabric.this) {
                regions.remove(key);
                if (domain.openPairs > 0) {
                    violations.add("a region was closed before the queue pair");
                }
            }
            super.close();
            if (Thread.currentThread().equals(failsToClose)) {
                throw new FabricException(FabricException.Reason.SYSTEM, "told to fail");
            }
        }
    }

    private record Send(
            SendRequest.Operation operation,
            long id,
            MemorySegment bytes,
            long address,
            int key,
            int immediate,
            boolean solicited) {}

    private final class FakePair extends Resource implements QueuePair {
        private final FakeDomain domain;
        private final QueuePairAttributes attributes;
        private final Deque<Send> sends = new ArrayDeque<>();
        private final Deque<Object[]> receives = new ArrayDeque<>();
        private final int number = numbers.incrementAndGet();
        private final AtomicLong bytesReceived = new AtomicLong();
        private FakePair peer;
        private QueuePairState state = QueuePairState.INIT;

        FakePair(FakeDomain domain, QueuePairAttributes attributes) {
            this.domain = domain;
            this.attributes = attributes;
            domain.openPairs++;
            queuePairs.add(attributes);
        }

        @Override
        public QueuePairType type() {
            return QueuePairType.RELIABLE_CONNECTED;
        }

        @Override
        public void modify(QueuePairChange change) {
            throw new UnsupportedOperationException("connection management does it");
        }

        @Override
        public void close() {
            domain.openPairs = 0;
            super.close();
        }

        @Override
        public int number() {
            return number;
        }

        @Override
        public QueuePairState state() {
            return state;
        }

        @Override
        public boolean post(SendRequest request) {
            synchronized (FakeFabric.this) {
                if (sends.size() == attributes.maxSends()) {
                    return false;
                }
                GatherList gather = request.gather();
                MemorySegment bytes =
                        gather.count() == 0
                                ? MemorySegment.NULL
                                : gather.region(0)
                                        .segment()
                                        .asSlice(gather.offset(0), gather.length(0));
                sends.add(
                        new Send(
                                request.operation(),
                                request.id(),
                                bytes,
                                request.remoteAddress(),
                                request.remoteKey(),
                                request.immediate(),
                                request.solicited()));
                move();
                return true;
            }
        }

        @Override
        public boolean post(ReceiveRequest request) {
            synchronized (FakeFabric.this) {
                if (receives.size() == attributes.maxReceives()) {
                    return false;
                }
                GatherList scatter = request.scatter();
                MemorySegment bytes =
                        scatter.region(0).segment().asSlice(scatter.offset(0), scatter.length(0));
                receives.add(new Object[] {request.id(), bytes});
                if (state == QueuePairState.ERROR) {
                    flush();
                } else if (peer != null) {
                    peer.move();
                }
                return true;
            }
        }

        /// Executes what can be: a message that finds no receive waits for one.
        private void move() {
            if (state == QueuePairState.ERROR) {
                flush();
            }
            while (!deaf && peer != null && !sends.isEmpty() && execute(sends.peek())) {
                sends.poll();
            }
        }

        private boolean execute(Send send) {
            boolean consumes = send.operation != SendRequest.Operation.RDMA_WRITE;
            if (consumes && peer.receives.isEmpty()) {
                return false;
            }
            boolean isSend = send.operation == SendRequest.Operation.SEND;
            FakeRegion target = regions.get(send.key);
            if (!isSend && send.bytes.byteSize() > 0) {
                long offset = target == null ? -1 : send.address - target.address();
                if (offset < 0 || offset + send.bytes.byteSize() > target.length()) {
                    fail(CompletionStatus.REMOTE_ACCESS_ERROR);
                    return false;
                }
                MemorySegment.copy(send.bytes, 0, target.segment, offset, send.bytes.byteSize());
            }
            wire.add(
                    new Wire(
                            send.operation, send.bytes.byteSize(), send.immediate, send.solicited));
            peer.bytesReceived.addAndGet(send.bytes.byteSize());
            // The acknowledgement comes before anything that the peer sends in answer.
            ((FakeQueue) attributes.sendQueue())
                    .add(
                            number,
                            send.id,
                            CompletionStatus.SUCCESS,
                            isSend ? CompletionOpcode.SEND : CompletionOpcode.RDMA_WRITE,
                            send.bytes.byteSize(),
                            null);
            if (consumes) {
                Object[] receive = peer.receives.poll();
                if (isSend) {
                    MemorySegment.copy(
                            send.bytes, 0, (MemorySegment) receive[1], 0, send.bytes.byteSize());
                }
                peer.receiveQueue()
                        .add(
                                peer.number,
                                (Long) receive[0],
                                CompletionStatus.SUCCESS,
                                isSend
                                        ? CompletionOpcode.RECEIVE
                                        : CompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE,
                                send.bytes.byteSize(),
                                isSend ? null : (Integer) send.immediate);
            }
            return true;
        }

        private FakeQueue receiveQueue() {
            return (FakeQueue) attributes.receiveQueue();
        }

        /// The oldest send fails with `status`, the rest is flushed.
        void fail(CompletionStatus status) {
            Send first = sends.poll();
            if (first != null) {
                ((FakeQueue) attributes.sendQueue())
                        .add(number, first.id, status, CompletionOpcode.SEND, 0, null);
            }
            state = QueuePairState.ERROR;
            flush();
        }

        void flush() {
            state = QueuePairState.ERROR;
            for (Send send = sends.poll(); send != null; send = sends.poll()) {
                ((FakeQueue) attributes.sendQueue())
                        .add(
                                number,
                                send.id,
                                CompletionStatus.WORK_REQUEST_FLUSHED,
                                CompletionOpcode.SEND,
                                0,
                                null);
            }
            for (Object[] r = receives.poll(); r != null; r = receives.poll()) {
                receiveQueue()
                        .add(
                                number,
                                (Long) r[0],
                                CompletionStatus.WORK_REQUEST_FLUSHED,
                                CompletionOpcode.RECEIVE,
                                0,
                                null);
            }
        }

        @Override
        public Map<String, Long> counters() {
            return Map.of();
        }

        @Override
        public long bytesReceived() {
            return bytesReceived.get();
        }
    }

    private final class FakeChannel extends Resource implements ConnectionChannel {
        private final BlockingQueue<ConnectionEvent> events = new LinkedBlockingQueue<>();
        private final Queue<FakeId> ids = new ConcurrentLinkedQueue<>();

        @Override
        public ConnectionId createId(PortSpace space) {
            FakeId id = new FakeId(this, 0);
            ids.add(id);
            return id;
        }

        @Override
        public void attach(NotificationHandle handle) {
            throw new UnsupportedOperationException("the NAA waits for single queues");
        }

        @Override
        public void close() {
            ids.forEach(FakeId::close);
            super.close();
        }

        @Override
        public Optional<ConnectionEvent> next(Duration timeout) {
            if (Thread.currentThread().equals(creator) && timeout.compareTo(longestWait) > 0) {
                longestWait = timeout;
            }
            try {
                return Optional.ofNullable(events.poll(timeout.toNanos(), TimeUnit.NANOSECONDS));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private final class FakeId extends Resource implements ConnectionId {
        private final FakeChannel channel;
        private final int localPort;
        private InetSocketAddress remote;
        private FakeId peer;
        private FakePair pair;
        private int listening;
        private boolean connected;

        FakeId(FakeChannel channel, int localPort) {
            this.channel = channel;
            this.localPort = localPort;
        }

        private void raise(
                ConnectionEvent.Type type,
                ConnectionId about,
                Optional<ConnectionId> listener,
                int status,
                byte[] data) {
            ConnectionParameters parameters = new ConnectionParameters(1, 1, 7, 6, data);
            channel.events.add(new ConnectionEvent(type, about, listener, status, "", parameters));
        }

        private void raise(ConnectionEvent.Type type) {
            raise(type, this, Optional.empty(), 0, new byte[0]);
        }

        /// The failure if the address is broken in that way, else the success.
        private void raise(ConnectionEvent.Type failure, ConnectionEvent.Type success) {
            raise(broken.get(remote.getAddress()) == failure ? failure : success);
        }

        @Override
        public void limitAttempt(Duration limit) {}

        @Override
        public void resolveAddress(InetSocketAddress to, Duration timeout) {
            if (failsToResolve) {
                throw new IllegalStateException("told to fail");
            }
            remote = to;
            limitsGiven.add(timeout);
            raise(ConnectionEvent.Type.ADDRESS_ERROR, ConnectionEvent.Type.ADDRESS_RESOLVED);
        }

        @Override
        public void resolveRoute(Duration timeout) {
            limitsGiven.add(timeout);
            raise(ConnectionEvent.Type.ROUTE_ERROR, ConnectionEvent.Type.ROUTE_RESOLVED);
        }

        @Override
        public void listen(int port, int newBacklog) {
            backlog = newBacklog;
            listening = port == 0 ? numbers.incrementAndGet() : port;
            if (listeners.putIfAbsent(listening, this) != null) {
                throw new FabricException(FabricException.Reason.SERVICE_IN_USE, "port " + port);
            }
        }

        @Override
        public QueuePair createQueuePair(ProtectionDomain domain, QueuePairAttributes attributes) {
            pair = new FakePair((FakeDomain) domain, attributes);
            return pair;
        }

        @Override
        public Optional<QueuePair> queuePair() {
            return Optional.ofNullable(pair);
        }

        @Override
        public void prefer(QueuePairChange own) {
            throw new UnsupportedOperationException("the NAA takes what was agreed on");
        }

        @Override
        public void connect(ConnectionParameters parameters) {
            synchronized (FakeFabric.this) {
                requests.add(parameters);
                FakeId listener = listeners.get(remote.getPort());
                if (deaf) {
                    return;
                }
                if (listener == null || broken.containsKey(remote.getAddress())) {
                    raise(ConnectionEvent.Type.UNREACHABLE);
                    return;
                }
                FakeId request = new FakeId(listener.channel, remote.getPort());
                listener.channel.ids.add(request);
                request.peer = this;
                peer = request;
                request.remote =
                        new InetSocketAddress(
                                InetAddress.getLoopbackAddress(), numbers.incrementAndGet());
                request.raise(
                        ConnectionEvent.Type.CONNECT_REQUEST,
                        request,
                        Optional.of(listener),
                        0,
                        new byte[0]);
            }
        }

        @Override
        public void accept(ConnectionParameters parameters) {
            synchronized (FakeFabric.this) {
                grants.add(parameters);
                if (halfOpen) {
                    return;
                }
                pair.peer = peer.pair;
                peer.pair.peer = pair;
                connected = true;
                peer.connected = true;
                pair.state = QueuePairState.READY_TO_SEND;
                peer.pair.state = QueuePairState.READY_TO_SEND;
                raise(ConnectionEvent.Type.ESTABLISHED);
                peer.raise(ConnectionEvent.Type.ESTABLISHED);
            }
        }

        @Override
        public void reject(byte[] privateData) {
            peer.raise(ConnectionEvent.Type.REJECTED, peer, Optional.empty(), 28, privateData);
        }

        @Override
        public void disconnect() {
            synchronized (FakeFabric.this) {
                if (connected) {
                    connected = false;
                    pair.flush();
                    if (!mute) {
                        raise(ConnectionEvent.Type.DISCONNECTED);
                    }
                    if (!deaf && peer.connected) {
                        peer.disconnect();
                    }
                }
            }
        }

        @Override
        public InetSocketAddress localAddress() {
            return new InetSocketAddress(
                    InetAddress.getLoopbackAddress(), listening == 0 ? localPort : listening);
        }

        @Override
        public Optional<InetSocketAddress> remoteAddress() {
            return Optional.ofNullable(remote);
        }

        @Override
        public void close() {
            synchronized (FakeFabric.this) {
                disconnect();
                listeners.remove(listening, this);
                if (pair != null) {
                    pair.close();
                }
                super.close();
            }
        }
    }
}
