package dev.outboard.console.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Snapshot;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

class NodePageTest {
    @Test
    void thePageIsTheOneOfTheKeys() {
        Snapshot.assertDocumented("docs/node-yaml.md", NodePage.text());
    }

    @Test
    void everyKeyIsAnOptionThatSaysTheSame() {
        var options = new KeyOptions.All().transform(CommandSpec.create()).optionsMap();
        Set<String> names = new HashSet<>();
        for (NodeKey<?> key : NodeKeys.ALL) {
            OptionSpec option = options.get(key.option());
            assertThat(String.join(" ", option.description())).contains(key.meaning());
            assertThat(names.add(key.option())).as(key.option()).isTrue();
            assertThat(NodePage.text()).contains("| `" + key.path() + "` |");
        }
        assertThat(Arrays.asList(options.keySet().toArray())).hasSameSizeAs(names);
    }
}
