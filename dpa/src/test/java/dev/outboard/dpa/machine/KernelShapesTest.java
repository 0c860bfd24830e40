package dev.outboard.dpa.machine;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_String;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.machine.MachineOptions.Timing;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpa.process.DpaProgram;
import dev.outboard.testkit.Requirement;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Kernels of shapes that no compiler of Java makes.
@Timeout(120)
class KernelShapesTest {
    private static final ClassDesc NAME = ClassDesc.of("Shape");
    private static final ClassDesc THREAD = ClassDesc.of(DpaThread.class.getName());
    private static final ClassDesc PROCESS = ClassDesc.of(DpaProcess.class.getName());
    private static final ClassDesc KERNEL = ClassDesc.of(Kernel.class.getName());
    private static final ClassDesc HANDLE = ClassDesc.of(ThreadHandle.class.getName());
    private static final MachineOptions OPTIONS =
            ProcessFixture.OPTIONS.withTiming(new Timing(20_000_000, 1_000, CycleCosts.DEFAULT));

    /// Defines the program.
    private static final class Shapes extends ClassLoader {
        private final byte[] bytes;

        private Shapes(Consumer<CodeBuilder> run) {
            super(KernelShapesTest.class.getClassLoader());
            bytes = program(run);
        }

        @Override
        protected Class<?> findClass(String name) {
            return defineClass(name, bytes, 0, bytes.length);
        }

        @Override
        public @Nullable InputStream getResourceAsStream(String name) {
            return name.equals("Shape.class")
                    ? new ByteArrayInputStream(bytes)
                    : super.getResourceAsStream(name);
        }
    }

    /// A program that is its own kernel.
    private static byte[] program(Consumer<CodeBuilder> run) {
        return ClassFile.of()
                .build(
                        NAME,
                        builder ->
                                builder.withFlags(ClassFile.ACC_PUBLIC)
                                        .withInterfaceSymbols(
                                                ClassDesc.of(DpaProgram.class.getName()), KERNEL)
                                        .withMethodBody(
                                                "<init>",
                                                MethodTypeDesc.of(CD_void),
                                                ClassFile.ACC_PUBLIC,
                                                code ->
                                                        code.aload(0)
                                                                .invokespecial(
                                                                        CD_Object,
                                                                        "<init>",
                                                                        MethodTypeDesc.of(CD_void))
                                                                .return_())
                                        .withMethodBody(
                                                "setUp",
                                                MethodTypeDesc.of(CD_void, PROCESS),
                                                ClassFile.ACC_PUBLIC,
                                                code ->
                                                        code.aload(1)
                                                                .loadConstant("shape")
                                                                .aload(0)
                                                                .invokevirtual(
                                                                        PROCESS,
                                                                        "thread",
                                                                        MethodTypeDesc.of(
                                                                                HANDLE, CD_String,
                                                                                KERNEL))
                                                                .pop()
                                                                .return_())
                                        .withMethodBody(
                                                "run",
                                                MethodTypeDesc.of(CD_void, THREAD),
                                                ClassFile.ACC_PUBLIC,
                                                run));
    }

    private static DpaProcess load(Consumer<CodeBuilder> run, RunMode mode)
            throws ClassNotFoundException {
        DpaProcess process = DpaProcess.open(OPTIONS, ProgramImage.globals(64), mode);
        process.load(new Shapes(run).loadClass("Shape").asSubclass(DpaProgram.class))
                .setUp(process);
        return process;
    }

    private static CodeBuilder access(CodeBuilder code) {
        return code.aload(1)
                .loadConstant(AddressMap.GLOBALS)
                .invokeinterface(THREAD, "load64", MethodTypeDesc.of(CD_long, CD_long))
                .pop2();
    }

    private static CodeBuilder number(CodeBuilder code) {
        return code.aload(1).invokeinterface(THREAD, "number", MethodTypeDesc.of(CD_int));
    }

    /// A cycle with two begins. The way round that is taken passes neither access, though each jump
    /// back has one between itself and its target.
    private static void irreducible(CodeBuilder code) {
        Label first = code.newLabel();
        Label second = code.newLabel();
        Label far = code.newLabel();
        code.labelBinding(first);
        number(code).ifeq(far);
        access(code);
        code.labelBinding(second);
        number(code).ifeq(first);
        access(code).labelBinding(far);
        number(code).ifeq(second).return_();
    }

    /// A switch that jumps back.
    private static void backwards(CodeBuilder code) {
        Label again = code.newLabel();
        Label end = code.newLabel();
        code.labelBinding(again);
        number(code)
                .lookupswitch(end, List.of(SwitchCase.of(0, again), SwitchCase.of(7, end)))
                .labelBinding(end)
                .return_();
    }

    /// A handler before what it handles: the exception is all that jumps back.
    private static void thrown(CodeBuilder code) {
        Label begin = code.newLabel();
        Label handler = code.newLabel();
        Label end = code.newLabel();
        code.goto_(begin).labelBinding(handler).pop().labelBinding(begin);
        number(code).iconst_0().swap().idiv().pop().return_().labelBinding(end);
        code.exceptionCatch(begin, end, handler, ClassDesc.of(ArithmeticException.class.getName()));
    }

    /// A handler that an exception of its own comes back to.
    private static void again(CodeBuilder code) {
        Label begin = code.newLabel();
        Label handler = code.newLabel();
        Label end = code.newLabel();
        code.labelBinding(begin).iconst_1();
        number(code).idiv().pop().return_().labelBinding(handler).pop().iconst_1();
        number(code).idiv().pop().return_().labelBinding(end);
        code.exceptionCatch(begin, end, handler, ClassDesc.of(ArithmeticException.class.getName()));
    }

    /// The variable of the thread holds nothing any more.
    private static void overwritten(CodeBuilder code) {
        Label loop = code.newLabel();
        code.aconst_null().astore(1).labelBinding(loop).goto_(loop);
    }

    static List<Arguments> endless() {
        List<Consumer<CodeBuilder>> shapes =
                List.of(
                        KernelShapesTest::irreducible,
                        KernelShapesTest::backwards,
                        KernelShapesTest::thrown,
                        KernelShapesTest::again,
                        KernelShapesTest::overwritten);
        return ProcessFixture.runs().stream()
                .flatMap(mode -> shapes.stream().map(shape -> Arguments.of(shape, mode)))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("endless")
    @Requirement("DPA-JK-7a")
    void theWatchdogEndsCyclesOfEachShape(Consumer<CodeBuilder> shape, RunMode mode)
            throws ClassNotFoundException {
        CrashReport crash = load(shape, mode).run().crash().orElseThrow();
        assertThat(crash.fault()).as(crash.text()).isEqualTo(Fault.WATCHDOG);
    }

    @Test
    @Requirement("DPA-JK-8")
    void aMonitorRefusesTheProgram() {
        assertThatThrownBy(() ->
                        load(
                                code ->
                                        code.aload(0)
                                                .monitorenter()
                                                .aload(0)
                                                .monitorexit()
                                                .return_(),
                                RunMode.fast()))
                .isInstanceOf(RefusedProgramException.class)
                .hasMessageContaining("class Shape, method run (unknown source:0): a monitor");
    }
}
