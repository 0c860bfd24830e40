package dev.outboard.naa.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.outboard.naa.Dialect;
import dev.outboard.naa.InternalRegion;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.SimulatedFabric;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// What is refused before anything is sent: nobody listens where these clients would go.
class NaaClientBuilderTest {
    private static final MemorySegment MEMORY = Arena.ofAuto().allocate(100);

    @TempDir private Path directory;

    @RegisterExtension private final SimulatedFabric fabric = new SimulatedFabric();

    @Test
    @Requirement("NAA-LIM-7")
    void checksTheFunctionCodeForTheDialect() {
        accepts(b -> b.functionCode(1));
        accepts(b -> b.functionCode(127));
        refuses(b -> b.functionCode(0), "function code is 0");
        refuses(b -> b.functionCode(128), "1 to 127");
        refuses(b -> b.functionCode(257), "1 to 127");
        accepts(b -> b.dialect(Dialect.AP1_2023).functionCode(255));
        refuses(b -> b.dialect(Dialect.AP1_2023).functionCode(256), "1 to 255");
    }

    @Test
    @Requirement("NAA-LIM-1")
    void capsTheNumberOfAllRegions() {
        accepts(b -> regions(b, 31));
        refuses(b -> regions(b, 32), "33; valid");
        accepts(b -> regions(b, 30).internal(InternalRegion.of(1)));
        refuses(b -> regions(b, 31).internal(InternalRegion.of(1)), "1 to 32");
        refuses(b -> regions(b, 31).dialect(Dialect.AP1_2023), "metadata");
        accepts(b -> regions(b, 254).maxRegions(255));
        refuses(b -> regions(b, 255).maxRegions(255), "1 to 255");
        refuses(b -> b.maxRegions(256), "1 to 255");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NaaClient.builder("127.0.0.1").device(fabric.device()).build())
                .withMessageContaining("parameter regions is 0");
    }

    @Test
    @Requirement("NAA-LIM-3")
    void capsTheSizeOfARegion() throws IOException {
        MemorySegment large = sparse((1L << 31) + 1);
        accepts(b -> b.region(RegionSpec.input(large.asSlice(0, 1L << 31))));
        refuses(b -> b.region(RegionSpec.input(large)), "size of region 1 is 2147483649");
        refuses(
                b ->
                        b.dialect(Dialect.AP1_2023)
                                .region(RegionSpec.input(large.asSlice(0, (1L << 30) + 1))),
                "0 to 1073741824");
        accepts(b -> b.maxRegionBytes(0xffff_ffffL).region(RegionSpec.input(large)));
        refuses(b -> b.maxRegionBytes(0x1_0000_0000L), "cap of region bytes");
        refuses(b -> b.internal(InternalRegion.of((1L << 31) + 1)), "internal region 0");
    }

    /// Memory of a file that has no bytes on the disk.
    private MemorySegment sparse(long size) throws IOException {
        try (FileChannel file =
                FileChannel.open(
                        directory.resolve("sparse"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            return file.map(FileChannel.MapMode.READ_WRITE, 0, size, Arena.ofAuto());
        }
    }

    @Test
    void refusesMemoryThatNoDeviceCanUse() {
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment memory = confined.allocate(8);
            refuses(b -> b.region(RegionSpec.input(memory)), "region 1 belongs to one thread");
        }
        refuses(b -> b.region(RegionSpec.output(MEMORY.asReadOnly())), "region 1 is an output");
        accepts(b -> b.region(RegionSpec.input(MEMORY.asReadOnly())));
    }

    @Test
    @Requirement("NAA-CONN-5")
    void checksTheRetryCount() {
        accepts(b -> b.retryCount(0));
        accepts(b -> b.retryCount(7));
        refuses(b -> b.retryCount(8), "0 to 7");
        refuses(b -> b.retryCount(-1), "0 to 7");
    }

    @Test
    @Requirement({"NAA-FLAG-7", "NAA-RPC-6"})
    void whatComesAfterwardsDoesNotChangeAClient() {
        NaaClientBuilder builder =
                NaaClient.builder("127.0.0.1")
                        .device(fabric.device())
                        .region(RegionSpec.input(MEMORY));
        try (NaaClient client = builder.build()) {
            builder.region(RegionSpec.output(MEMORY)).functionCode(9);
            assertThat(client.regions()).containsExactly(RegionSpec.input(MEMORY));
            assertThat(client.functionCode()).isEqualTo(1);
        }
    }

    @Test
    @Requirement("NAA-SCOPE-7")
    void bothSidesSpeakUpstreamUnlessToldOtherwise() {
        assertThat(ServerOptions.builder().build().dialect()).hasValue(Dialect.UPSTREAM_2026);
        assertThat(NaaClient.builder("localhost").dialect).isEqualTo(Dialect.UPSTREAM_2026);
    }

    private static NaaClientBuilder regions(NaaClientBuilder builder, int more) {
        for (int i = 0; i < more; i++) {
            builder.region(RegionSpec.input(MEMORY));
        }
        return builder;
    }

    /// Each builder starts with one region.
    private NaaClientBuilder described(UnaryOperator<NaaClientBuilder> by) {
        return by.apply(
                NaaClient.builder("127.0.0.1")
                        .device(fabric.device())
                        .region(RegionSpec.input(MEMORY)));
    }

    private void accepts(UnaryOperator<NaaClientBuilder> by) {
        try (NaaClient client = described(by).build()) {
            assertThat(client.state()).isEqualTo(NaaState.INIT);
        }
    }

    private void refuses(UnaryOperator<NaaClientBuilder> by, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> described(by).build())
                .withMessageContaining(message);
    }
}
