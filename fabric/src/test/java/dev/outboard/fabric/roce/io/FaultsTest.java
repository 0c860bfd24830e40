package dev.outboard.fabric.roce.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FaultsTest {
    @Test
    void readsEveryKey() {
        Faults faults =
                Faults.parse("loss=5%,duplicate=1.5%, reorder=100%,corrupt=0%,delay=2ms,seed=-7");

        assertThat(faults).isEqualTo(new Faults(0.05, 0.015, 1, 0, 2_000_000, -7));
    }

    @Test
    void leavesOutWhatIsLeftOut() {
        assertThat(Faults.parse("corrupt=1%")).isEqualTo(new Faults(0, 0, 0, 0.01, 0, 0));
    }

    @ParameterizedTest
    @CsvSource({"7ns, 7", "20us, 20000", "3ms, 3000000", "1s, 1000000000"})
    void knowsTheUnitsOfTime(String text, long nanos) {
        assertThat(Faults.parse("delay=" + text).delayNanos()).isEqualTo(nanos);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''           | ''          | loss, duplicate, reorder, corrupt, delay, seed",
                "loss=5%,     | ''          | loss, duplicate, reorder, corrupt, delay, seed",
                "los=5%       | los=5%      | loss, duplicate, reorder, corrupt, delay, seed",
                "loss         | loss        | loss, duplicate, reorder, corrupt, delay, seed",
                "loss=5       | loss=5      | a percentage such as 1%",
                "loss=101%    | loss=101%   | at most 100%",
                "loss=-1%     | loss=-1%    | a percentage such as 1%",
                "delay=2      | delay=2     | units are ns, us, ms, s",
                "delay=2h     | delay=2h    | units are ns, us, ms, s",
                "seed=x       | seed=x      | an integer",
                "loss=1%,loss=2% | loss=2%  | there already",
            })
    void namesThePartThatIsWrongAndWhatWouldBeRight(String text, String part, String hint) {
        assertThatThrownBy(() -> Faults.parse(text))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.BAD_URI))
                .hasMessageContaining("'" + part + "'")
                .hasMessageContaining(hint);
    }
}
