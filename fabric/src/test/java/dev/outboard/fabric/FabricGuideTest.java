package dev.outboard.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.sim.SimNetwork;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs the Java of `docs/guide/fabric.md`: every block of code there is a part of this file, or of
/// [FabricGuideSimTest].
class FabricGuideTest {
    private static final int PORT = 7471;

    private Device device;
    private Device peerDevice;
    private final Arena arena = Arena.ofShared();
    private final CountDownLatch listening = new CountDownLatch(1);

    @BeforeEach
    void open() {
        device = Fabric.open("roce://auto?peer=127.0.0.1");
        peerDevice = Fabric.open("roce://auto?peer=127.0.0.1");
    }

    @AfterEach
    void close() {
        device.close();
        peerDevice.close();
        arena.close();
    }

    @Test
    void everyBlockOfTheGuideIsPartOfThisTest() throws IOException {
        var root = Repository.root();
        String guide = Files.readString(root.resolve("docs/guide/fabric.md"));
        Path tests = root.resolve("fabric/src/test/java/dev/outboard/fabric");
        String source =
                squeezed(
                        Files.readString(tests.resolve("FabricGuideTest.java"))
                                + Files.readString(tests.resolve("FabricGuideSimTest.java")));
        Matcher block = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(guide);
        List<String> blocks = new ArrayList<>();
        while (block.find()) {
            blocks.add(block.group(1));
            assertThat(source).contains(squeezed(block.group(1)));
        }
        assertThat(blocks).hasSizeGreaterThan(8);
    }

    /// The formatter may break lines as it likes.
    private static String squeezed(String code) {
        return code.replaceAll("\\s+", "");
    }

    @Test
    void aConnectionCarriesAMessage() throws InterruptedException {
        var server = CompletableFuture.supplyAsync(() -> serve(peerDevice));
        assertThat(listening.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(call(device, new InetSocketAddress(peerDevice.address(), PORT)))
                .isEqualTo(CompletionStatus.SUCCESS);
        assertThat(server.join()).isEqualTo("hello");
    }

    private String serve(Device device) {
        ProtectionDomain domain = device.allocateProtectionDomain();
        CompletionQueue completions = device.createCompletionQueue(64);
        MemoryRegion region = domain.register(arena.allocate(4096), Access.LOCAL_WRITE);

        ConnectionChannel channel = device.createConnectionChannel();
        ConnectionId listener = channel.createId();
        listener.listen(PORT, 16);
        listening.countDown();
        ConnectionEvent request = await(channel, ConnectionEvent.Type.CONNECT_REQUEST);
        ConnectionId id = request.id();
        QueuePair pair = id.createQueuePair(domain, QueuePairAttributes.of(completions, 16, 16));
        pair.post(new ReceiveRequest().id(1).buffer(region, 0, 4096));
        id.accept(ConnectionParameters.defaults());

        Completion completion = next(completions);
        byte[] text = new byte[(int) completion.byteCount()];
        MemorySegment.copy(region.segment(), ValueLayout.JAVA_BYTE, 0, text, 0, text.length);
        return new String(text, StandardCharsets.UTF_8);
    }

    private CompletionStatus call(Device device, InetSocketAddress server) {
        ProtectionDomain domain = device.allocateProtectionDomain();
        CompletionQueue completions = device.createCompletionQueue(64);
        MemoryRegion region = domain.register(arena.allocateFrom("hello"));

        ConnectionChannel channel = device.createConnectionChannel();
        ConnectionId id = channel.createId();
        id.resolveAddress(server, Duration.ofSeconds(2));
        await(channel, ConnectionEvent.Type.ADDRESS_RESOLVED);
        id.resolveRoute(Duration.ofSeconds(2));
        await(channel, ConnectionEvent.Type.ROUTE_RESOLVED);
        QueuePair pair = id.createQueuePair(domain, QueuePairAttributes.of(completions, 16, 16));
        id.connect(ConnectionParameters.defaults());
        await(channel, ConnectionEvent.Type.ESTABLISHED);

        pair.post(new SendRequest().id(1).send().payload(region, 0, 5));
        return next(completions).status();
    }

    static ConnectionEvent await(ConnectionChannel channel, ConnectionEvent.Type expected) {
        ConnectionEvent event;
        do {
            event = channel.next(Duration.ofSeconds(10)).orElseThrow();
        } while (event.type() == ConnectionEvent.Type.TIMEWAIT_EXIT);
        if (event.type() != expected) {
            throw new IllegalStateException(event.type() + ": " + event.explanation());
        }
        return event;
    }

    static Completion next(CompletionQueue completions) {
        Completion completion = new Completion();
        while (!completions.poll(completion)) {
            completions.requestNotification(false);
            if (completions.poll(completion)) {
                break;
            }
            completions.await(TimeUnit.SECONDS.toNanos(10));
        }
        return completion;
    }

    static void connect(
            QueuePair pair, int psn, InetAddress peerAddress, int peerNumber, int peerPsn) {
        pair.modify(
                QueuePairChange.to(QueuePairState.INIT)
                        .access(Access.REMOTE_WRITE, Access.REMOTE_READ));
        pair.modify(
                QueuePairChange.to(QueuePairState.READY_TO_RECEIVE)
                        .addressVector(AddressVector.to(peerAddress))
                        .destinationNumber(peerNumber)
                        .receivePsn(peerPsn)
                        .pathMtu(1024)
                        .maxDestinationReadAtomic(1)
                        .minRnrTimer(12));
        pair.modify(
                QueuePairChange.to(QueuePairState.READY_TO_SEND)
                        .sendPsn(psn)
                        .timeout(14)
                        .retryCount(7)
                        .rnrRetryCount(7)
                        .maxReadAtomic(1));
    }

    /// Both ends of a connection that was made out of band.
    private record Ends(
            ProtectionDomain domain,
            CompletionQueue completions,
            MemoryRegion region,
            QueuePair pair,
            CompletionQueue peerCompletions,
            MemoryRegion peerRegion,
            QueuePair peer) {}

    private Ends ends(Device device) {
        ProtectionDomain domain = device.allocateProtectionDomain();
        MemorySegment memory = arena.allocate(1 << 20, 4096);
        MemoryRegion region =
                domain.register(
                        memory, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.MEMORY_WINDOW_BIND);
        CompletionQueue completions = device.createCompletionQueue(256);
        QueuePair pair = domain.createQueuePair(QueuePairAttributes.of(completions, 64, 64));

        ProtectionDomain peerDomain = peerDevice.allocateProtectionDomain();
        CompletionQueue peerCompletions = peerDevice.createCompletionQueue(256);
        MemoryRegion peerRegion =
                peerDomain.register(
                        arena.allocate(1 << 20, 8), Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        QueuePair peer =
                peerDomain.createQueuePair(QueuePairAttributes.of(peerCompletions, 64, 64));
        connect(pair, 100, peerDevice.address(), peer.number(), 200);
        connect(peer, 200, device.address(), pair.number(), 100);
        return new Ends(domain, completions, region, pair, peerCompletions, peerRegion, peer);
    }

    @Test
    void aWrite() {
        Ends ends = ends(device);
        QueuePair pair = ends.pair;
        MemoryRegion region = ends.region;
        CompletionQueue completions = ends.completions;
        long remoteAddress = ends.peerRegion.address();
        int remoteKey = ends.peerRegion.remoteKey();
        region.segment().set(ValueLayout.JAVA_INT, 0, 4711);

        SendRequest request = new SendRequest();
        pair.post(request.id(1).write(remoteAddress, remoteKey).payload(region, 0, 4096));

        Completion completion = new Completion();
        while (!completions.poll(completion)) {
            Thread.onSpinWait();
        }
        if (completion.status() != CompletionStatus.SUCCESS) {
            throw new IllegalStateException(completion.status().explanation());
        }
        assertThat(ends.peerRegion.segment().get(ValueLayout.JAVA_INT, 0)).isEqualTo(4711);
    }

    @Test
    void aSharedReceiveQueue() {
        Ends ends = ends(device);
        ProtectionDomain domain = ends.domain;
        CompletionQueue completions = ends.completions;
        MemoryRegion region = ends.region;

        SharedReceiveQueue shared = domain.createSharedReceiveQueue(1024, 1);
        QueuePairAttributes attributes =
                QueuePairAttributes.of(completions, 64, 1).withSharedReceiveQueue(shared);
        QueuePair first = domain.createQueuePair(attributes);
        QueuePair second = domain.createQueuePair(attributes);
        for (int i = 0; i < 32; i++) {
            shared.post(new ReceiveRequest().id(i).buffer(region, 4096L * i, 4096));
        }
        shared.arm(8);

        assertThat(List.of(first, second)).extracting(QueuePair::state).hasSize(2);
    }

    @Test
    void aCompletionSink() {
        Ends ends = ends(device);
        MemoryRegion inbox = ends.region;
        ReceiveRequest receive = new ReceiveRequest();
        AtomicReference<QueuePair> receiver = new AtomicReference<>();
        AtomicInteger messages = new AtomicInteger();

        CompletionQueue handedOver =
                device.createCompletionQueue(completion -> {
                    receiver.get().post(receive.id(completion.id()).buffer(inbox, 0, 4096));
                    messages.incrementAndGet();
                });

        receiver.set(ends.domain.createQueuePair(QueuePairAttributes.of(handedOver, 16, 16)));
        ProtectionDomain peerDomain = peerDevice.allocateProtectionDomain();
        MemoryRegion outbox = peerDomain.register(arena.allocate(64));
        QueuePair sender =
                peerDomain.createQueuePair(QueuePairAttributes.of(ends.peerCompletions, 16, 16));
        connect(receiver.get(), 300, peerDevice.address(), sender.number(), 400);
        connect(sender, 400, device.address(), receiver.get().number(), 300);
        receiver.get().post(receive.id(1).buffer(inbox, 0, 4096));
        for (int i = 1; i <= 20; i++) {
            sender.post(new SendRequest().payload(outbox, 0, 64));
            assertThat(next(ends.peerCompletions).status()).isEqualTo(CompletionStatus.SUCCESS);
        }
        Eventually.until(() -> messages.get() == 20);
    }

    @Test
    void aMemoryWindow() {
        Ends ends = ends(device);
        ProtectionDomain domain = ends.domain;
        QueuePair pair = ends.pair;
        MemoryRegion region = ends.region;
        CompletionQueue completions = ends.completions;

        MemoryWindow window = domain.allocateMemoryWindow(MemoryWindow.Type.TYPE_2B);
        pair.post(new SendRequest().bind(window, region, 8192, 4096, Access.REMOTE_WRITE));
        next(completions);
        int keyForThePeer = window.remoteKey();

        ends.peer.post(
                new SendRequest()
                        .write(region.address() + 8192, keyForThePeer)
                        .payload(ends.peerRegion, 0, 64));
        assertThat(next(ends.peerCompletions).status()).isEqualTo(CompletionStatus.SUCCESS);

        pair.post(new SendRequest().localInvalidate(keyForThePeer));

        assertThat(next(completions).opcode()).isEqualTo(CompletionOpcode.LOCAL_INVALIDATE);
    }

    @Test
    void memoryThatIsMoreThanMemory() {
        Ends ends = ends(device);
        ProtectionDomain domain = ends.domain;
        MemorySegment memory = arena.allocate(64, 8);
        List<String> accesses = new CopyOnWriteArrayList<>();

        MemoryRegion watched =
                domain.register(
                        memory,
                        new MemoryWatch() {
                            @Override
                            public void after(MemoryAccess access) {
                                accesses.add(access.kind() + " at " + access.offset());
                            }
                        },
                        Access.LOCAL_WRITE,
                        Access.REMOTE_WRITE);

        MemoryRegion registers =
                domain.registerMmio(
                        4096,
                        new Registers(),
                        Access.LOCAL_WRITE,
                        Access.REMOTE_WRITE,
                        Access.REMOTE_READ);

        ends.peer.post(
                new SendRequest()
                        .write(watched.address() + 8, watched.remoteKey())
                        .payload(ends.peerRegion, 0, 8));
        assertThat(next(ends.peerCompletions).status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(accesses).containsExactly("WRITE at 8");
        ends.peer.post(
                new SendRequest()
                        .read(registers.address() + 16, registers.remoteKey())
                        .payload(ends.peerRegion, 0, 8));
        assertThat(next(ends.peerCompletions).status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(ends.peerRegion.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(16);
    }

    /// They hold their own offsets.
    private static final class Registers implements MmioHandler {
        @Override
        public int readInt(long offset) {
            return (int) offset;
        }

        @Override
        public long readLong(long offset) {
            return offset;
        }

        @Override
        public void writeInt(long offset, int value) {}

        @Override
        public void writeLong(long offset, long value) {}
    }

    @Test
    void anAsynchronousEvent() {
        QueuePair pair = ends(device).pair;

        pair.modify(QueuePairChange.to(QueuePairState.SEND_QUEUE_DRAIN));
        AsyncEvent event = device.nextEvent(Duration.ofSeconds(1)).orElseThrow();
        if (event.type() == AsyncEvent.Type.SQ_DRAINED && event.source().equals(pair)) {
            pair.modify(QueuePairChange.to(QueuePairState.READY_TO_SEND));
        }

        assertThat(pair.state()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    @Test
    void aQueuePairIsUsedAgain() {
        QueuePair pair = ends(device).pair;

        pair.modify(QueuePairChange.to(QueuePairState.ERROR)); // completes everything as flushed
        pair.modify(QueuePairChange.to(QueuePairState.RESET)); // forgets the peer

        assertThat(pair.state()).isEqualTo(QueuePairState.RESET);
    }

    @Test
    void aDatagram() {
        ProtectionDomain domain = device.allocateProtectionDomain();
        CompletionQueue completions = device.createCompletionQueue(16);
        MemoryRegion region = domain.register(arena.allocate(4096), Access.LOCAL_WRITE);
        ProtectionDomain peerDomain = peerDevice.allocateProtectionDomain();
        CompletionQueue peerCompletions = peerDevice.createCompletionQueue(16);
        MemoryRegion peerRegion = peerDomain.register(arena.allocate(4096), Access.LOCAL_WRITE);
        QueuePair peer = datagramPair(peerDomain, peerCompletions);
        peer.post(new ReceiveRequest().id(1).buffer(peerRegion, 0, 4096));
        InetAddress peerAddress = peerDevice.address();
        int peerNumber = peer.number();

        QueuePair pair = datagramPair(domain, completions);
        AddressHandle handle = domain.createAddressHandle(AddressVector.to(peerAddress));
        pair.post(
                new SendRequest().send().to(handle, peerNumber, 0x11111111).payload(region, 0, 64));

        assertThat(next(completions).status()).isEqualTo(CompletionStatus.SUCCESS);
        pair.post(new ReceiveRequest().id(2).buffer(region, 1024, 40 + 64));
        reply(peer, peerDomain, peerCompletions, peerRegion);
        assertThat(next(completions).id()).isEqualTo(2);
    }

    @Test
    void aFrameOfRawEthernet() {
        try (Device near = Fabric.open("sim://guide/10.0.0.1");
                Device device = Fabric.open("sim://guide/10.0.0.2")) {
            RawSender asking = new RawSender(near);
            ProtectionDomain domain = device.allocateProtectionDomain();
            CompletionQueue completions = device.createCompletionQueue(16);
            MemoryRegion region = domain.register(arena.allocate(4096), Access.LOCAL_WRITE);

            QueuePair port =
                    domain.createQueuePair(
                            QueuePairAttributes.of(completions, 64, 64)
                                    .withType(QueuePairType.RAW_PACKET));
            port.modify(QueuePairChange.to(QueuePairState.INIT));
            port.modify(QueuePairChange.to(QueuePairState.READY_TO_RECEIVE));
            port.modify(QueuePairChange.to(QueuePairState.READY_TO_SEND));
            MacAddress own = device.macAddress().orElseThrow();
            Flow flow = port.createFlow(FlowMatch.destination(own).withEtherType(0x88B5));
            port.post(new ReceiveRequest().id(1).buffer(region, 0, 2048));

            assertThat(flow.match().etherType()).hasValue(0x88B5);
            asking.send(own);

            Completion received = next(completions);
            MemorySegment frame = region.segment();
            long sender = MacAddress.bitsAt(frame, 6);
            new MacAddress(sender).writeTo(frame, 0);
            own.writeTo(frame, 6);
            frame.set(ValueLayout.JAVA_BYTE, 14, (byte) 1);
            port.post(new SendRequest().id(2).payload(region, 0, received.byteCount()));

            assertThat(next(completions).status()).isEqualTo(CompletionStatus.SUCCESS);
            assertThat(next(asking.completions).byteCount()).isEqualTo(60);
            MemorySegment answer = asking.region.segment();
            assertThat(MacAddress.bitsAt(answer, 0)).isEqualTo(asking.address.bits());
            assertThat(MacAddress.bitsAt(answer, 6)).isEqualTo(own.bits());
            assertThat(answer.get(ValueLayout.JAVA_BYTE, 14)).isEqualTo((byte) 1);
        }
    }

    /// A queue pair that has sent nothing yet.
    private final class RawSender {
        final CompletionQueue completions;
        final MemoryRegion region;
        final MacAddress address;
        private final QueuePair pair;

        RawSender(Device device) {
            ProtectionDomain domain = device.allocateProtectionDomain();
            completions = device.createCompletionQueue(16);
            region = domain.register(arena.allocate(4096), Access.LOCAL_WRITE);
            address = device.macAddress().orElseThrow();
            pair =
                    domain.createQueuePair(
                            QueuePairAttributes.of(completions, 4, 4)
                                    .withType(QueuePairType.RAW_PACKET));
            pair.modify(QueuePairChange.to(QueuePairState.INIT));
            pair.modify(QueuePairChange.to(QueuePairState.READY_TO_RECEIVE));
            pair.modify(QueuePairChange.to(QueuePairState.READY_TO_SEND));
            Flow _ = pair.createFlow(FlowMatch.all());
        }

        /// Sends a frame of zeros, and waits for an answer at the start of the region.
        void send(MacAddress destination) {
            MemorySegment frame = region.segment();
            destination.writeTo(frame, 0);
            address.writeTo(frame, 6);
            frame.set(ValueLayout.JAVA_BYTE, 12, (byte) 0x88);
            frame.set(ValueLayout.JAVA_BYTE, 13, (byte) 0xB5);
            pair.post(new SendRequest().payload(region, 0, 60));
            assertThat(next(completions).status()).isEqualTo(CompletionStatus.SUCCESS);
            expect();
        }

        void expect() {
            pair.post(new ReceiveRequest().buffer(region, 0, 2048));
        }
    }

    @Test
    void aNetworkIsCapturedAndReplayed(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("lab.pcapng");
        try (Device device = Fabric.open("sim://guide/10.0.0.1")) {
            RawSender sender = new RawSender(device);

            SimNetwork network = SimNetwork.of(device);
            SimNetwork.Capture capture =
                    network.capture(file); // opens in Wireshark once it is closed

            sender.send(sender.address);
            assertThat(next(sender.completions).byteCount()).isEqualTo(60);
            sender.expect();

            capture.close();
            SimNetwork.Replay replay = network.replay(file);
            assertThat(replay.frames()).isEqualTo(1);
            assertThat(next(sender.completions).byteCount()).isEqualTo(60);
        }
    }

    private static void reply(
            QueuePair pair,
            ProtectionDomain domain,
            CompletionQueue completions,
            MemoryRegion region) {
        Completion received = next(completions);
        AddressHandle back = domain.createAddressHandle(received, region, 0);
        pair.post(
                new SendRequest()
                        .send()
                        .to(back, received.sourceQueuePairNumber(), 0x11111111)
                        .payload(region, 40, received.byteCount() - 40));
        assertThat(received.byteCount()).isEqualTo(40 + 64);
    }

    private static QueuePair datagramPair(ProtectionDomain domain, CompletionQueue completions) {
        QueuePair pair =
                domain.createQueuePair(
                        QueuePairAttributes.of(completions, 8, 8)
                                .withType(QueuePairType.UNRELIABLE_DATAGRAM));
        pair.modify(QueuePairChange.to(QueuePairState.INIT).queueKey(0x11111111));
        pair.modify(QueuePairChange.to(QueuePairState.READY_TO_RECEIVE));
        pair.modify(QueuePairChange.to(QueuePairState.READY_TO_SEND).sendPsn(0));
        return pair;
    }

    @Test
    void aDatagramServiceIsFound() throws InterruptedException {
        var server = CompletableFuture.supplyAsync(() -> offer(peerDevice));
        assertThat(listening.await(10, TimeUnit.SECONDS)).isTrue();
        find(device, new InetSocketAddress(peerDevice.address(), PORT));
        assertThat(server.join().byteCount()).isEqualTo(40 + 64);
    }

    private Completion offer(Device device) {
        ConnectionChannel channel = device.createConnectionChannel();
        ProtectionDomain domain = device.allocateProtectionDomain();
        CompletionQueue completions = device.createCompletionQueue(16);
        MemoryRegion region = domain.register(arena.allocate(4096), Access.LOCAL_WRITE);
        QueuePairAttributes attributes =
                QueuePairAttributes.of(completions, 8, 8)
                        .withType(QueuePairType.UNRELIABLE_DATAGRAM);
        ConnectionId listener = channel.createId(PortSpace.UDP);
        listener.listen(PORT, 16);
        listening.countDown();
        ConnectionId asked = await(channel, ConnectionEvent.Type.CONNECT_REQUEST).id();
        QueuePair pair = asked.createQueuePair(domain, attributes);
        pair.post(new ReceiveRequest().id(1).buffer(region, 0, 4096));
        asked.accept(ConnectionParameters.defaults());
        return next(completions);
    }

    private void find(Device device, InetSocketAddress server) {
        ConnectionChannel channel = device.createConnectionChannel();
        ProtectionDomain domain = device.allocateProtectionDomain();
        CompletionQueue completions = device.createCompletionQueue(16);
        MemoryRegion region = domain.register(arena.allocate(4096), Access.LOCAL_WRITE);
        QueuePairAttributes attributes =
                QueuePairAttributes.of(completions, 8, 8)
                        .withType(QueuePairType.UNRELIABLE_DATAGRAM);
        ConnectionId id = channel.createId(PortSpace.UDP);
        id.resolveAddress(server, Duration.ofSeconds(2));
        await(channel, ConnectionEvent.Type.ADDRESS_RESOLVED);
        id.resolveRoute(Duration.ofSeconds(2));
        await(channel, ConnectionEvent.Type.ROUTE_RESOLVED);
        QueuePair pair = id.createQueuePair(domain, attributes);
        id.connect(ConnectionParameters.defaults());
        DatagramDestination service =
                await(channel, ConnectionEvent.Type.ESTABLISHED).destination().orElseThrow();
        AddressHandle handle = domain.createAddressHandle(service.addressVector());
        pair.post(
                new SendRequest()
                        .to(handle, service.queuePairNumber(), service.queueKey())
                        .payload(region, 0, 64));
        assertThat(next(completions).status()).isEqualTo(CompletionStatus.SUCCESS);
    }
}
