package dev.outboard.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.sim.SimNetwork;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Runs what `docs/guide/fabric.md` says of simulated devices, for [FabricGuideTest].
class FabricGuideSimTest {
    @Test
    void devicesNeedNoNetwork() {
        Device host = Fabric.open("sim://lab/10.0.0.1?seed=7&latency=5us&loss=1%25");
        Device node = Fabric.open("sim://lab/10.0.0.2");
        SimNetwork network = SimNetwork.of(host);
        try (CompletionQueue queue = host.createCompletionQueue(16)) {
            queue.requestNotification(false);
            // Nothing comes: an hour passes at once.
            queue.await(TimeUnit.HOURS.toNanos(1));
        }
        network.cut(host.address(), node.address());
        Map<String, Long> fates = network.counters();
        node.close();
        host.close();
        assertThat(fates).containsEntry("sent", 0L).containsKey("cut-off");
        assertThat(network.nowNanos()).isGreaterThanOrEqualTo(TimeUnit.HOURS.toNanos(1));
        assertThat(host.isOpen()).isFalse();
    }

    @Test
    void aCardHasSeveralFunctions() {
        Device dpu = Fabric.open("sim://lab/10.0.0.1?role=dpu&functions=vf:10.0.0.11,sf:10.0.0.12");
        for (NicFunction each : dpu.functions()) {
            System.out.println(each); // 0 (physical, sim://lab/10.0.0.1), 1 (virtual, …
        }
        Device sub = dpu.openFunction(2);
        Device host = Fabric.open("sim://lab/10.0.0.11"); // number 1, in a host's role
        assertThat(sub.address().getHostAddress()).isEqualTo("10.0.0.12");
        assertThat(host.function().number()).isEqualTo(1);
        assertThatThrownBy(() -> host.openFunction(0)).hasMessageContaining("role of a host");
        host.close();
        sub.close();
        dpu.close();
    }
}
