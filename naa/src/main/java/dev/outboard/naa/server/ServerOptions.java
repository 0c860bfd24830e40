package dev.outboard.naa.server;

import dev.outboard.naa.Dialect;
import dev.outboard.naa.MrspMessage;
import dev.outboard.naa.NaaMemory;
import dev.outboard.naa.protocol.ServerSettings;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// What a server allows. A duration of zero means "no limit" or "never".
///
/// @param dialect the one dialect to serve, or empty to recognise the client's
/// @param maxConnections clients at a time
/// @param share what the clients at one address get of places, memory and workers
/// @param loopbackShare the same for addresses of this machine; the workers are those of `share`
/// @param maxRegions regions of one connection, internal and metadata ones included
/// @param maxConnectionBytes memory of one connection
/// @param maxTotalBytes memory of all connections
/// @param memory the addresses at which clients may request their regions
/// @param setupLimit how long a client may take to finish its handshake, then to request its
///   regions
/// @param transferLimit how long the transfer of one answer may take
/// @param idleLimit how long a connection may be without an RPC
/// @param evictAfter how long a client may call nothing and keep a place that others want
/// @param probeInterval how often a silent client is probed with a WRITE of no bytes
/// @param probeLimit how long a probe may stay unanswered before the client counts as dead
/// @param routineLimit how long a routine may take
/// @param shortLimit what a routine that runs on a polling thread should take at most
/// @param workers threads for routines that are not short
/// @param maxQueuedRpcs RPCs that may wait for a worker
/// @param spin how long the server polls before it sleeps; [#POLLED] never sleeps
/// @param shutdownLimit how long closing the server waits for routines
/// @param admission whom to serve
/// @param observer who learns what happens
public record ServerOptions(
        Optional<Dialect> dialect,
        int maxConnections,
        AddressShare share,
        AddressShare loopbackShare,
        int maxRegions,
        long maxConnectionBytes,
        long maxTotalBytes,
        NaaMemory memory,
        Duration setupLimit,
        Duration transferLimit,
        Duration idleLimit,
        Duration evictAfter,
        Duration probeInterval,
        Duration probeLimit,
        Duration routineLimit,
        Duration shortLimit,
        int workers,
        int maxQueuedRpcs,
        Duration spin,
        Duration shutdownLimit,
        Admission admission,
        ServerObserver observer) {

    /// Spin for ever: the lowest latency, for one processor.
    public static final Duration POLLED = Duration.ofDays(36_500);

    /// Refuses limits that no server can work with.
    public ServerOptions {
        atLeastOne("maximum of connections", maxConnections);
        atLeastOne("number of workers", workers);
        if (maxQueuedRpcs < 0) {
            throw new IllegalArgumentException(
                    "maximum of queued RPCs is " + maxQueuedRpcs + "; valid: 0 or more");
        }
        if (maxRegions < 1 || maxRegions > MrspMessage.MAX_REGIONS) {
            throw new IllegalArgumentException(
                    "maximum of regions is " + maxRegions + "; valid: 1 to 255");
        }
    }

    /// The dialect `upstream-2026`, 64 connections, 32 regions each, half of the machine's memory
    /// together, of which the clients at one address get three quarters.
    public static Builder builder() {
        return new Builder();
    }

    /// What the clients from `origin` get.
    AddressShare share(Origin origin) {
        return origin.isLoopback() ? loopbackShare : share;
    }

    /// What concerns the protocol of one connection.
    ServerSettings settings() {
        long maxBytes = maxConnectionBytes;
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

    private static void atLeastOne(String what, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(what + " is " + value + "; valid: at least 1");
        }
    }

    /// Collects the options; every call returns this builder.
    public static final class Builder {
        private Optional<Dialect> dialect = Optional.of(Dialect.UPSTREAM_2026);
        private int maxConnections = 64;
        private OptionalInt maxAddressConnections = OptionalInt.empty();
        private OptionalLong maxAddressBytes = OptionalLong.empty();
        private OptionalInt maxAddressWorkers = OptionalInt.empty();
        private int maxRegions = 32;
        private long maxConnectionBytes = machineMemory() / 4;
        private long maxTotalBytes = machineMemory() / 2;
        private NaaMemory memory = NaaMemory.largest();
        private Duration setupLimit = Duration.ofSeconds(10);
        private Duration transferLimit = Duration.ofSeconds(60);
        private Duration idleLimit = Duration.ZERO;
        private Duration evictAfter = Duration.ofSeconds(10);
        private Duration probeInterval = Duration.ofSeconds(5);
        private Duration probeLimit = Duration.ofSeconds(5);
        private Duration routineLimit = Duration.ofSeconds(60);
        private Duration shortLimit = Duration.ofMillis(1);
        private int workers = Runtime.getRuntime().availableProcessors() + 1;
        private int maxQueuedRpcs = 64;
        private Duration spin = Duration.ofNanos(20_000);
        private Duration shutdownLimit = Duration.ofSeconds(5);
        private Admission admission = Admission.everyone();
        private ServerObserver observer = ServerObserver.logging();

        private Builder() {}

        /// Serves `value` only.
        ///
        /// NAA-SCOPE-7: of one listener; `upstream-2026` by default.
        public Builder dialect(Dialect value) {
            dialect = Optional.of(value);
            return this;
        }

        /// Serves both dialects. A client of `upstream-2026` that marks no region and has 8 bytes
        /// in its first one is taken for one of `ap1-2023`.
        public Builder anyDialect() {
            dialect = Optional.empty();
            return this;
        }

        /// See [ServerOptions#maxConnections].
        ///
        /// NAA-MULTI-2: 64 by default.
        public Builder maxConnections(int value) {
            maxConnections = value;
            return this;
        }

        /// How many clients at one address may be connected at a time. Without, three quarters of
        /// all, on this machine all.
        public Builder maxAddressConnections(int value) {
            maxAddressConnections = OptionalInt.of(value);
            return this;
        }

        /// How much memory the clients at one address get together. Without, three quarters of what
        /// all get, on this machine all.
        public Builder maxAddressBytes(long value) {
            maxAddressBytes = OptionalLong.of(value);
            return this;
        }

        /// How many workers may compute calls from one address at a time. Without, all but one.
        public Builder maxAddressWorkers(int value) {
            maxAddressWorkers = OptionalInt.of(value);
            return this;
        }

        /// See [ServerOptions#maxRegions].
        public Builder maxRegions(int value) {
            maxRegions = value;
            return this;
        }

        /// See [ServerOptions#maxConnectionBytes].
        public Builder maxConnectionBytes(long value) {
            maxConnectionBytes = value;
            return this;
        }

        /// See [ServerOptions#maxTotalBytes].
        public Builder maxTotalBytes(long value) {
            maxTotalBytes = value;
            return this;
        }

        /// See [ServerOptions#memory].
        public Builder memory(NaaMemory value) {
            memory = value;
            return this;
        }

        /// See [ServerOptions#setupLimit].
        public Builder setupLimit(Duration value) {
            setupLimit = value;
            return this;
        }

        /// See [ServerOptions#transferLimit].
        public Builder transferLimit(Duration value) {
            transferLimit = value;
            return this;
        }

        /// See [ServerOptions#idleLimit].
        public Builder idleLimit(Duration value) {
            idleLimit = value;
            return this;
        }

        /// See [ServerOptions#evictAfter].
        public Builder evictAfter(Duration value) {
            evictAfter = value;
            return this;
        }

        /// See [ServerOptions#probeInterval].
        public Builder probeInterval(Duration value) {
            probeInterval = value;
            return this;
        }

        /// See [ServerOptions#probeLimit].
        public Builder probeLimit(Duration value) {
            probeLimit = value;
            return this;
        }

        /// Probes silent clients every `interval`; one that does not answer within `limit` is dead.
        public Builder probe(Duration interval, Duration limit) {
            return probeInterval(interval).probeLimit(limit);
        }

        /// See [ServerOptions#routineLimit].
        public Builder routineLimit(Duration value) {
            routineLimit = value;
            return this;
        }

        /// See [ServerOptions#shortLimit].
        public Builder shortLimit(Duration value) {
            shortLimit = value;
            return this;
        }

        /// See [ServerOptions#workers].
        public Builder workers(int value) {
            workers = value;
            return this;
        }

        /// See [ServerOptions#maxQueuedRpcs].
        public Builder maxQueuedRpcs(int value) {
            maxQueuedRpcs = value;
            return this;
        }

        /// See [ServerOptions#spin].
        public Builder spin(Duration value) {
            spin = value;
            return this;
        }

        /// See [ServerOptions#shutdownLimit].
        public Builder shutdownLimit(Duration value) {
            shutdownLimit = value;
            return this;
        }

        /// See [ServerOptions#admission].
        public Builder admission(Admission value) {
            admission = value;
            return this;
        }

        /// See [ServerOptions#observer]; failures are logged by default.
        public Builder observer(ServerObserver value) {
            observer = value;
            return this;
        }

        /// The options collected so far.
        public ServerOptions build() {
            AddressShare share =
                    share((int) threeQuarters(maxConnections), threeQuarters(maxTotalBytes));
            AddressShare loopbackShare = share(maxConnections, maxTotalBytes);
            return new ServerOptions(
                    dialect,
                    maxConnections,
                    share,
                    loopbackShare,
                    maxRegions,
                    maxConnectionBytes,
                    maxTotalBytes,
                    memory,
                    setupLimit,
                    transferLimit,
                    idleLimit,
                    evictAfter,
                    probeInterval,
                    probeLimit,
                    routineLimit,
                    shortLimit,
                    workers,
                    maxQueuedRpcs,
                    spin,
                    shutdownLimit,
                    admission,
                    observer);
        }

        /// @param connections unless they were set
        /// @param bytes unless they were set
        private AddressShare share(int connections, long bytes) {
            return new AddressShare(
                    maxAddressConnections.orElse(Math.max(1, connections)),
                    maxAddressBytes.orElse(bytes),
                    maxAddressWorkers.orElse(Math.max(1, workers - 1)));
        }

        /// Rounded up.
        private static long threeQuarters(long all) {
            return all - all / 4;
        }

        private static long machineMemory() {
            var system =
                    (com.sun.management.OperatingSystemMXBean)
                            ManagementFactory.getOperatingSystemMXBean();
            return system.getTotalMemorySize();
        }
    }
}
