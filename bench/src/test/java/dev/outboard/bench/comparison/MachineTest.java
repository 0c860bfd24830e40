package dev.outboard.bench.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MachineTest {
    @Test
    void warnsWhenOthersUseMoreThanHalfOfIt() {
        assertThat(warnings(2, 1.1))
                .containsExactly("the load average is 1.1: measure again when it is near 0");
        assertThat(warnings(2, 1.0)).isEmpty();
        assertThat(warnings(4, 1.1)).isEmpty();
    }

    @Test
    void doesNotWarnOfALoadThatIsUnknown() {
        assertThat(warnings(2, -1)).isEmpty();
    }

    private static List<String> warnings(int processors, double load) {
        List<String> said = new ArrayList<>();
        new Machine("a processor", processors, "a system", "a Java", load).warnIfBusy(said::add);
        return said;
    }
}
