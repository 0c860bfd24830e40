package dev.outboard.naa.client;

import dev.outboard.fabric.Device;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.InternalRegion;
import dev.outboard.naa.MrspMessage;
import dev.outboard.naa.RegionSpec;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/// Collects what a [NaaClient] needs; every call returns this builder. Durations of zero mean "no
/// limit" or "never".
public final class NaaClientBuilder {
    private static final int DEFAULT_MAX_REGIONS = 32;
    private static final long MAX_REGION_BYTES = 0xffff_ffffL;

    /// Stands for the threads that move the bytes.
    private static final Thread DEVICE_THREAD = Thread.ofPlatform().unstarted(() -> {});

    final String host;
    final int port;
    final List<RegionSpec> regions = new ArrayList<>();
    final List<InternalRegion> internals = new ArrayList<>();
    Optional<Device> device = Optional.empty();
    Optional<String> deviceUri = Optional.empty();
    Optional<String> local = Optional.empty();
    Dialect dialect = Dialect.UPSTREAM_2026;
    int functionCode = 1;
    long naaOffset;
    OptionalInt retryCount = OptionalInt.empty();
    Duration connectLimit = Duration.ofSeconds(10);
    Duration addressLimit = Duration.ofMillis(100);
    Duration routeLimit = Duration.ofMillis(500);
    Duration timeout = Duration.ofSeconds(60);
    Duration closeLimit = Duration.ofSeconds(1);
    Duration probeInterval = Duration.ofSeconds(5);
    Duration spin = Duration.ofNanos(20_000);
    int maxRegions = DEFAULT_MAX_REGIONS;
    long maxRegionBytes;

    NaaClientBuilder(String host, int port) {
        this.host = host;
        this.port = port;
    }

    /// A client keeps a copy, so that the builder can go on to describe another.
    ///
    /// NAA-FLAG-7, NAA-MW-12: what is marked later concerns the next client.
    private NaaClientBuilder(NaaClientBuilder other) {
        this(other.host, other.port);
        regions.addAll(other.regions);
        internals.addAll(other.internals);
        device = other.device;
        deviceUri = other.deviceUri;
        local = other.local;
        dialect = other.dialect;
        functionCode = other.functionCode;
        naaOffset = other.naaOffset;
        retryCount = other.retryCount;
        connectLimit = other.connectLimit;
        addressLimit = other.addressLimit;
        routeLimit = other.routeLimit;
        timeout = other.timeout;
        closeLimit = other.closeLimit;
        probeInterval = other.probeInterval;
        spin = other.spin;
        maxRegions = other.maxRegions;
        maxRegionBytes = other.maxRegionBytes;
    }

    /// Uses a device of the caller's, which stays open when the client is closed.
    public NaaClientBuilder device(Device value) {
        device = Optional.of(value);
        return this;
    }

    /// Uses the device of this URI. It is opened by the first user that names it and closed with
    /// the last one, clients or not ([dev.outboard.fabric.Devices]). Without a device, clients
    /// share one that leads to their servers.
    public NaaClientBuilder deviceUri(String value) {
        deviceUri = Optional.of(value);
        return this;
    }

    /// Uses the RoCE device of this local host name or address; empty lets the routing decide.
    ///
    /// NAA-CONN-12: nothing and the empty text mean the same.
    public NaaClientBuilder local(String value) {
        local = Optional.of(value).filter(name -> !name.isEmpty());
        return this;
    }

    /// The dialect to speak; the client cannot find out what the server speaks.
    ///
    /// NAA-SCOPE-7, NAA-SCOPE-9: what is chosen here is spoken, `upstream-2026` by default.
    public NaaClientBuilder dialect(Dialect value) {
        dialect = value;
        return this;
    }

    /// The routine to call: 1 to 127, or to 255 in `ap1-2023`.
    ///
    /// NAA-RPC-6: it stays the same for all RPCs.
    public NaaClientBuilder functionCode(int value) {
        functionCode = value;
        return this;
    }

    /// Adds a parameter region.
    public NaaClientBuilder region(RegionSpec value) {
        regions.add(value);
        return this;
    }

    /// Adds parameter regions.
    public NaaClientBuilder regions(List<RegionSpec> values) {
        regions.addAll(values);
        return this;
    }

    /// Adds a region on the NAA only.
    ///
    /// NAA-INT-1: any number within the caps.
    public NaaClientBuilder internal(InternalRegion value) {
        internals.add(value);
        return this;
    }

    /// Where the sequence of requested NAA addresses begins, for regions without a requested
    /// address; `upstream-2026` only.
    public NaaClientBuilder naaOffset(long value) {
        naaOffset = value;
        return this;
    }

    /// The cap for all regions together: 32 by default, at most 255. The reference implementation
    /// manages 31.
    public NaaClientBuilder maxRegions(int value) {
        maxRegions = value;
        return this;
    }

    /// The cap for the size of one region: the dialect's by default, at most 2^32 - 1.
    public NaaClientBuilder maxRegionBytes(long value) {
        maxRegionBytes = value;
        return this;
    }

    /// Transport retries, 0 to 7; the dialect's by default.
    ///
    /// NAA-CONN-5: of this client.
    public NaaClientBuilder retryCount(int value) {
        retryCount = OptionalInt.of(value);
        return this;
    }

    /// The limit for connecting, 10 s by default.
    ///
    /// NAA-CONN-9: 10 s by default.
    public NaaClientBuilder connectLimit(Duration value) {
        connectLimit = value;
        return this;
    }

    /// The limits for resolving address and route, 100 ms and 500 ms by default.
    ///
    /// NAA-CONN-10: each has its own.
    public NaaClientBuilder resolveLimits(Duration address, Duration route) {
        addressLimit = address;
        routeLimit = route;
        return this;
    }

    /// The limit for region setup and for one RPC each, 60 s by default.
    public NaaClientBuilder timeout(Duration value) {
        timeout = value;
        return this;
    }

    /// How long closing waits for the server's reply, 1 s by default.
    public NaaClientBuilder closeLimit(Duration value) {
        closeLimit = value;
        return this;
    }

    /// How often a server that takes long is probed with a WRITE of no bytes, so that its death is
    /// noticed before the timeout; 5 s by default.
    public NaaClientBuilder probeInterval(Duration value) {
        probeInterval = value;
        return this;
    }

    /// How long to poll before sleeping, 20 µs by default;
    /// [ServerOptions#POLLED][dev.outboard.naa.server.ServerOptions#POLLED] never sleeps. A thread
    /// sleeps all the same while as many others of the process poll as there are processors but
    /// one.
    public NaaClientBuilder spin(Duration value) {
        spin = value;
        return this;
    }

    /// Creates the client and begins to resolve the server's address.
    ///
    /// @throws IllegalArgumentException if something is out of range; nothing was sent then
    /// @throws dev.outboard.naa.NaaConnectException if the host is unknown or the device cannot be
    ///   opened
    public NaaClient build() {
        check();
        return NaaClient.create(new NaaClientBuilder(this));
    }

    /// Creates the client, connects it and sets up its regions: ready for [NaaClient#invoke].
    ///
    /// NAA-SCOPE-3, NAA-API-2, NAA-API-4: everything up to the first RPC, in order.
    ///
    /// @throws dev.outboard.naa.NaaException if it does not work; nothing is left open then
    public NaaClient open() {
        NaaClient client = build();
        try {
            client.connect();
            client.registerRegions();
            client.runMrsp();
            return client;
        } catch (RuntimeException e) {
            closeAfter(e, client);
            throw e;
        }
    }

    private static void closeAfter(RuntimeException failure, NaaClient client) {
        try {
            client.close();
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    /// NAA-LIM-1, NAA-LIM-3, NAA-LIM-7: what exceeds a cap is refused before anything is sent.
    private void check() {
        range("function code", functionCode, 1, dialect.maxFunctionCode());
        range("port", port, 1, 0xffff);
        range("retry count", retryCount.orElse(0), 0, 7);
        range("cap of regions", maxRegions, 1, MrspMessage.MAX_REGIONS);
        range("cap of region bytes", maxRegionBytes, 0, MAX_REGION_BYTES);
        range("number of parameter regions", regions.size(), 1, MrspMessage.MAX_REGIONS);
        int total = dialect.firstParameter() + regions.size() + internals.size();
        range("number of regions, metadata and internal ones included", total, 1, maxRegions);
        long cap = maxRegionBytes == 0 ? dialect.maxRegionBytes() : maxRegionBytes;
        for (int i = 0; i < regions.size(); i++) {
            range("size of region " + i, regions.get(i).memory().byteSize(), 0, cap);
            checkMemory(i);
        }
        for (int i = 0; i < internals.size(); i++) {
            range("size of internal region " + i, internals.get(i).size(), 0, cap);
        }
        NaaAddresses.assign(dialect, naaOffset, internals, regions);
    }

    private void checkMemory(int region) {
        MemorySegment memory = regions.get(region).memory();
        if (!memory.isAccessibleBy(DEVICE_THREAD)) {
            throw new IllegalArgumentException(
                    "region %d belongs to one thread; allocate it from a shared arena"
                            .formatted(region));
        }
        if (memory.isReadOnly() && regions.get(region).output()) {
            throw new IllegalArgumentException(
                    "region %d is an output but its memory is read-only".formatted(region));
        }
    }

    private void range(String what, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(
                    "%s is %d; valid in %s: %d to %d".formatted(what, value, dialect, min, max));
        }
    }
}
