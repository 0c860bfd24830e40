package dev.outboard.fabric.roce.explain;

import dev.outboard.fabric.Finding;
import dev.outboard.fabric.pcapng.PcapngReader;
import dev.outboard.fabric.pcapng.PcapngReader.CapturedPacket;
import dev.outboard.testkit.Repository;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RealCaptureTest {
    static List<Finding> explain(Path file) {
        CaptureExplainer explainer = new CaptureExplainer();
        try (PcapngReader reader = PcapngReader.open(file, CaptureExplainer.MAX_PACKET_BYTES)) {
            for (CapturedPacket packet = reader.next(); packet != null; packet = reader.next()) {
                explainer.packet(packet);
            }
        }
        return explainer.findings();
    }

    static Stream<String> all() {
        return dev.outboard.fabric.roce.wire.CapturedPacket.captures();
    }

    @ParameterizedTest
    @MethodSource("all")
    void show(String name) {
        System.out.println("== " + name);
        for (Finding f : explain(Repository.root().resolve("spec/captures/" + name + ".pcap")))
            System.out.println(
                    f.verdict()
                            + " "
                            + f.subject()
                            + ": "
                            + f.detail()
                            + "\n      -> "
                            + f.remedy());
    }
}
