package dev.outboard.naa.client;

import dev.outboard.naa.RegionSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// Collects what a [NaaPool] needs; every call returns this builder. The regions of the function
/// have the order in which they are added.
public final class NaaPoolBuilder {
    /// A region of the function: an argument of each call, or a constant of the pool.
    record Region(long size, boolean input, boolean output, Optional<MemorySegment> constant) {
        RegionSpec spec(Arena arena) {
            if (constant.isPresent()) {
                return RegionSpec.singleSend(constant.get());
            }
            MemorySegment memory = arena.allocate(size);
            if (!output) {
                return RegionSpec.input(memory);
            }
            return input ? RegionSpec.inputOutput(memory) : RegionSpec.output(memory);
        }
    }

    final int functionCode;
    final List<NaaAddress> naas = new ArrayList<>();
    final List<Region> regions = new ArrayList<>();
    UnaryOperator<NaaClientBuilder> client = UnaryOperator.identity();
    String local = "";
    int sessionsPerNaa = 2;
    int maxWaiting = 1000;
    Duration callLimit = Duration.ofSeconds(60);
    Duration checkInterval = Duration.ofSeconds(5);
    boolean idempotent;

    NaaPoolBuilder(int functionCode) {
        this.functionCode = functionCode;
    }

    /// Adds an NAA: a host, with or without port (see [NaaAddress#parse]).
    public NaaPoolBuilder naa(String address) {
        naas.add(NaaAddress.parse(address));
        return this;
    }

    /// Adds an NAA.
    public NaaPoolBuilder naa(String host, int port) {
        naas.add(new NaaAddress(host, port));
        return this;
    }

    /// Adds the NAAs of `spec` that offer the function, and takes its local address.
    public NaaPoolBuilder naas(NaaSpec spec) {
        spec.items().stream()
                .filter(item -> item.functionCode() == functionCode)
                .forEach(item -> naa(item.host(), item.port()));
        local = spec.localAddress().orElse(local);
        return this;
    }

    /// Adds an argument that is sent.
    public NaaPoolBuilder input(long bytes) {
        return region(new Region(bytes, true, false, Optional.empty()));
    }

    /// Adds an argument that is returned.
    public NaaPoolBuilder output(long bytes) {
        return region(new Region(bytes, false, true, Optional.empty()));
    }

    /// Adds an argument that is sent and returned.
    public NaaPoolBuilder inputOutput(long bytes) {
        return region(new Region(bytes, true, true, Optional.empty()));
    }

    /// Adds a region that is the same for all calls: each session sends it once. Its memory must
    /// stay allocated and unchanged until the pool is closed.
    public NaaPoolBuilder constant(MemorySegment memory) {
        return region(new Region(memory.byteSize(), true, false, Optional.of(memory)));
    }

    private NaaPoolBuilder region(Region region) {
        regions.add(region);
        return this;
    }

    /// How many sessions to keep with each NAA, 2 by default: that many of its calls run at once.
    public NaaPoolBuilder sessionsPerNaa(int value) {
        sessionsPerNaa = value;
        return this;
    }

    /// How many calls may wait for a session, 1000 by default; one more is refused at once.
    public NaaPoolBuilder maxWaiting(int value) {
        maxWaiting = value;
        return this;
    }

    /// The limit of a call with all its waiting and repeating, 60 s by default.
    public NaaPoolBuilder callLimit(Duration value) {
        callLimit = value;
        return this;
    }

    /// How often idle sessions are asked for a sign of life and lost ones replaced, 5 s by default.
    public NaaPoolBuilder checkInterval(Duration value) {
        checkInterval = value;
        return this;
    }

    /// Declares that calling the function twice does no harm. A call that fails with its NAA is
    /// then repeated on another one.
    public NaaPoolBuilder idempotent() {
        idempotent = true;
        return this;
    }

    /// What else the clients shall be like, for example their device, dialect or internal regions.
    public NaaPoolBuilder client(UnaryOperator<NaaClientBuilder> settings) {
        client = settings;
        return this;
    }

    /// Opens the pool and waits until a first session is there.
    ///
    /// @throws IllegalArgumentException if something is out of range
    /// @throws dev.outboard.naa.NaaUnavailableException if no NAA can be reached; nothing is left
    ///   open then
    public NaaPool open() {
        positive("number of NAAs", naas.size());
        positive("number of regions", regions.size());
        positive("number of sessions per NAA", sessionsPerNaa);
        positive("number of waiting calls", maxWaiting);
        positive("limit of a call in ms", callLimit.toMillis());
        positive("check interval in ms", checkInterval.toMillis());
        return NaaPool.open(this);
    }

    private static void positive(String what, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException("the %s is %d; at least 1".formatted(what, value));
        }
    }
}
