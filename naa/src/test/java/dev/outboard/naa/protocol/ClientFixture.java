package dev.outboard.naa.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.MrspMessage.Advertise;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.MrspMessage.Entry;
import dev.outboard.naa.NaaException;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.PeerRegion;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.protocol.MachineDriver.Posted;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// A client machine with a server that does what the test says.
public final class ClientFixture {
    static final Duration TIMEOUT = Duration.ofSeconds(60);
    static final Duration PROBE = Duration.ofSeconds(5);
    static final int FUNCTION = 9;

    /// The states a client can be in.
    static final List<NaaState> STATES =
            java.util.stream.Stream.of(NaaState.values())
                    .filter(state -> state != NaaState.CALCULATING)
                    .toList();

    public final ClientMachine machine;
    public final MachineDriver driver;
    final List<ClientRegion> regions = new ArrayList<>();

    /// What the server has written so far.
    long received;

    public ClientFixture(Dialect dialect, RegionSpec... specs) {
        this(dialect, Dialect.METADATA_BYTES, specs);
    }

    /// A client of `ap1-2023` whose metadata region has room for more.
    static ClientFixture withMetadata(long bytes, RegionSpec... specs) {
        return new ClientFixture(Dialect.AP1_2023, bytes, specs);
    }

    private ClientFixture(Dialect dialect, long metadataBytes, RegionSpec... specs) {
        if (dialect == Dialect.AP1_2023) {
            regions.add(region(RegionSpec.unmarked(Arena.ofAuto().allocate(metadataBytes, 8))));
        }
        for (RegionSpec spec : specs) {
            regions.add(region(spec));
        }
        for (int i = 0; i < regions.size(); i++) {
            MemorySegment memory = regions.get(i).spec().memory();
            regions.get(i).register(new PlainRegion(memory, memory.address(), i + 1));
        }
        machine =
                new ClientMachine(
                        "server:1",
                        new ClientSettings(dialect, FUNCTION, TIMEOUT, PROBE),
                        new ClientRegions(dialect, regions));
        machine.registered(
                PlainRegion.of(ClientMachine.MESSAGE_BYTES, 99), 1L << 31, 300, () -> received);
        driver = new MachineDriver(machine);
    }

    private static ClientRegion region(RegionSpec spec) {
        return new ClientRegion(spec, Arena.ofAuto());
    }

    /// A client of `upstream-2026` with one region.
    public static ClientFixture simple() {
        MemorySegment memory = Arena.ofAuto().allocate(10);
        return new ClientFixture(Dialect.UPSTREAM_2026, RegionSpec.inputOutput(memory));
    }

    /// Goes on until `target`, which must still lie ahead.
    public ClientFixture reach(NaaState target) {
        if (target == NaaState.ERROR) {
            on(ConnectionEvent.Type.UNREACHABLE);
            machine.takeFailure();
        } else if (target == NaaState.DISCONNECTED) {
            machine.closed();
        }
        for (int steps = 0; machine.state() != target; steps++) {
            assertThat(steps).as("steps towards " + target).isLessThan(20);
            step();
        }
        return this;
    }

    private void step() {
        switch (machine.state()) {
            case INIT -> on(ConnectionEvent.Type.ADDRESS_RESOLVED);
            case READY -> on(ConnectionEvent.Type.ESTABLISHED);
            case CONNECTED -> startMrsp(List.of());
            case MRSP_SENDING, DATA_SENDING -> driver.take().forEach(driver::sendCompletes);
            case MRSP_RECEIVING -> driver.messageArrives(answer());
            case MRSP_DONE -> machine.startRpc(driver.now);
            case DATA_RECEIVING -> driver.immediateArrives(0, 0);
            default -> throw new IllegalStateException("no way on from " + machine.state());
        }
    }

    ClientMachine.Step on(ConnectionEvent.Type type) {
        return machine.on(MachineDriver.event(type));
    }

    void startMrsp(List<Entry> internals) {
        List<Long> addresses = regions.stream().map(ClientRegion::size).toList();
        machine.startMrsp(addresses, internals, driver.now);
    }

    /// What the client announces.
    AdvertiseRequest announced(List<Entry> internals) {
        reach(NaaState.CONNECTED);
        startMrsp(internals);
        long length = driver.take().getFirst().length();
        MemorySegment buffer = driver.receives.getFirst().scatter().region(0).segment();
        return (AdvertiseRequest) MrspCodec.decode(buffer.asSlice(0, length));
    }

    /// The server's answer to it.
    Advertise answer() {
        return advertise(regions.stream().mapToLong(ClientRegion::size).toArray());
    }

    static Advertise advertise(long... sizes) {
        return new Advertise(
                IntStream.range(0, sizes.length).mapToObj(i -> peer(i, sizes[i])).toList());
    }

    static PeerRegion peer(int index, long size) {
        return new PeerRegion(0x7000_0000L + index * 0x10000L, 100 + index, size);
    }

    /// Runs one RPC.
    ///
    /// @return the lengths of its WRITEs
    List<Long> runRpc() {
        machine.startRpc(driver.now);
        List<Posted> writes = driver.take();
        writes.forEach(driver::sendCompletes);
        driver.immediateArrives(0, 0);
        assertThat(machine.state()).isEqualTo(NaaState.FINISHED);
        return writes.stream().map(Posted::length).toList();
    }

    public <T extends NaaException> T failure(Class<T> type) {
        NaaException failure = machine.takeFailure().orElseThrow();
        assertThat(failure).isInstanceOf(type);
        return type.cast(failure);
    }
}
