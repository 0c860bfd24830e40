package dev.outboard.dpa.machine.load;

import dev.outboard.dpa.machine.DpaThread;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/// The loops of a method: from the target of each branch that goes back up to that branch. Elements
/// of the code are named by their index.
final class MethodLoops {
    private static final String THREAD = internalName(DpaThread.class);
    private static final int DEEPEST = 4;
    private static final Set<String> PURE =
            Set.of("java/lang/Integer", "java/lang/Long", "java/lang/Byte", "java/lang/Math");

    private final ClassModel program;
    private final List<CodeElement> elements;
    private final List<Loop> loops = new ArrayList<>();
    private final Map<Label, Integer> labels = new HashMap<>();

    MethodLoops(ClassModel program, CodeModel code) {
        this.program = program;
        elements = code.elementList();
        for (int i = 0; i < elements.size(); i++) {
            if (elements.get(i) instanceof LabelTarget target) {
                labels.put(target.label(), i);
            }
        }
        for (int i = 0; i < elements.size(); i++) {
            if (elements.get(i) instanceof BranchInstruction branch
                    && labels.getOrDefault(branch.target(), i) < i) {
                loops.add(new Loop(labels.getOrDefault(branch.target(), i), i));
            }
        }
    }

    static String internalName(Class<?> type) {
        return type.getName().replace('.', '/');
    }

    /// Whether the load there is what a poll loop waits for: the innermost loop around it stores
    /// nothing, counts nothing, calls nobody else, and looks at the same address each time, as far
    /// as one can see.
    boolean isPoll(int load) {
        Loop innermost = null;
        for (Loop loop : loops) {
            if (loop.first <= load
                    && load <= loop.last
                    && (innermost == null || loop.length() < innermost.length())) {
                innermost = loop;
            }
        }
        return innermost != null && innermost.isPoll(load);
    }

    /// Whether the branch there closes a loop that polls.
    boolean isPollLoop(int backEdge) {
        return loops.stream()
                .filter(loop -> loop.last == backEdge)
                .anyMatch(loop ->
                        IntStream.rangeClosed(loop.first, loop.last)
                                .anyMatch(i -> isLoad(elements.get(i)) && loop.isPoll(i)));
    }

    private static boolean isLoad(CodeElement element) {
        return element instanceof InvokeInstruction call
                && isThread(call)
                && call.name().stringValue().startsWith("load");
    }

    private final class Loop {
        private final int first;
        private final int last;

        private Loop(int first, int last) {
            this.first = first;
            this.last = last;
        }

        private int length() {
            return last - first;
        }

        private boolean isPoll(int load) {
            Set<Integer> loadedBefore = new HashSet<>();
            Set<Integer> stored = new HashSet<>();
            for (int i = first; i <= last; i++) {
                switch (elements.get(i)) {
                    case IncrementInstruction increment -> {
                        return false;
                    }
                    case InvokeInstruction call when isThread(call) -> {
                        if (!isHarmless(call)) {
                            return false;
                        }
                    }
                    case StoreInstruction store -> stored.add(store.slot());
                    case LoadInstruction local -> {
                        if (i < load) {
                            loadedBefore.add(local.slot());
                        }
                    }
                    case CodeElement other -> {
                        if (!isPure(other, DEEPEST)) {
                            return false;
                        }
                    }
                }
            }
            stored.retainAll(loadedBefore);
            return stored.isEmpty();
        }
    }

    private static boolean isThread(InvokeInstruction call) {
        return call.owner().asInternalName().equals(THREAD);
    }

    /// Whether an operation of the thread stores nothing.
    private static boolean isHarmless(InvokeInstruction call) {
        String name = call.name().stringValue();
        return !name.startsWith("store")
                && !name.startsWith("atomic")
                && !name.startsWith("loadReserved")
                && !name.startsWith("spin");
    }

    /// Whether an instruction does nothing but compute. A method of the same class is looked into,
    /// such as one that computes an address.
    private boolean isPure(CodeElement element, int depth) {
        return switch (element) {
            case InvokeDynamicInstruction call -> false;
            case ArrayStoreInstruction store -> false;
            case FieldInstruction field ->
                    field.opcode() == Opcode.GETFIELD || field.opcode() == Opcode.GETSTATIC;
            case InvokeInstruction call ->
                    call.opcode() == Opcode.INVOKESTATIC
                            && (PURE.contains(call.owner().asInternalName())
                                    || (depth > 0 && isPureMethod(call, depth - 1)));
            default -> true;
        };
    }

    private boolean isPureMethod(InvokeInstruction call, int depth) {
        return call.owner().asInternalName().equals(program.thisClass().asInternalName())
                && program.methods().stream()
                        .filter(method ->
                                method.methodName().equalsString(call.name().stringValue())
                                        && method.methodType()
                                                .equalsString(call.type().stringValue()))
                        .flatMap(method -> method.code().stream())
                        .allMatch(code ->
                                code.elementStream().allMatch(element -> isPure(element, depth)));
    }
}
