package dev.outboard.dpa.machine.load;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.fast.FastAccess;
import dev.outboard.dpa.machine.load.ProgramClasses.Method;
import dev.outboard.dpa.machine.run.Fuel;
import dev.outboard.dpa.machine.run.FueledThread;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.TypeKind;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;

/// DPA-JK-7: makes programs end: rounds of loops and calls are counted, and take room on the stack,
/// so that the machine can stop them between any two operations.
///
/// DPA-HW-17: under FAST it makes them fast as well: loads and stores go to [FastAccess], and their
/// number is kept in a local variable, which the compiler keeps in a register, as is that of
/// rounds. Both are told to the thread when a loop has gone round often enough, before a counter is
/// read, and at the end of the method. So a loop that never calls the machine is counted as well,
/// and gives its carrier away.
final class FuelRewriter {
    private static final ClassDesc THREAD = ClassDesc.of(DpaThread.class.getName());
    private static final ClassDesc FUELED = ClassDesc.of(FueledThread.class.getName());
    private static final ClassDesc ACCESS = ClassDesc.of(FastAccess.class.getName());
    private static final ClassDesc FUEL = ClassDesc.of(Fuel.class.getName());
    private static final Pattern ACCESSES = Pattern.compile("(load|store)\\d+");
    private static final Set<String> COUNTERS = Set.of("cycles", "time", "instRet");

    /// Of a thread or an actor outside, what is no operation: it takes no time.
    private static final Set<String> TIMELESS =
            Set.of("number", "unit", "argument", "localStorage", "window", "actor", "observer");

    /// Enough to make the price of telling small.
    private static final int TOLD_AFTER = 1024;

    /// How often a loop looks in vain before it gives its carrier away: whoever changes what it
    /// looks at may need that carrier. A program has just been loaded and is not compiled when it
    /// polls first, so that a look may take a microsecond.
    private static final int POLLED_AFTER = 32;

    /// What is counted for an exception that is caught: at least the rounds that were not told.
    private static final int CAUGHT = TOLD_AFTER;

    /// So many instructions of a loop count as a round.
    private static final int ROUND_INSTRUCTIONS = 16;

    /// What a frame holds beside local variables: the address to return to, and the frame before.
    private static final int FRAME_BYTES = 16;

    /// Of the calling convention of RISC-V.
    private static final int STACK_ALIGNMENT = 16;

    private final RunMode mode;
    private final ProgramCalls calls;

    FuelRewriter(RunMode mode, ProgramCalls calls) {
        this.mode = mode;
        this.calls = calls;
    }

    ClassTransform transform(ClassModel model) {
        return (builder, element) -> {
            if (element instanceof MethodModel method && method.code().isPresent()) {
                CodeModel code = method.code().get();
                Counts counts = new Counts(new Method(model, method), code);
                builder.transformMethod(
                        method,
                        (methodBuilder, part) -> {
                            if (part instanceof CodeModel && counts.isNeeded()) {
                                methodBuilder.transformCode(code, counts);
                            } else {
                                methodBuilder.with(part);
                            }
                        });
            } else {
                builder.with(element);
            }
        };
    }

    private boolean isFast() {
        return mode instanceof RunMode.Fast;
    }

    private boolean isAccess(CodeElement element) {
        return isFast()
                && element instanceof InvokeInstruction call
                && isThread(call)
                && ACCESSES.matcher(call.name().stringValue()).matches();
    }

    private static boolean isThread(InvokeInstruction call) {
        return call.isInterface() && call.owner().asSymbol().equals(THREAD);
    }

    /// Whether an element counts already: in FAST a load or a store, in turns each operation. In
    /// EXPLORE none, since a replay does the former ones in no time.
    private boolean countsItself(CodeElement element) {
        return switch (mode) {
            case RunMode.Fast fast -> isAccess(element);
            case RunMode.Turns turns ->
                    element instanceof InvokeInstruction call
                            && call.owner().asSymbol().equals(SiteBridge.NAME)
                            && !TIMELESS.contains(call.name().stringValue());
            case RunMode.Explore explore -> false;
        };
    }

    /// The variable of the first parameter that is a thread, or -1.
    private static int threadSlot(MethodModel method, CodeModel code) {
        int slot = method.flags().has(AccessFlag.STATIC) ? 0 : 1;
        for (ClassDesc parameter : method.methodTypeSymbol().parameterList()) {
            if (parameter.equals(THREAD)) {
                return isKept(code, slot) ? slot : -1;
            }
            slot += TypeKind.from(parameter).slotSize();
        }
        return -1;
    }

    private static boolean isKept(CodeModel code, int slot) {
        return code.elementStream()
                .noneMatch(element ->
                        (element instanceof StoreInstruction store
                                        && store.slot() <= slot
                                        && slot < store.slot() + store.typeKind().slotSize())
                                || (element instanceof IncrementInstruction increment
                                        && increment.slot() == slot));
    }

    /// Rewrites one method, in the order of its code.
    private final class Counts implements CodeTransform {
        private final MethodFlow flow;

        /// Whether a branch there closes a loop that polls and shares its carrier with others.
        private final IntPredicate polls;

        private final int thread;
        private final boolean accesses;
        private final boolean loops;

        /// Whether rounds of loops have to be counted, beside operations.
        private final boolean countsRounds;

        private final boolean isRecursive;
        private final boolean countsCalls;
        private final boolean catches;
        private final int frameBytes;

        private int operations;
        private int rounds;
        private int frames;
        private int index = -1;

        private Counts(Method method, CodeModel code) {
            flow = new MethodFlow(code);
            thread = threadSlot(method.model(), code);
            polls =
                    isFast() && thread >= 0
                            ? new MethodLoops(method.owner(), code)::isPollLoop
                            : index -> false;
            accesses = code.elementStream().anyMatch(FuelRewriter.this::isAccess);
            loops = flow.hasLoops();
            countsRounds = flow.anyGoesRoundWithout(FuelRewriter.this::countsItself);
            isRecursive = calls.isRecursive(method);
            countsCalls = calls.isCounted(method);
            catches = !flow.catches().isEmpty();
            int locals = ((CodeAttribute) code).maxLocals() * Long.BYTES;
            frameBytes = (FRAME_BYTES + locals + STACK_ALIGNMENT - 1) & -STACK_ALIGNMENT;
        }

        private boolean isNeeded() {
            return accesses || countsRounds || isRecursive || countsCalls || catches;
        }

        private boolean keepsFrames() {
            return catches && calls.hasRecursion();
        }

        @Override
        public void atStart(CodeBuilder builder) {
            flow.firstLine().ifPresent(builder::lineNumber);
            if (isFast() && (accesses || loops)) {
                operations = builder.allocateLocal(TypeKind.INT);
                builder.iconst_0().istore(operations);
            }
            if (countsRounds) {
                rounds = builder.allocateLocal(TypeKind.INT);
                builder.iconst_0().istore(rounds);
            }
            if (isRecursive) {
                callWithInt(builder, "enter", frameBytes);
            } else if (countsCalls) {
                callWithInt(builder, "spend", 1);
            }
            if (keepsFrames()) {
                frames = builder.allocateLocal(TypeKind.INT);
                loadThread(builder);
                builder.invokestatic(FUEL, "frames", MethodTypeDesc.of(CD_int, FUELED))
                        .istore(frames);
            }
        }

        @Override
        public void accept(CodeBuilder builder, CodeElement element) {
            index++;
            if (isAccess(element)) {
                InvokeInstruction call = (InvokeInstruction) element;
                builder.iinc(operations, 1)
                        .invokestatic(
                                ACCESS,
                                call.name().stringValue(),
                                call.typeSymbol().insertParameterTypes(0, THREAD));
                return;
            }
            if (flow.goesBack(index)) {
                countRound(builder);
            } else if (element instanceof InvokeInstruction call
                    && COUNTERS.contains(call.name().stringValue())) {
                tell(builder);
            } else if (element instanceof ReturnInstruction) {
                tell(builder);
                if (isRecursive) {
                    callWithInt(builder, "leave", frameBytes);
                }
            }
            builder.with(element);
            if (flow.isHandler(index)) {
                catchOne(builder);
            }
        }

        private void countRound(CodeBuilder builder) {
            // One variable less in a loop is measurable where operations count anyhow.
            boolean uncounted =
                    countsRounds && flow.goesRoundWithout(index, FuelRewriter.this::countsItself);
            if (!isFast() && !uncounted) {
                return;
            }
            Label goOn = builder.newLabel();
            if (isFast()) {
                builder.iload(operations);
            }
            if (uncounted) {
                builder.iinc(rounds, 1 + flow.length(index) / ROUND_INSTRUCTIONS).iload(rounds);
                if (isFast()) {
                    builder.iadd();
                }
            }
            boolean gives = polls.test(index);
            builder.loadConstant(gives ? POLLED_AFTER : TOLD_AFTER).if_icmplt(goOn);
            tell(builder);
            if (gives) {
                builder.aload(thread)
                        .invokestatic(ACCESS, "giveWay", MethodTypeDesc.of(CD_void, THREAD));
            }
            builder.labelBinding(goOn);
        }

        private void catchOne(CodeBuilder builder) {
            if (keepsFrames()) {
                loadThread(builder);
                builder.iload(frames)
                        .invokestatic(FUEL, "restore", MethodTypeDesc.of(CD_void, FUELED, CD_int));
            }
            callWithInt(builder, "spend", CAUGHT);
        }

        private void tell(CodeBuilder builder) {
            if (isFast() && (accesses || loops)) {
                tellFast(builder);
            } else if (countsRounds) {
                loadThread(builder);
                builder.iload(rounds)
                        .iconst_0()
                        .istore(rounds)
                        .invokestatic(FUEL, "spend", MethodTypeDesc.of(CD_void, FUELED, CD_int));
            }
        }

        private void tellFast(CodeBuilder builder) {
            MethodTypeDesc type = MethodTypeDesc.of(CD_void, CD_int);
            if (thread >= 0) {
                builder.aload(thread);
                type = type.insertParameterTypes(0, THREAD);
            }
            builder.iload(operations);
            if (countsRounds) {
                builder.iload(rounds).iconst_0().istore(rounds);
                type = type.insertParameterTypes(type.parameterCount(), CD_int);
            }
            builder.invokestatic(ACCESS, "spend", type).iconst_0().istore(operations);
        }

        private void callWithInt(CodeBuilder builder, String method, int value) {
            loadThread(builder);
            builder.loadConstant(value)
                    .invokestatic(FUEL, method, MethodTypeDesc.of(CD_void, FUELED, CD_int));
        }

        private void loadThread(CodeBuilder builder) {
            if (thread >= 0) {
                builder.aload(thread).checkcast(FUELED);
            } else {
                builder.invokestatic(FUEL, "current", MethodTypeDesc.of(FUELED));
            }
        }
    }
}
