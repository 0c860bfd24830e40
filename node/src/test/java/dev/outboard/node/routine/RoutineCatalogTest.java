package dev.outboard.node.routine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RoutineCatalogTest {
    private static final int INCREMENT = 1;
    private static final int ADD_TWO = 2;

    @Test
    @Requirement("NAA-KERN-3")
    void incrementAddsOneToEveryByteOfEveryRegion() throws Exception {
        MemorySegment first = Rpc.bytes(0, 1, 127, 128, 254, 255, 0x7f, 0xff, 9, 255, 127);
        MemorySegment second = Rpc.bytes(255);

        assertThat(Rpc.call(INCREMENT, first, Rpc.zeros(0), second)).isEqualTo(ReturnCode.SUCCESS);

        assertThat(Rpc.toBytes(first)).containsExactly(1, 2, 128, 129, 255, 0, 128, 0, 10, 0, 128);
        assertThat(Rpc.toBytes(second)).containsExactly(0);
    }

    @Test
    @Requirement("NAA-KERN-3")
    void addTwoAddsTwoToEveryByteOfEveryRegion() throws Exception {
        int[] allValues = new int[256];
        Arrays.setAll(allValues, i -> i);
        MemorySegment first = Rpc.bytes(allValues);
        MemorySegment second = Rpc.bytes(254, 253);

        assertThat(Rpc.call(ADD_TWO, first, second)).isEqualTo(ReturnCode.SUCCESS);

        Arrays.setAll(allValues, i -> (i + 2) % 256);
        assertThat(Rpc.toBytes(first)).containsExactly(allValues);
        assertThat(Rpc.toBytes(second)).containsExactly(0, 255);
    }

    @Test
    @Requirement("NAA-KERN-3")
    void emptyDoesNothing() throws Exception {
        MemorySegment region = Rpc.bytes(1, 2, 3);

        assertThat(Rpc.call(RoutineCatalog.EMPTY, region)).isEqualTo(ReturnCode.SUCCESS);
        assertThat(Rpc.call(RoutineCatalog.EMPTY)).isEqualTo(ReturnCode.SUCCESS);

        assertThat(Rpc.toBytes(region)).containsExactly(1, 2, 3);
    }

    @Test
    void onlyTheEmptyRoutineRunsOnThePollingThread() {
        assertThat(RoutineCatalog.ROUTINES.routines())
                .filteredOn(RoutineSpec::isShort)
                .extracting(RoutineSpec::functionCode)
                .containsExactly(RoutineCatalog.EMPTY);
    }

    @Test
    void isFoundAmongWhatIsInstalled() {
        assertThat(RoutineSet.installed().routines()).isEqualTo(RoutineCatalog.ROUTINES.routines());
    }

    @Test
    void everyCodeFitsBothDialectsAndIsUsedOnce() {
        assertThat(RoutineCatalog.ROUTINES.routines())
                .extracting(RoutineSpec::functionCode)
                .doesNotHaveDuplicates()
                .isSorted()
                .allMatch(code -> code >= 1 && code <= 0x7f);
        assertThat(RoutineCatalog.ROUTINES.find(99)).isEmpty();
    }

    @Test
    void everyErrorHasAnApplicationCodeOfItsOwn() {
        assertThat(RoutineError.values())
                .extracting(RoutineError::code)
                .doesNotHaveDuplicates()
                .allMatch(code -> code >= 0x20 && code <= ReturnCode.LAST_APPLICATION);
        assertThat(RoutineError.of(RoutineError.VECTOR_SIZE.code()))
                .contains(RoutineError.VECTOR_SIZE);
        assertThat(RoutineError.of(0)).isEmpty();
    }

    static Stream<RoutineSpec> routinesOfFixedParameters() {
        return RoutineCatalog.ROUTINES.routines().stream()
                .filter(info -> !info.arguments().isEmpty());
    }

    @ParameterizedTest
    @MethodSource("routinesOfFixedParameters")
    void refusesAnotherNumberOfRegions(RoutineSpec info) throws Exception {
        for (int count = 0; count <= info.arguments().size() + 1; count++) {
            MemorySegment[] regions = new MemorySegment[count];
            Arrays.setAll(regions, i -> Rpc.zeros(8));
            if (count != info.arguments().size()) {
                assertThat(Rpc.call(info.functionCode(), regions))
                        .isEqualTo(ReturnCode.WRONG_ARGUMENTS);
            }
        }
    }
}
