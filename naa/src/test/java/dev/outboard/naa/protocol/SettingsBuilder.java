package dev.outboard.naa.protocol;

import dev.outboard.naa.Dialect;
import dev.outboard.naa.NaaMemory;
import java.time.Duration;
import java.util.Optional;

/// Collects [ServerSettings]; what a test does not set is as servers have it by default, with the
/// times of [ServerFixture].
final class SettingsBuilder {
    private Optional<Dialect> dialect = Optional.of(Dialect.UPSTREAM_2026);
    private int maxRegions = 32;
    private long maxBytes = 1L << 32;
    private NaaMemory memory = NaaMemory.largest();
    private Duration idleLimit = Duration.ZERO;

    SettingsBuilder dialect(Dialect value) {
        dialect = Optional.of(value);
        return this;
    }

    SettingsBuilder anyDialect() {
        dialect = Optional.empty();
        return this;
    }

    SettingsBuilder maxRegions(int value) {
        maxRegions = value;
        return this;
    }

    SettingsBuilder maxBytes(long value) {
        maxBytes = value;
        return this;
    }

    SettingsBuilder memory(NaaMemory value) {
        memory = value;
        return this;
    }

    SettingsBuilder idleLimit(Duration value) {
        idleLimit = value;
        return this;
    }

    ServerSettings build() {
        Duration setupLimit = ServerFixture.REQUEST_LIMIT;
        Duration transferLimit = ServerFixture.TRANSFER_LIMIT;
        Duration probeInterval = ServerFixture.PROBE;
        Duration probeLimit = ServerFixture.PROBE_LIMIT;
        return new ServerSettings(
                dialect,
                maxRegions,
                maxBytes,
                memory,
                setupLimit,
                transferLimit,
                idleLimit,
                probeInterval,
                probeLimit);
    }
}
