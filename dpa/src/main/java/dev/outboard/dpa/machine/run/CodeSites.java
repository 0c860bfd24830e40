package dev.outboard.dpa.machine.run;

import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.ProgramEdits;
import dev.outboard.dpa.machine.ProgramEdits.Operation;
import dev.outboard.dpa.machine.Sites;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The places of a program where it calls the machine, each with a number. A program that was
/// rewritten when it was loaded tells the number; of any other the stack of the caller tells it,
/// which is a hundred times slower. One thread at a time may use it.
public final class CodeSites implements Sites {
    private static final StackWalker STACK =
            StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private final ProgramEdits edits;
    private final List<Site> sites = new ArrayList<>();
    private final Map<Frame, Integer> byFrame = new HashMap<>();
    private int[] byInstruction = {};
    private final Set<CodePlace> edited = new HashSet<>();

    /// Without a place, but for site 0.
    public CodeSites(ProgramEdits edits) {
        this.edits = edits;
        sites.add(new Site(CodePlace.NONE, false, List.of(), List.of(), false));
    }

    /// Adds a place.
    ///
    /// @param poll whether it is a load in a loop that stores nothing
    /// @return its number
    public int add(CodePlace place, boolean poll) {
        // Of several operations on one line, what is inserted before it comes before the first.
        List<Operation> before =
                edited.add(place) ? edits.before().getOrDefault(place, List.of()) : List.of();
        List<Operation> after = edits.after().getOrDefault(place, List.of());
        sites.add(new Site(place, poll, before, after, edits.omitted().contains(place)));
        return sites.size() - 1;
    }

    /// The site of the program that called the machine.
    public int ofCaller() {
        Optional<StackWalker.StackFrame> caller =
                STACK.walk(frames ->
                        frames.filter(frame -> !Places.isMachine(frame.getClassName()))
                                .findFirst());
        return caller.map(this::ofFrame).orElse(0);
    }

    private int ofFrame(StackWalker.StackFrame frame) {
        Frame key =
                new Frame(
                        frame.getDeclaringClass(),
                        frame.getMethodName() + frame.getDescriptor(),
                        frame.getByteCodeIndex());
        return byFrame.computeIfAbsent(
                key, any -> add(Places.place(frame.toStackTraceElement()), false));
    }

    /// The site of an instruction of C code; a process has one program of them.
    ///
    /// @param index where it begins in the code, in units of 2 bytes
    public int ofInstruction(int index, Instructions program) {
        if (index >= byInstruction.length) {
            byInstruction = Arrays.copyOf(byInstruction, Math.max(index + 1, 2 * index));
        }
        if (byInstruction[index] == 0) {
            byInstruction[index] = add(program.place(index), program.isPoll(index));
        }
        return byInstruction[index];
    }

    /// What is inserted before the operation there.
    public List<Operation> before(int site) {
        return sites.get(site).before;
    }

    /// What is inserted after the operation there.
    public List<Operation> after(int site) {
        return sites.get(site).after;
    }

    /// Whether the operation there is left out.
    public boolean isOmitted(int site) {
        return sites.get(site).omitted;
    }

    @Override
    public CodePlace place(int site) {
        return sites.get(site).place;
    }

    @Override
    public boolean inPollLoop(int site) {
        return sites.get(site).poll;
    }

    /// What C code tells of its instructions, which are named as above.
    public interface Instructions {
        /// DPA-CC-17: the line that the instruction comes from.
        CodePlace place(int index);

        /// Whether it is a load in a loop that stores nothing.
        boolean isPoll(int index);
    }

    private record Frame(Class<?> program, String method, int index) {}

    private record Site(
            CodePlace place,
            boolean poll,
            List<Operation> before,
            List<Operation> after,
            boolean omitted) {}
}
