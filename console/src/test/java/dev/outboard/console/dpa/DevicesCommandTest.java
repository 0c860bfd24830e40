package dev.outboard.console.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.DocaDevInfo;
import dev.outboard.testkit.JsonText;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.ExitCode;

/// `outboard dpa devices`.
class DevicesCommandTest extends DpaCommandFixture {
    @Test
    void eachDeviceOfTheMachineHasALine() {
        assertThat(run("devices")).isEqualTo(ExitCode.OK);
        List<String> lines = out.toString().lines().toList();
        assertThat(lines.getFirst()).matches("device +interface +environments");
        List<DocaDevInfo> devices = DocaDevInfo.list();
        assertThat(devices).isNotEmpty();
        assertThat(lines).hasSize(1 + devices.size());
        for (DocaDevInfo device : devices) {
            assertThat(lines)
                    .anyMatch(line ->
                            line.startsWith(device.ibdevName() + " ")
                                    && line.matches("\\S+ +\\S+ +DPA, GPU"));
        }
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void devicesThatAreNamedAreListed() {
        assertThat(run("devices", "sim://lab/10.9.7.1", "nothing://knows/it")).isZero();
        assertThat(out)
                .hasToString(
                        """
                        device              interface  environments
                        sim://lab/10.9.7.1             DPA, GPU
                        nothing://knows/it             none
                        """);
    }

    @Test
    void printsJson() {
        assertThat(run("devices", "--json", "sim://lab/10.9.7.1")).isZero();
        assertThat(JsonText.parse(out.toString()))
                .isEqualTo(
                        List.of(
                                Map.of(
                                        "device", "sim://lab/10.9.7.1",
                                        "iface", "",
                                        "environments", List.of("DPA", "GPU"))));
    }
}
