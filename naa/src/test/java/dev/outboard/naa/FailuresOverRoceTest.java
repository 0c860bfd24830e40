package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.Device;
import dev.outboard.naa.MrspMessage.Advertise;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The suite over RoCEv2 packets on loopback, and what only a real queue pair refuses.
class FailuresOverRoceTest extends FailureSuite {
    @Override
    Device open() {
        return roce();
    }

    @Test
    @Requirement({"NAA-ROB-2", "NAA-MULTI-5"})
    void survivesAMessageThatExceedsEveryReceive() {
        serve(ServerOptions.builder().maxConnections(1));
        try (RawClient bad = raw()) {
            bad.send(new byte[6125]);
            assertThat(bad.awaitStatus()).isNotEqualTo(CompletionStatus.SUCCESS);
            awaitNoConnections();
        }
        try (NaaClient good = client(10).open()) {
            assertThat(good.invoke().isSuccess()).isTrue();
        }
    }

    @Test
    @Requirement("NAA-ROB-3")
    void aRegionIsReachableInsideItsBoundsWithItsOwnKeyOnly() {
        serve(ServerOptions.builder().maxConnections(2));
        PeerRegion gone;
        try (NaaClient client = client(100).open()) {
            gone = client.peerRegions().getFirst();
        }
        awaitNoConnections();
        try (NaaClient victim = client(100).open()) {
            PeerRegion target = victim.peerRegions().getFirst();
            for (int attack = 0; attack < 5; attack++) {
                try (RawClient bad = raw()) {
                    bad.send(new AdvertiseRequest(List.of(bad.region(RegionFlags.INPUT, 100))));
                    PeerRegion own =
                            ((Advertise) bad.awaitMessage().orElseThrow()).regions().getFirst();
                    switch (attack) {
                        case 0 -> bad.write(own, 1, 100, own.remoteKey());
                        case 1 -> bad.write(own, 0, 100, own.remoteKey() + 1);
                        case 2 -> bad.write(own, 0, 100, target.remoteKey());
                        case 3 -> bad.write(target, 0, 100, target.remoteKey());
                        default -> bad.write(gone, 0, 1, gone.remoteKey());
                    }
                    CompletionStatus status = bad.awaitStatus();
                    while (status == CompletionStatus.SUCCESS) {
                        status = bad.awaitStatus();
                    }
                    assertThat(status)
                            .as("attack %d", attack)
                            .isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
                }
                assertThat(victim.invoke().isSuccess()).isTrue();
                Eventually.until(() -> server.server.connections().size() == 1);
            }
        }
    }

    @Test
    @Requirement({"NAA-RET-21", "NAA-XFER-15"})
    void theBufferOfAReceiveForDataDoesNotMatter() {
        serve(ServerOptions.builder());
        int size = 100;
        long[][] buffers = {{0, 0}, {0, size}, {0, 1}, {8192, 8192}};
        try (RawClient client = raw()) {
            client.send(
                    new AdvertiseRequest(
                            List.of(client.region(RegionFlags.INPUT | RegionFlags.OUTPUT, size))));
            PeerRegion peer =
                    ((Advertise) client.awaitMessage().orElseThrow()).regions().getFirst();
            MemorySegment behind = client.memory().asSlice(size);
            byte[] before = behind.toArray(ValueLayout.JAVA_BYTE);
            for (long[] buffer : buffers) {
                client.memory().asSlice(0, size).fill((byte) 6);
                client.receive(buffer[0], buffer[1]);
                client.call(peer, size, Dialect.UPSTREAM_2026.requestImmediate(1, 0));
                assertThat(client.awaitImmediate()).isZero();
                assertThat(client.memory().asSlice(0, size).toArray(ValueLayout.JAVA_BYTE))
                        .as("with a buffer of %d bytes", buffer[1])
                        .containsOnly(7);
                assertThat(behind.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(before);
            }
        }
    }
}
