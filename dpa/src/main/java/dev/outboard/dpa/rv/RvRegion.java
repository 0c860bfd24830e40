package dev.outboard.dpa.rv;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;

/// What is compiled together: the instructions that can be reached from one of them without a call,
/// a return or a jump to where a register tells; after a call it goes on where that returns to. So
/// it is the rest of a function, up to a limit.
///
/// A register is dirty where its value may be in a local variable only, and live where somebody may
/// need what the variable holds.
final class RvRegion {
    private static final int ALL = -1;

    private final long[] instructions;
    private final int entry;
    private final TreeMap<Integer, RvBlock> blocks = new TreeMap<>();

    /// The region that takes about so many bytes of code of the JVM at most.
    RvRegion(RvCode code, int entry, int most) {
        this.entry = entry;
        instructions = code.instructions();
        find(most);
        spreadDirt();
        spreadLife();
    }

    /// Its blocks in their order; none if its first instruction is left to the interpreter.
    List<RvBlock> blocks() {
        return List.copyOf(blocks.values());
    }

    /// The block that begins there; it must be [one][#contains].
    RvBlock block(int index) {
        RvBlock block = blocks.get(index);
        if (block == null) {
            throw new IllegalArgumentException("No block begins at half " + index);
        }
        return block;
    }

    /// Where it is entered.
    int entry() {
        return entry;
    }

    /// Where the functions begin that it calls, as far as the code tells.
    List<Integer> calls() {
        List<Integer> calls = new ArrayList<>();
        for (RvBlock block : blocks.values()) {
            int last = block.last();
            boolean isCall = RvTranslation.isCall(instructions[last]);
            if (isCall && Decoded.operation(instructions[last]) == Operation.JAL) {
                int target = target(last, instructions[last]);
                if (target >= 0 && target < instructions.length) {
                    calls.add(target);
                }
            }
        }
        return calls;
    }

    /// Whether a block begins there.
    boolean contains(int index) {
        return blocks.containsKey(index);
    }

    private boolean isTranslated(int index) {
        return index >= 0
                && index < instructions.length
                && RvTranslation.isTranslated(instructions[index]);
    }

    private int next(int index) {
        return index + (Decoded.lengthBytes(instructions[index]) >> 1);
    }

    private static int target(int index, long instruction) {
        return index + (Decoded.immediate(instruction) >> 1);
    }

    private void find(int most) {
        BitSet found = new BitSet();
        BitSet begins = new BitSet();
        Deque<Integer> open = new ArrayDeque<>();
        open.add(entry);
        int left = most;
        while (!open.isEmpty()) {
            int index = open.remove();
            if (!isTranslated(index)) {
                continue;
            }
            begins.set(index);
            while (left > 0 && isTranslated(index) && !found.get(index)) {
                found.set(index);
                left -= RvTranslation.likelyBytes(instructions[index]);
                if (RvTranslation.endsBlock(instructions[index])) {
                    open.addAll(successors(index));
                    break;
                }
                index = next(index);
                if (found.get(index)) {
                    begins.set(index);
                }
            }
        }
        begins.stream().filter(found::get).forEach(begin -> addBlock(begin, found, begins));
    }

    private void addBlock(int begin, BitSet found, BitSet begins) {
        RvBlock block = new RvBlock(begin);
        int index = begin;
        do {
            block.instructions.add(index);
            boolean ends = RvTranslation.endsBlock(instructions[index]);
            index = next(index);
            if (ends) {
                break;
            }
        } while (index < instructions.length && found.get(index) && !begins.get(index));
        block.end = index;
        blocks.put(begin, block);
    }

    /// Where it goes on after the last instruction of a block, in the region or not.
    private List<Integer> successors(int last) {
        long instruction = instructions[last];
        List<Integer> result = new ArrayList<>();
        switch (Decoded.operation(instruction)) {
            case Operation.JAL -> {
                boolean isCall = Decoded.rd(instruction) != Decoded.NOWHERE;
                result.add(isCall ? next(last) : target(last, instruction));
            }
            case Operation.JALR -> {
                if (Decoded.rd(instruction) != Decoded.NOWHERE) {
                    result.add(next(last));
                }
            }
            default -> {
                result.add(next(last));
                if (RvTranslation.isBranch(instruction)) {
                    result.add(target(last, instruction));
                }
            }
        }
        return result;
    }

    private List<RvBlock> successors(RvBlock block) {
        List<RvBlock> result = new ArrayList<>();
        for (int index : successors(block.last())) {
            RvBlock next = blocks.get(index);
            if (next != null) {
                result.add(next);
            }
        }
        return result;
    }

    /// What is dirty at the end of a block.
    int dirtyAtEnd(RvBlock block) {
        int dirty = block.dirty;
        for (int index : block.instructions) {
            dirty = dirtyAfter(dirty, instructions[index]);
        }
        return dirty;
    }

    /// What is dirty after an instruction.
    ///
    /// @param before what was dirty before it
    static int dirtyAfter(int before, long instruction) {
        return RvTranslation.isCall(instruction) ? 0 : before | written(instruction);
    }

    /// What an instruction writes, as a bit.
    static int written(long instruction) {
        int rd = Decoded.rd(instruction);
        return rd == Decoded.NOWHERE ? 0 : 1 << rd;
    }

    private void spreadDirt() {
        boolean changed = true;
        while (changed) {
            changed = false;
            for (RvBlock block : blocks.values()) {
                int dirty = dirtyAtEnd(block);
                for (RvBlock next : successors(block)) {
                    changed |= (next.dirty | dirty) != next.dirty;
                    next.dirty |= dirty;
                }
            }
        }
    }

    private void spreadLife() {
        boolean changed = true;
        while (changed) {
            changed = false;
            for (RvBlock block : blocks.descendingMap().values()) {
                int live = live(block);
                changed |= live != block.live;
                block.live = live;
            }
        }
    }

    private int live(RvBlock block) {
        int count = block.instructions.size();
        int[] dirty = new int[count + 1];
        dirty[0] = block.dirty;
        for (int i = 0; i < count; i++) {
            dirty[i + 1] = dirtyAfter(dirty[i], instructions[block.instructions.get(i)]);
        }
        long last = instructions[block.last()];
        int live = 0;
        if (!RvTranslation.isCall(last)) {
            // All leave to somewhere, or may.
            live = dirty[count];
            for (RvBlock next : successors(block)) {
                live |= next.live;
            }
        }
        for (int i = count - 1; i >= 0; i--) {
            long instruction = instructions[block.instructions.get(i)];
            live &= ALL ^ written(instruction);
            live |= RvTranslation.read(instruction);
            if (RvTranslation.mayFault(instruction) || RvTranslation.isCall(instruction)) {
                live |= dirty[i];
            }
        }
        return live & ~1;
    }

    /// All that its instructions read or write, as bits.
    int used() {
        int used = 0;
        for (RvBlock block : blocks.values()) {
            for (int index : block.instructions) {
                used |= written(instructions[index]) | RvTranslation.read(instructions[index]);
            }
        }
        return used & ~1;
    }

    /// All that they write, as bits.
    int writtenAnywhere() {
        int written = 0;
        for (RvBlock block : blocks.values()) {
            for (int index : block.instructions) {
                written |= written(instructions[index]);
            }
        }
        return written;
    }
}
