package dev.outboard.naa;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Device;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.naa.server.ServerUnderTest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;

/// What the tests of attacks on a live server over RoCEv2 on loopback have in common: after each, a
/// client that keeps the rules gets the right answer and all of the server's memory.
abstract class HostileSuite extends SessionSuite {
    static final long TOTAL_BYTES = 1 << 20;

    @Override
    Device open() {
        return roce();
    }

    /// Limits as a public server has them, but shorter times; not so short that an honest client on
    /// a busy machine exceeds them.
    static ServerOptions.Builder strict() {
        return ServerOptions.builder()
                .maxConnections(4)
                .maxTotalBytes(TOTAL_BYTES)
                .setupLimit(Duration.ofSeconds(5))
                .transferLimit(Duration.ofSeconds(5))
                .probe(Duration.ofMillis(200), Duration.ofSeconds(5));
    }

    RawClient raw() {
        return raw(clientDevice, 6);
    }

    /// @param rnrRetries how often the server shall try again to send an answer; 7 is for ever
    RawClient raw(Device device, int rnrRetries) {
        return new RawClient(
                device,
                new InetSocketAddress(serverDevice.address(), server.server.port()),
                rnrRetries);
    }

    /// A client that keeps the rules, connected.
    NaaClient goodClient(MemorySegment memory) {
        return server.client()
                .functionCode(ServerUnderTest.INCREMENT)
                .region(RegionSpec.inputOutput(memory))
                .open();
    }

    /// The client gets what it asked for.
    static void assertServed(NaaClient client, MemorySegment memory) {
        byte[] before = memory.toArray(JAVA_BYTE);
        assertThat(client.invoke().isSuccess()).isTrue();
        for (int i = 0; i < before.length; i++) {
            before[i]++;
        }
        assertThat(memory.toArray(JAVA_BYTE)).isEqualTo(before);
    }

    /// Everybody has gone: a new client can have all the memory there is, and gets it right.
    void assertServesAsBefore() {
        awaitNoConnections();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(TOTAL_BYTES);
            memory.set(JAVA_BYTE, TOTAL_BYTES - 1, (byte) 41);
            try (NaaClient good = goodClient(memory)) {
                assertServed(good, memory);
            }
        }
        awaitNoConnections();
    }
}
