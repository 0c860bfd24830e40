package dev.outboard.node.routine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.naa.ReturnCode;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class VectorAdditionTest {
    private static final int VECTOR_ADD = 10;

    @Test
    void addsElementByElement() throws Exception {
        MemorySegment c = Rpc.zeros(12);

        int code =
                Rpc.call(
                        VECTOR_ADD,
                        Rpc.floats(1, 2.5f, Float.MAX_VALUE),
                        Rpc.floats(10, -0.5f, Float.MAX_VALUE),
                        c);

        assertThat(code).isEqualTo(ReturnCode.SUCCESS);
        assertThat(Rpc.toFloats(c)).containsExactly(11, 2, Float.POSITIVE_INFINITY);
    }

    @Test
    void addsVectorsWithoutElements() throws Exception {
        assertThat(Rpc.call(VECTOR_ADD, Rpc.zeros(0), Rpc.zeros(0), Rpc.zeros(0)))
                .isEqualTo(ReturnCode.SUCCESS);
    }

    @Test
    void refusesSizesThatDiffer() throws Exception {
        int refused = RoutineError.VECTOR_SIZE.code();

        assertThat(Rpc.call(VECTOR_ADD, Rpc.zeros(8), Rpc.zeros(4), Rpc.zeros(8)))
                .isEqualTo(refused);
        assertThat(Rpc.call(VECTOR_ADD, Rpc.zeros(4), Rpc.zeros(8), Rpc.zeros(8)))
                .isEqualTo(refused);
        assertThat(Rpc.call(VECTOR_ADD, Rpc.zeros(8), Rpc.zeros(8), Rpc.zeros(4)))
                .isEqualTo(refused);
        assertThat(Rpc.call(VECTOR_ADD, Rpc.zeros(6), Rpc.zeros(6), Rpc.zeros(6)))
                .isEqualTo(refused);
    }
}
