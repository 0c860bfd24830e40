package dev.outboard.naa.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.MemoryRegion;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.MrspMessage;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.MrspMessage.Entry;
import dev.outboard.naa.NaaException;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.RegionFlags;
import dev.outboard.naa.protocol.MachineDriver.Posted;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// A server machine with a client that does what the test says, and memory on request.
final class ServerFixture {
    static final Duration REQUEST_LIMIT = Duration.ofSeconds(10);
    static final Duration TRANSFER_LIMIT = Duration.ofSeconds(60);
    static final Duration PROBE = Duration.ofSeconds(5);
    static final Duration PROBE_LIMIT = Duration.ofSeconds(3);
    static final int CODE = 9;

    /// The states in which a session is not over.
    static final List<NaaState> ALIVE =
            List.of(
                    NaaState.INIT,
                    NaaState.READY,
                    NaaState.CONNECTED,
                    NaaState.MRSP_RECEIVING,
                    NaaState.MRSP_SENDING,
                    NaaState.MRSP_DONE,
                    NaaState.DATA_RECEIVING,
                    NaaState.CALCULATING,
                    NaaState.DATA_SENDING);

    final ServerCounters counters = new ServerCounters();
    final ServerMachine machine;
    final MachineDriver driver;
    final List<MemoryRegion> granted = new ArrayList<>();
    private final Dialect dialect;
    private final AdvertiseRequest request;

    ServerFixture(SettingsBuilder settings, Dialect dialect, Entry... entries) {
        this.dialect = dialect;
        this.request = new AdvertiseRequest(List.of(entries));
        machine =
                new ServerMachine(
                        "client:1",
                        settings.build(),
                        counters,
                        PlainRegion.of(ServerMachine.MESSAGE_BYTES, 99),
                        1L << 31,
                        300,
                        () -> 0);
        driver = new MachineDriver(machine);
    }

    /// A client of `upstream-2026` whose regions have these flags and 10, 20, 30, … bytes.
    static ServerFixture upstream(int... flags) {
        Entry[] entries = new Entry[flags.length];
        for (int i = 0; i < flags.length; i++) {
            entries[i] = entry(i, flags[i], 10L * (i + 1));
        }
        return new ServerFixture(new SettingsBuilder(), Dialect.UPSTREAM_2026, entries);
    }

    static ServerFixture simple() {
        return upstream(RegionFlags.INPUT | RegionFlags.OUTPUT);
    }

    /// A client of `ap1-2023` with metadata and parameters of 20, 30, … bytes.
    static ServerFixture ap1(int parameters) {
        Entry[] entries = new Entry[1 + parameters];
        entries[0] = entry(0, 0, 8);
        for (int i = 1; i <= parameters; i++) {
            entries[i] = entry(i, 0, 10L * (i + 1));
        }
        return new ServerFixture(new SettingsBuilder().anyDialect(), Dialect.AP1_2023, entries);
    }

    static Entry entry(int index, int flags, long size) {
        return new Entry(flags, 0x1000L * index, clientAddress(index), 100 + index, size);
    }

    static long clientAddress(int index) {
        return 0x6000_0000L + index * 0x10000L;
    }

    /// Goes on until `target`, which must still lie ahead.
    ServerFixture reach(NaaState target) {
        for (int steps = 0; machine.state() != target; steps++) {
            assertThat(steps).as("steps towards " + target).isLessThan(20);
            step();
        }
        return this;
    }

    private void step() {
        switch (machine.state()) {
            case INIT -> machine.connectRequested();
            case READY -> machine.established(driver.now);
            case CONNECTED -> machine.startMrsp(driver.now);
            case MRSP_RECEIVING -> request();
            case MRSP_SENDING, DATA_SENDING -> driver.take().forEach(driver::sendCompletes);
            case MRSP_DONE -> machine.awaitRpc(driver.now);
            case DATA_RECEIVING -> call(CODE);
            case CALCULATING -> machine.reply(0, driver.now);
            default -> throw new IllegalStateException("no way on from " + machine.state());
        }
        driver.pull();
    }

    /// The client's request arrives and is granted.
    void request() {
        driver.pull();
        driver.messageArrives(request);
        machine.pendingRequest().ifPresent(_ -> grant());
    }

    private void grant() {
        for (Entry entry : request.entries()) {
            if (!entry.isInternal()) {
                granted.add(PlainRegion.of(entry.size(), 500 + granted.size()));
            }
        }
        machine.grant(granted, driver.now);
    }

    /// An RPC arrives.
    void call(int functionCode) {
        if (dialect == Dialect.AP1_2023 && returnAddress() == 0) {
            setReturnAddress(clientAddress(1));
        }
        driver.pull();
        driver.immediateArrives(dialect.requestImmediate(functionCode, 0xCCBBAA), 10);
    }

    void setReturnAddress(long address) {
        metadata().set(ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), 0, address);
    }

    private long returnAddress() {
        return metadata().get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
    }

    private MemorySegment metadata() {
        return granted.isEmpty() ? Arena.ofAuto().allocate(8) : granted.getFirst().segment();
    }

    /// What the machine sends, read as a message.
    MrspMessage message(Posted sent) {
        MemorySegment all = driver.receives.getFirst().scatter().region(0).segment();
        return MrspCodec.decode(all.asSlice(0, sent.length()));
    }

    <T extends NaaException> T failure(Class<T> type) {
        NaaException failure = machine.takeFailure().orElseThrow();
        assertThat(failure).isInstanceOf(type);
        return type.cast(failure);
    }
}
