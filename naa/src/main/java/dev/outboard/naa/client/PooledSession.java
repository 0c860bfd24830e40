package dev.outboard.naa.client;

import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.RpcResult;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// A client of a [NaaPool] and the memory of its regions. Whoever took it from the pool uses it.
final class PooledSession implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger(NaaPool.class.getName());

    private final PooledNaa naa;
    private final Arena arena = Arena.ofShared();
    private final List<RegionSpec> arguments = new ArrayList<>();
    private final NaaClient client;

    /// Connects and sets up the regions.
    ///
    /// @throws dev.outboard.naa.NaaException if that does not work
    PooledSession(PooledNaa naa, NaaPoolBuilder settings) {
        this.naa = naa;
        NaaClientBuilder builder =
                settings.client
                        .apply(
                                NaaClient.builder(naa.address().host(), naa.address().port())
                                        .local(settings.local))
                        .functionCode(settings.functionCode);
        for (NaaPoolBuilder.Region region : settings.regions) {
            RegionSpec spec = region.spec(arena);
            builder.region(spec);
            if (region.constant().isEmpty()) {
                arguments.add(spec);
            }
        }
        try {
            client = builder.open();
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    PooledNaa naa() {
        return naa;
    }

    /// Calls the function with values for its arguments, which have the right sizes.
    RpcResult call(List<MemorySegment> values, Duration limit) {
        for (int i = 0; i < values.size(); i++) {
            if (arguments.get(i).input()) {
                arguments.get(i).memory().copyFrom(values.get(i));
            }
        }
        RpcResult result = client.invoke(limit);
        for (int i = 0; i < values.size(); i++) {
            if (arguments.get(i).output()) {
                values.get(i).copyFrom(arguments.get(i).memory());
            }
        }
        return result;
    }

    /// Asks the NAA for a sign of life.
    ///
    /// @throws dev.outboard.naa.NaaException if there is none
    void check(Duration limit) {
        client.ping(limit);
    }

    /// Ends a call that is under way. Any thread.
    void disconnect() {
        try {
            client.close();
        } catch (RuntimeException e) {
            // What cannot be released of a session that ends is of no use to anybody.
            LOGGER.log(System.Logger.Level.DEBUG, "closing a session", e);
        }
    }

    @Override
    public void close() {
        disconnect();
        arena.close();
    }
}
