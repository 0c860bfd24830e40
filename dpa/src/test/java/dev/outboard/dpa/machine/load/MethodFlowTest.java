package dev.outboard.dpa.machine.load;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Label;
import java.lang.classfile.instruction.NopInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Where rounds have to be counted, in code of random shape. Some blocks hold a `nop`, which stands
/// for an operation that counts itself.
class MethodFlowTest {
    private static final int BLOCKS = 8;

    private static CodeModel code(SplittableRandom random) {
        byte[] bytes =
                ClassFile.of(ClassFile.StackMapsOption.DROP_STACK_MAPS)
                        .build(
                                ClassDesc.of("Random"),
                                // Without stack maps, since not all of the code is reached.
                                builder ->
                                        builder.withVersion(ClassFile.JAVA_6_VERSION, 0)
                                                .withMethodBody(
                                                        "run",
                                                        MethodTypeDesc.of(CD_void, CD_int),
                                                        ClassFile.ACC_STATIC,
                                                        code -> build(code, random)));
        return ClassFile.of().parse(bytes).methods().getFirst().code().orElseThrow();
    }

    private static void build(CodeBuilder code, SplittableRandom random) {
        List<Label> labels = new ArrayList<>();
        for (int i = 0; i < BLOCKS; i++) {
            labels.add(code.newLabel());
        }
        for (Label label : labels) {
            code.labelBinding(label);
            if (random.nextInt(3) == 0) {
                code.nop();
            }
            Label any = labels.get(random.nextInt(BLOCKS));
            Label other = labels.get(random.nextInt(BLOCKS));
            switch (random.nextInt(4)) {
                case 0 -> code.goto_(any);
                case 1 -> code.iload(0).ifeq(any);
                case 2 -> code.iload(0).lookupswitch(any, List.of(SwitchCase.of(1, other)));
                default -> code.iinc(0, 1);
            }
        }
        code.return_();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void eachCycleIsCountedAndNoneThatCountsItself(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 500; i++) {
            MethodFlow flow = new MethodFlow(code(random));
            List<CodeElement> elements = flow.elements();
            int[] colors = new int[elements.size()];
            for (int at = 0; at < elements.size(); at++) {
                assertThat(isFreeOfUncountedCycles(flow, at, colors))
                        .as("seed %d, program %d: %s", seed, i, elements)
                        .isTrue();
                if (counts(flow, at)) {
                    assertThat(flow.goesBack(at)).isTrue();
                    assertThat(elements.get(at)).isNotInstanceOf(NopInstruction.class);
                }
            }
        }
    }

    private static boolean counts(MethodFlow flow, int at) {
        return flow.goesRoundWithout(at, NopInstruction.class::isInstance);
    }

    /// Goes on from there along all that is not counted. Colors: 1 for what is on the way, 2 for
    /// what is done.
    private static boolean isFreeOfUncountedCycles(MethodFlow flow, int at, int[] colors) {
        if (colors[at] != 0 || flow.elements().get(at) instanceof NopInstruction) {
            return colors[at] != 1;
        }
        colors[at] = 1;
        boolean counts = counts(flow, at);
        for (int next : flow.next(at)) {
            if (!(counts && next <= at) && !isFreeOfUncountedCycles(flow, next, colors)) {
                return false;
            }
        }
        colors[at] = 2;
        return true;
    }
}
