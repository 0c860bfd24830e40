package dev.outboard.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.ServerLog;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.offload.Placement;
import dev.outboard.node.offload.RoutinePlan;
import dev.outboard.node.offload.Target;
import dev.outboard.node.routine.RoutineCatalog;
import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// The board of `contrib/grafana` asks for what nodes tell, and nothing else.
class GrafanaBoardTest {
    private static final Pattern METRIC = Pattern.compile("outboard_naa_\\w+");
    private static final String DEVICE = "roce://auto?peer=127.0.0.1";

    @Test
    void itsMetricsAreThoseOfNodes() throws IOException {
        Set<String> told = new TreeSet<>();
        for (Target target : new Target[] {Target.CPU, Target.DPA_HANDLER}) {
            told.addAll(metricsOn(target));
        }
        String board =
                Files.readString(Repository.root().resolve("contrib/grafana/outboard-node.json"));
        assertThat(metrics(board)).hasSizeGreaterThan(15).isSubsetOf(told);
    }

    private static Set<String> metricsOn(Target target) {
        try (Device card = Fabric.open(DEVICE);
                Device other = Fabric.open(DEVICE);
                Node node =
                        Node.start(
                                card,
                                new NodeOptions(
                                        0,
                                        new RoutinePlan(
                                                RoutineCatalog.ROUTINES,
                                                Map.of("empty", Placement.on(target)),
                                                Map.of()),
                                        OptionalInt.empty(),
                                        ServerOptions.builder().build()),
                                new ServerLog(_ -> {}));
                Arena arena = Arena.ofShared();
                NaaClient client =
                        NaaClient.builder(card.address().getHostAddress(), node.port())
                                .device(other)
                                .functionCode(RoutineCatalog.EMPTY)
                                .region(RegionSpec.input(arena.allocate(8)))
                                .open()) {
            assertThat(client.invoke().isSuccess()).isTrue();
            return metrics(MetricsEndpoint.text(node.counters()));
        }
    }

    private static Set<String> metrics(String text) {
        return METRIC.matcher(text)
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
