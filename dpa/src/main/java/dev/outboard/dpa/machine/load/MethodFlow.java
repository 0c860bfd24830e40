package dev.outboard.dpa.machine.load;

import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.classfile.instruction.ThrowInstruction;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/// Where the control of a method can go: by the order of its code, by branches, and by exceptions.
/// Elements of the code are named by their index. Each cycle, of whatever shape, has a jump that
/// goes back in the order of the code, or passes a handler of exceptions; whoever counts at both
/// counts every cycle.
final class MethodFlow {
    private final List<CodeElement> elements;
    private final Map<Label, Integer> labels = new HashMap<>();
    private final List<ExceptionCatch> catches = new ArrayList<>();

    /// Where a jump of an instruction goes to; without the next one, and without exceptions.
    private final List<List<Integer>> jumps = new ArrayList<>();

    /// Where an exception of an instruction goes to.
    private final List<List<Integer>> thrown = new ArrayList<>();

    MethodFlow(CodeModel code) {
        elements = code.elementList();
        for (int i = 0; i < elements.size(); i++) {
            switch (elements.get(i)) {
                case LabelTarget target -> labels.put(target.label(), i);
                case ExceptionCatch handler -> catches.add(handler);
                default -> {
                    // No place, and no edge.
                }
            }
        }
        for (int i = 0; i < elements.size(); i++) {
            jumps.add(jumpsOf(elements.get(i)));
            thrown.add(new ArrayList<>());
        }
        for (ExceptionCatch handler : catches) {
            for (int i = at(handler.tryStart()); i < at(handler.tryEnd()); i++) {
                if (elements.get(i) instanceof Instruction) {
                    thrown.get(i).add(at(handler.handler()));
                }
            }
        }
    }

    private List<Integer> jumpsOf(CodeElement element) {
        return switch (element) {
            case BranchInstruction branch -> List.of(at(branch.target()));
            case TableSwitchInstruction jump -> jumpsOf(jump.cases(), jump.defaultTarget());
            case LookupSwitchInstruction jump -> jumpsOf(jump.cases(), jump.defaultTarget());
            default -> List.of();
        };
    }

    private List<Integer> jumpsOf(List<SwitchCase> cases, Label defaultTarget) {
        List<Integer> targets = new ArrayList<>(List.of(at(defaultTarget)));
        cases.forEach(one -> targets.add(at(one.target())));
        return targets;
    }

    private int at(Label label) {
        // A label at the very end of the code is none of its elements.
        return labels.getOrDefault(label, elements.size());
    }

    List<CodeElement> elements() {
        return elements;
    }

    List<ExceptionCatch> catches() {
        return catches;
    }

    /// The line that it begins at.
    OptionalInt firstLine() {
        return elements.stream()
                .filter(LineNumber.class::isInstance)
                .mapToInt(element -> ((LineNumber) element).line())
                .findFirst();
    }

    /// Whether an exception is caught there.
    boolean isHandler(int index) {
        return catches.stream().anyMatch(handler -> at(handler.handler()) == index);
    }

    /// Where control goes from there, but for exceptions.
    List<Integer> next(int index) {
        List<Integer> next = new ArrayList<>(jumps.get(index));
        if (fallsThrough(elements.get(index)) && index + 1 < elements.size()) {
            next.add(index + 1);
        }
        return next;
    }

    /// Where the exceptions of an instruction go.
    List<Integer> handlers(int index) {
        return thrown.get(index);
    }

    private static boolean fallsThrough(CodeElement element) {
        return switch (element) {
            case BranchInstruction branch ->
                    branch.opcode() != Opcode.GOTO && branch.opcode() != Opcode.GOTO_W;
            case TableSwitchInstruction jump -> false;
            case LookupSwitchInstruction jump -> false;
            case ReturnInstruction leave -> false;
            case ThrowInstruction leave -> false;
            default -> true;
        };
    }

    /// Whether an instruction can jump back.
    boolean goesBack(int index) {
        return jumps.get(index).stream().anyMatch(target -> target <= index);
    }

    /// Whether any can.
    boolean hasLoops() {
        return IntStream.range(0, elements.size()).anyMatch(this::goesBack);
    }

    /// How many instructions a round of the loops has at most that an instruction closes, in the
    /// order of the code.
    int length(int index) {
        int first = jumps.get(index).stream().mapToInt(target -> target).min().orElse(index);
        return (int)
                elements.subList(Math.min(first, index), index + 1).stream()
                        .filter(Instruction.class::isInstance)
                        .count();
    }

    /// Whether one can go round by a jump back from there without passing one of the elements, or
    /// an exception.
    boolean goesRoundWithout(int index, Predicate<CodeElement> passed) {
        return jumps.get(index).stream()
                .anyMatch(target -> target <= index && reaches(target, index, passed));
    }

    /// Whether any jump back does that.
    boolean anyGoesRoundWithout(Predicate<CodeElement> passed) {
        return IntStream.range(0, elements.size()).anyMatch(i -> goesRoundWithout(i, passed));
    }

    private boolean reaches(int from, int to, Predicate<CodeElement> passed) {
        BitSet seen = new BitSet();
        Deque<Integer> open = new ArrayDeque<>(List.of(from));
        while (!open.isEmpty()) {
            int at = open.pop();
            if (at == to) {
                return true;
            }
            if (at < elements.size() && !seen.get(at) && !passed.test(elements.get(at))) {
                seen.set(at);
                open.addAll(next(at));
            }
        }
        return false;
    }
}
