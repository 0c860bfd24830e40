package dev.outboard.dpa.machine.load;

import dev.outboard.dpa.machine.load.ProgramClasses.Method;
import java.lang.classfile.CodeElement;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Which values of kernels are their own: objects and arrays that the kernel has made in this
/// activation, and that nobody else can see. What comes from a field, from an element of an array,
/// or from set-up code is not. Found by going through the code until nothing changes any more;
/// everything is taken for own until something says otherwise.
final class KernelValues {
    private final ProgramClasses program;
    private final Map<Method, Facts> kernels = new LinkedHashMap<>();
    private final Set<Method> givesForeign = new HashSet<>();
    private boolean changed;

    /// What is known of a method of kernels.
    ///
    /// @param parameters which of them are own, by variable
    /// @param frames what is known before each element; null if control never comes there
    private record Facts(
            Method method, MethodFlow flow, boolean[] parameters, @Nullable Frame[] frames) {}

    KernelValues(ProgramClasses program, KernelReach reach) {
        this.program = program;
        for (Method method : reach.kernels()) {
            method.model()
                    .code()
                    .ifPresent(code -> {
                        MethodFlow flow = new MethodFlow(code);
                        boolean[] own = new boolean[slots(method)];
                        Arrays.fill(own, !reach.isEntry(method));
                        @Nullable Frame[] frames = new @Nullable Frame[flow.elements().size()];
                        kernels.put(method, new Facts(method, flow, own, frames));
                    });
        }
        do {
            changed = false;
            kernels.values().forEach(this::analyze);
        } while (changed);
    }

    private static int slots(Method method) {
        return slots(method.model().methodTypeSymbol()) + (method.is(AccessFlag.STATIC) ? 0 : 1);
    }

    static int slots(MethodTypeDesc type) {
        return type.parameterList().stream()
                .mapToInt(parameter -> TypeKind.from(parameter).slotSize())
                .sum();
    }

    /// Whether the object or array is the kernel's own that an instruction works on: the one that
    /// it stores to, or calls. True where there is none, or where control never comes.
    boolean isOwn(Method method, int index) {
        Facts facts = kernels.get(method);
        Frame frame = facts == null ? null : facts.frames[index];
        if (facts == null || frame == null) {
            return true;
        }
        int depth =
                switch (facts.flow.elements().get(index)) {
                    case ArrayStoreInstruction store -> store.typeKind().slotSize() + 1;
                    case FieldInstruction field ->
                            switch (field.opcode()) {
                                case GETFIELD -> 0;
                                case PUTFIELD -> TypeKind.from(field.typeSymbol()).slotSize();
                                default -> -1;
                            };
                    case InvokeInstruction call ->
                            KernelStep.isStatic(call) ? -1 : slots(call.typeSymbol());
                    default -> -1;
                };
        return depth < 0 || frame.peek(depth);
    }

    private void analyze(Facts facts) {
        MethodFlow flow = facts.flow;
        @Nullable Frame[] before = facts.frames;
        Arrays.fill(before, null);
        before[0] = Frame.begin(facts.parameters);
        Deque<Integer> open = new ArrayDeque<>(List.of(0));
        while (!open.isEmpty()) {
            int at = open.pop();
            Frame frame = before[at];
            if (frame == null) {
                continue;
            }
            for (int handler : flow.handlers(at)) {
                merge(before, open, handler, frame.caught());
            }
            CodeElement element = flow.elements().get(at);
            Frame after = frame.copy();
            boolean result = note(facts.method, element, frame);
            KernelStep.apply(element, after, result);
            for (int next : flow.next(at)) {
                merge(before, open, next, after);
            }
            for (int handler : flow.handlers(at)) {
                merge(before, open, handler, after.caught());
            }
        }
    }

    private static void merge(@Nullable Frame[] before, Deque<Integer> open, int at, Frame frame) {
        Frame known = before[at];
        if (known == null) {
            before[at] = frame.copy();
            open.add(at);
        } else if (known.meet(frame)) {
            open.add(at);
        }
    }

    /// Tells others what an instruction gives them.
    ///
    /// @return whether what a call gives is own
    private boolean note(Method method, CodeElement element, Frame frame) {
        return switch (element) {
            case ReturnInstruction leave -> {
                if (leave.typeKind() == TypeKind.REFERENCE
                        && !frame.peek(0)
                        && givesForeign.add(method)) {
                    changed = true;
                }
                yield true;
            }
            case InvokeInstruction call -> {
                int size = slots(call.typeSymbol()) + (KernelStep.isStatic(call) ? 0 : 1);
                boolean own = true;
                List<Method> targets = program.calls().targets(call);
                for (Method target : targets) {
                    give(target, frame, size, call);
                    own &= !givesForeign.contains(target);
                }
                yield own && (!targets.isEmpty() || isMade(call));
            }
            case InvokeDynamicInstruction made -> {
                ProgramCalls.lambda(program, made)
                        .ifPresent(lambda ->
                                giveCaptured(lambda.body(), frame, slots(made.typeSymbol())));
                yield true;
            }
            default -> true;
        };
    }

    /// Of calls outside the program, what they give is new only if it is a copy of an array.
    private static boolean isMade(InvokeInstruction call) {
        ClassDesc type = call.typeSymbol().returnType();
        return type.isPrimitive() || call.owner().asInternalName().startsWith("[");
    }

    private void give(Method target, Frame frame, int size, InvokeInstruction call) {
        Facts facts = kernels.get(target);
        if (facts == null) {
            return;
        }
        boolean[] own = facts.parameters;
        boolean exact = own.length == size && isMethod(target, call);
        for (int i = 0; i < own.length; i++) {
            take(own, i, exact && frame.peek(size - 1 - i));
        }
    }

    private static boolean isMethod(Method target, InvokeInstruction call) {
        return target.name().equals(call.name().stringValue())
                && target.descriptor().equals(call.type().stringValue());
    }

    /// A lambda gets first what it has captured; of the rest nothing is known.
    private void giveCaptured(Method body, Frame frame, int size) {
        Facts facts = kernels.get(body);
        if (facts != null) {
            boolean[] own = facts.parameters;
            for (int i = 0; i < own.length; i++) {
                take(own, i, i < size && frame.peek(size - 1 - i));
            }
        }
    }

    private void take(boolean[] own, int slot, boolean isOwn) {
        if (own[slot] && !isOwn) {
            own[slot] = false;
            changed = true;
        }
    }

    /// Local variables and operands, slot by slot: whether what they hold is own.
    static final class Frame {
        private boolean[] locals;
        private boolean[] stack;
        private int depth;

        private Frame(boolean[] locals, boolean[] stack, int depth) {
            this.locals = locals;
            this.stack = stack;
            this.depth = depth;
        }

        private static Frame begin(boolean[] parameters) {
            return new Frame(parameters.clone(), new boolean[8], 0);
        }

        private Frame copy() {
            return new Frame(locals.clone(), stack.clone(), depth);
        }

        /// What a handler of an exception begins with.
        private Frame caught() {
            return new Frame(locals.clone(), new boolean[8], 1);
        }

        private boolean meet(Frame other) {
            boolean less = false;
            grow(other.locals.length);
            for (int i = 0; i < locals.length; i++) {
                boolean both = locals[i] && (i >= other.locals.length || other.locals[i]);
                less |= locals[i] != both;
                locals[i] = both;
            }
            for (int i = 0; i < Math.min(depth, other.depth); i++) {
                boolean both = stack[i] && other.stack[i];
                less |= stack[i] != both;
                stack[i] = both;
            }
            return less;
        }

        private void grow(int length) {
            if (length > locals.length) {
                int before = locals.length;
                locals = Arrays.copyOf(locals, length);
                // Nothing is there yet.
                Arrays.fill(locals, before, length, true);
            }
        }

        boolean peek(int below) {
            return stack[depth - 1 - below];
        }

        void push(int slots, boolean own) {
            for (int i = 0; i < slots; i++) {
                if (depth == stack.length) {
                    stack = Arrays.copyOf(stack, 2 * depth);
                }
                stack[depth++] = own;
            }
        }

        void pop(int slots) {
            depth -= slots;
        }

        /// Copies the topmost slots, and puts the copy below some others.
        void duplicate(int slots, int below) {
            boolean[] top = Arrays.copyOfRange(stack, depth - slots - below, depth);
            pop(slots + below);
            for (int i = 0; i < slots; i++) {
                push(1, top[below + i]);
            }
            for (boolean one : top) {
                push(1, one);
            }
        }

        void load(int slot, int slots) {
            grow(slot + slots);
            push(slots, locals[slot]);
        }

        void store(int slot, int slots) {
            grow(slot + slots);
            boolean own = peek(0);
            pop(slots);
            Arrays.fill(locals, slot, slot + slots, own);
        }
    }
}
