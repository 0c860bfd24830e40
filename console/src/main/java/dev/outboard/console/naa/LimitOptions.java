package dev.outboard.console.naa;

import dev.outboard.naa.MrspMessage;
import dev.outboard.naa.NaaMemory;
import dev.outboard.naa.server.AddressPrefix;
import dev.outboard.naa.server.Admission;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.terminal.ByteSize;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/// The options of 'naa serve' that say whom it serves, and how much of everything they get.
final class LimitOptions {
    @Option(
            names = "--allow",
            paramLabel = "NETWORK",
            split = ",",
            converter = Network.class,
            description =
                    "Serve clients of these networks only, for example 10.0.0.0/8,::1/128; default"
                            + " all.")
    private List<AddressPrefix> allowed = new ArrayList<>();

    @Option(
            names = "--max-connections",
            paramLabel = "N",
            description = "Clients at a time, default 64.")
    private @Nullable Integer maxConnections;

    @Option(
            names = "--max-address-connections",
            paramLabel = "N",
            description =
                    "Clients from one address at a time, default three quarters of all, from this"
                            + " machine all.")
    private @Nullable Integer maxAddressConnections;

    @Option(
            names = "--max-regions",
            paramLabel = "N",
            description = "Regions of one client, default 255.")
    private int maxRegions = MrspMessage.MAX_REGIONS;

    @Option(
            names = "--max-memory",
            paramLabel = "SIZE",
            description = "Memory for the regions of all clients, default half of the machine's.")
    private @Nullable ByteSize maxMemory;

    @Option(
            names = "--max-client-memory",
            paramLabel = "SIZE",
            description =
                    "Memory for the regions of one client, default a quarter of the machine's, or"
                            + " all of --max-memory.")
    private @Nullable ByteSize maxClientMemory;

    @Option(
            names = "--max-address-memory",
            paramLabel = "SIZE",
            description =
                    "Memory for the regions of all clients from one address, default three quarters"
                            + " of that of all, from this machine all.")
    private @Nullable ByteSize maxAddressMemory;

    @Option(
            names = "--address-space",
            paramLabel = "SIZE",
            description = "Clients may ask for NAA addresses below SIZE, default 2^56.")
    private @Nullable ByteSize addressSpace;

    @Option(
            names = "--banks",
            paramLabel = "N",
            description = "The address space has N banks; a region lies in one. Default 1.")
    private int banks = 1;

    @Option(
            names = "--setup-time",
            paramLabel = "TIME",
            description = "What a client may take to set up its regions, default 10s.")
    private @Nullable Duration setupTime;

    @Option(
            names = "--idle-time",
            paramLabel = "TIME",
            description = "How long a client may be without a call, default 0s: for ever.")
    private @Nullable Duration idleTime;

    @Option(
            names = "--transfer-time",
            paramLabel = "TIME",
            description = "What a client may take to get an answer, default 60s, 0s for ever.")
    private @Nullable Duration transferTime;

    @Option(
            names = "--evict-after",
            paramLabel = "TIME",
            description =
                    "How long a client may be without a call when others want its place, default"
                            + " 10s, 0s for ever.")
    private @Nullable Duration evictAfter;

    @Option(
            names = "--probe-interval",
            paramLabel = "TIME",
            description = "How often a silent client is asked whether it is there, default 5s.")
    private @Nullable Duration probeInterval;

    @Option(
            names = "--probe-time",
            paramLabel = "TIME",
            description = "What it may take to answer that, default 5s.")
    private @Nullable Duration probeTime;

    @Option(
            names = "--rpc-time",
            paramLabel = "TIME",
            description = "What a call may take, default 60s, 0s for ever.")
    private @Nullable Duration rpcTime;

    @Option(
            names = "--workers",
            paramLabel = "N",
            description = "Calls computed at a time, default one more than processors.")
    private @Nullable Integer workers;

    @Option(
            names = "--max-address-workers",
            paramLabel = "N",
            description = "Calls from one address computed at a time, default all but one.")
    private @Nullable Integer maxAddressWorkers;

    @Option(
            names = "--max-queued",
            paramLabel = "N",
            description = "Calls that may wait for a worker, default 64.")
    private @Nullable Integer maxQueued;

    @Option(
            names = "--short-time",
            paramLabel = "TIME",
            description =
                    "What a routine that says it is short may take, again and again, default 1ms.")
    private @Nullable Duration shortTime;

    @Option(
            names = "--spin",
            paramLabel = "TIME",
            description = "How long the node polls before it sleeps, default 20us.")
    private @Nullable Duration spin;

    @Option(
            names = "--shutdown-time",
            paramLabel = "TIME",
            description = "What running calls get to finish when the node ends, default 5s.")
    private Duration shutdownTime = Duration.ofSeconds(5);

    /// What running calls get when the node ends.
    Duration shutdownTime() {
        return shutdownTime;
    }

    /// Sets what was given.
    void addTo(ServerOptions.Builder builder) {
        builder.maxRegions(maxRegions).shutdownLimit(shutdownTime);
        if (!allowed.isEmpty()) {
            builder.admission(Admission.only(allowed));
        }
        set(maxConnections, builder::maxConnections);
        set(maxAddressConnections, builder::maxAddressConnections);
        set(workers, builder::workers);
        set(maxAddressWorkers, builder::maxAddressWorkers);
        set(maxQueued, builder::maxQueuedRpcs);
        addMemory(builder);
        addTimes(builder);
    }

    private static <T> void set(@Nullable T given, Consumer<T> setting) {
        if (given != null) {
            setting.accept(given);
        }
    }

    private void addMemory(ServerOptions.Builder builder) {
        if (maxMemory != null) {
            builder.maxTotalBytes(maxMemory.bytes()).maxConnectionBytes(maxMemory.bytes());
        }
        set(maxClientMemory, size -> builder.maxConnectionBytes(size.bytes()));
        set(maxAddressMemory, size -> builder.maxAddressBytes(size.bytes()));
        long bytes = addressSpace == null ? NaaMemory.largest().bytes() : addressSpace.bytes();
        builder.memory(new NaaMemory(bytes, banks));
    }

    private void addTimes(ServerOptions.Builder builder) {
        set(setupTime, builder::setupLimit);
        set(idleTime, builder::idleLimit);
        set(transferTime, builder::transferLimit);
        set(evictAfter, builder::evictAfter);
        set(probeInterval, builder::probeInterval);
        set(probeTime, builder::probeLimit);
        set(rpcTime, builder::routineLimit);
        set(shortTime, builder::shortLimit);
        set(spin, builder::spin);
    }

    /// Reads a network.
    static final class Network implements ITypeConverter<AddressPrefix> {
        @Override
        public AddressPrefix convert(String text) {
            try {
                return AddressPrefix.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }
}
