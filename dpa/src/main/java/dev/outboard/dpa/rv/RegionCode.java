package dev.outboard.dpa.rv;

import dev.outboard.dpa.machine.memory.Reservations;
import dev.outboard.dpa.machine.memory.Words;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/// The bytecode of one region: the method that [CompiledRegion] declares. What is seldom needed
/// comes last: leaving the region, accesses that are not simply memory, the thread's budget.
final class RegionCode {
    static final ClassDesc REGION = ClassDesc.of(CompiledRegion.class.getName());
    static final String RUN_NAME = "run";
    private static final ClassDesc HART = ClassDesc.of(RvHart.class.getName());
    private static final ClassDesc J = ConstantDescs.CD_long;
    private static final ClassDesc I = ConstantDescs.CD_int;
    private static final ClassDesc V = ConstantDescs.CD_void;

    static final MethodTypeDesc RUN = MethodTypeDesc.of(J, HART, I);

    /// Calls of device code are calls of Java, but not deeper than this: a deeper one leaves all
    /// regions, and [RvHart#run] goes on with it.
    private static final int MOST_DEPTH = 100;

    private static final ClassDesc MEMORY = ClassDesc.of(RvMemory.class.getName());
    private static final ClassDesc RESERVATIONS = ClassDesc.of(Reservations.class.getName());
    private static final ClassDesc SEGMENT = ClassDesc.of(MemorySegment.class.getName());
    private static final ClassDesc WORDS = ClassDesc.of(Words.class.getName());
    private static final ClassDesc HANDLE = ClassDesc.of(VarHandle.class.getName());
    private static final ClassDesc LONG = ClassDesc.of("java.lang.Long");
    private static final MethodTypeDesc FIND = MethodTypeDesc.of(J, HART, J, I);
    private static final MethodTypeDesc COMPARE = MethodTypeDesc.of(I, J, J);

    private static final DirectMethodHandleDesc CLASS_DATA =
            ConstantDescs.ofConstantBootstrap(
                    ClassDesc.of(MethodHandles.class.getName()),
                    "classDataAt",
                    ConstantDescs.CD_Object,
                    I);

    // What the class is given, in this order.
    private static final DynamicConstantDesc<?> MEMORY_GIVEN = given(0, MEMORY);
    private static final DynamicConstantDesc<?> ALL_GIVEN = given(1, SEGMENT);
    private static final DynamicConstantDesc<?> RESERVATIONS_GIVEN = given(2, RESERVATIONS);
    private static final DynamicConstantDesc<?> REGIONS_GIVEN = given(3, REGION.arrayType());

    // Local variables, after `this` and the parameters.
    private static final int OWNER = 1;
    private static final int DEPTH = 2;
    private static final int REGISTERS = 3;
    private static final int COUNT = 4;
    private static final int STACK_LOW = 6;
    private static final int STACK_AT = 8;
    private static final int STACK_BYTES = 10;
    private static final int ADDRESS = 12;
    private static final int OFFSET = 14;
    private static final int PLACE = 16;
    private static final int CALLEE = 17;
    private static final int THROWN = 18;
    private static final int MASK = 19;
    private static final int FIRST_REGISTER = 20;

    private static final int MOST_REGISTERS = 32;

    private final RvCode code;
    private final RvMemory memory;
    private final RvRegion region;
    private final long[] likely;
    private final RegionPlaces places;
    private final CodeBuilder builder;
    private final RvTranslation translation;
    private final Map<Integer, Label> labels = new HashMap<>();
    private final Queue<Runnable> later = new ArrayDeque<>();

    /// Where instructions begin and end that may throw something, by turns.
    private final List<Label> throwing = new ArrayList<>();

    /// @param likely what is likely to be in the registers
    RegionCode(
            RvCode code,
            RvMemory memory,
            RvRegion region,
            long[] likely,
            RegionPlaces places,
            CodeBuilder builder) {
        this.code = code;
        this.memory = memory;
        this.region = region;
        this.likely = likely;
        this.places = places;
        this.builder = builder;
        translation = new RvTranslation(builder, this::load);
    }

    private static DynamicConstantDesc<?> given(int index, ClassDesc type) {
        return DynamicConstantDesc.ofNamed(
                CLASS_DATA, ConstantDescs.DEFAULT_NAME, type, Integer.valueOf(index));
    }

    /// Writes it.
    void write() {
        List<RvBlock> blocks = region.blocks();
        blocks.forEach(block -> labels.put(block.begin, builder.newLabel()));
        begin();
        RvBlock entry = region.block(region.entry());
        if (entry != blocks.getFirst()) {
            builder.goto_(label(entry.begin));
        }
        for (int i = 0; i < blocks.size(); i++) {
            int follower = i + 1 < blocks.size() ? blocks.get(i + 1).begin : Integer.MIN_VALUE;
            write(blocks.get(i), follower);
        }
        if (!later.isEmpty()) {
            throwing(this::writeLater);
        }
        if (throwing.isEmpty()) {
            return;
        }
        Label handler = builder.newBoundLabel();
        writeHandler();
        for (int i = 0; i < throwing.size(); i += 2) {
            builder.exceptionCatchAll(throwing.get(i), throwing.get(i + 1), handler);
        }
    }

    private void writeLater() {
        while (!later.isEmpty()) {
            later.remove().run();
        }
    }

    /// Writes what may throw something at the [#place] where it is.
    private void throwing(Runnable writer) {
        throwing.add(builder.newBoundLabel());
        writer.run();
        throwing.add(builder.newBoundLabel());
    }

    private Label label(int index) {
        Label label = labels.get(index);
        if (label == null) {
            throw new IllegalArgumentException("No block begins at half " + index);
        }
        return label;
    }

    private void begin() {
        get("registers", J.arrayType()).astore(REGISTERS);
        get("count", J).lstore(COUNT);
        get("stackLow", J).lstore(STACK_LOW);
        get("stackAt", J).lstore(STACK_AT);
        get("stackBytes", J).lstore(STACK_BYTES);
        builder.iconst_0().istore(PLACE);
        int live = region.block(region.entry()).live;
        forEach(region.used() & ~live, one -> builder.lconst_0().lstore(slot(one)));
        reload(live);
    }

    private CodeBuilder get(String field, ClassDesc type) {
        return builder.aload(OWNER).getfield(HART, field, type);
    }

    /// What registers of local variables belong to.
    private interface ForRegister {
        void accept(int register);
    }

    private static void forEach(int registers, ForRegister action) {
        for (int i = 1; i < MOST_REGISTERS; i++) {
            if ((registers & (1 << i)) != 0) {
                action.accept(i);
            }
        }
    }

    private static int slot(int register) {
        return FIRST_REGISTER + 2 * register;
    }

    private void load(int register) {
        if (register == 0) {
            builder.lconst_0();
        } else {
            builder.lload(slot(register));
        }
    }

    private void reload(int mask) {
        forEach(mask, one -> builder.aload(REGISTERS).loadConstant(one).laload().lstore(slot(one)));
    }

    private void writeBack(int mask) {
        forEach(mask, this::writeBackOne);
    }

    private void writeBackOne(int register) {
        builder.aload(REGISTERS).loadConstant(register).lload(slot(register)).lastore();
    }

    /// Takes the result of an instruction from the operand stack.
    private void store(long instruction) {
        int rd = Decoded.rd(instruction);
        if (rd == Decoded.NOWHERE) {
            builder.pop2();
        } else {
            builder.lstore(slot(rd));
        }
    }

    private void place(int index, int dirty) {
        builder.loadConstant(places.add(code.address(index), dirty)).istore(PLACE);
    }

    private void write(RvBlock block, int follower) {
        builder.labelBinding(label(block.begin));
        count(block);
        int dirty = block.dirty;
        for (int index : block.instructions) {
            long instruction = code.instructions()[index];
            if (RvTranslation.isLoad(instruction)) {
                writeLoad(instruction, index, dirty);
            } else if (RvTranslation.isStore(instruction)) {
                writeStore(instruction, index, dirty);
            } else if (ThreadOperations.contains(instruction)) {
                writeOperation(instruction, index, dirty);
            } else if (RvTranslation.endsBlock(instruction)) {
                writeEnd(instruction, block, dirty, follower);
                return;
            } else if (Decoded.rd(instruction) != Decoded.NOWHERE) {
                translation.compute(instruction, code.address(index));
                store(instruction);
            }
            dirty = RvRegion.dirtyAfter(dirty, instruction);
        }
        goOn(block, block.end, follower);
    }

    /// Operations of the thread are in the upper half, all instructions in the lower one.
    private void count(RvBlock block) {
        long sum = 0;
        for (int index : block.instructions) {
            long instruction = code.instructions()[index];
            if (RvTranslation.isLoad(instruction) || RvTranslation.isStore(instruction)) {
                sum += (1L << RvHart.OPERATIONS_SHIFT) + 1;
            } else if (!ThreadOperations.contains(instruction)
                    && !RvTranslation.isCounter(instruction)) {
                sum++;
            }
        }
        if (sum != 0) {
            builder.lload(COUNT).loadConstant(sum).ladd().lstore(COUNT);
        }
    }

    // Where it goes on

    /// From the end of a block.
    private void goOn(RvBlock block, int target, int follower) {
        if (target != follower || target <= block.last()) {
            builder.goto_(way(block, target));
        }
    }

    /// Where to jump to for getting from the end of a block to a place in the code.
    private Label way(RvBlock block, int target) {
        int dirty = region.dirtyAtEnd(block);
        if (!region.contains(target)) {
            Label exit = builder.newLabel();
            later.add(() -> {
                builder.labelBinding(exit);
                leave(dirty, () -> builder.loadConstant(code.address(target)));
            });
            return exit;
        }
        if (target > block.last()) {
            return label(target);
        }
        Label back = builder.newLabel();
        later.add(() -> {
            builder.labelBinding(back);
            spend(label(target), target, dirty);
            builder.goto_(label(target));
        });
        return back;
    }

    /// Tells the thread how many instructions there were, if they were many; else goes on there.
    private void spend(Label otherwise, int index, int dirty) {
        builder.lload(COUNT).l2i().loadConstant(RvHart.MOST_UNSPENT).if_icmplt(otherwise);
        place(index, dirty);
        tell();
    }

    private void tell() {
        builder.aload(OWNER)
                .lload(COUNT)
                .invokevirtual(HART, "spend", MethodTypeDesc.of(J, J))
                .lstore(COUNT);
    }

    private void leave(int dirty, Runnable address) {
        writeBack(dirty);
        putCount();
        address.run();
        builder.lreturn();
    }

    private void putCount() {
        builder.aload(OWNER).lload(COUNT).putfield(HART, "count", J);
    }

    private void writeEnd(long instruction, RvBlock block, int dirty, int follower) {
        int index = block.last();
        switch (Decoded.operation(instruction)) {
            case Operation.JAL -> {
                int target = index + (Decoded.immediate(instruction) >> 1);
                if (Decoded.rd(instruction) == Decoded.NOWHERE) {
                    goOn(block, target, follower);
                } else {
                    writeCall(instruction, block, dirty, target);
                    goOnAfterCall(block, follower);
                }
            }
            case Operation.JALR -> {
                load(Decoded.rs1(instruction));
                builder.loadConstant((long) Decoded.immediate(instruction)).ladd();
                builder.loadConstant(~1L).land().lstore(ADDRESS);
                if (Decoded.rd(instruction) == Decoded.NOWHERE) {
                    leave(dirty, () -> builder.lload(ADDRESS));
                } else {
                    writeIndirectCall(instruction, block, dirty);
                    goOnAfterCall(block, follower);
                }
            }
            case Operation.ECALL -> {
                writeBack(dirty);
                place(index, 0);
                throwing(() -> {
                    tell();
                    builder.aload(OWNER)
                            .invokevirtual(
                                    HART,
                                    "callEnvironment",
                                    MethodTypeDesc.of(ConstantDescs.CD_boolean));
                });
                Label goesOn = builder.newLabel();
                builder.ifeq(goesOn);
                leave(0, () -> builder.loadConstant(RvHart.RETURN_ADDRESS));
                builder.labelBinding(goesOn);
                goOnAfterCall(block, follower);
            }
            default -> {
                if (RvTranslation.isBranch(instruction)) {
                    writeBranch(instruction, block, follower);
                } else {
                    place(index, dirty);
                    throwing(() -> {
                        tell();
                        builder.aload(OWNER)
                                .loadConstant(Decoded.immediate(instruction))
                                .invokevirtual(HART, "counter", MethodTypeDesc.of(J, I));
                    });
                    store(instruction);
                    goOn(block, block.end, follower);
                }
            }
        }
    }

    private void writeBranch(long instruction, RvBlock block, int follower) {
        Label taken = way(block, block.last() + (Decoded.immediate(instruction) >> 1));
        load(Decoded.rs1(instruction));
        load(Decoded.rs2(instruction));
        int operation = Decoded.operation(instruction);
        if (operation == Operation.BLTU || operation == Operation.BGEU) {
            builder.invokestatic(LONG, "compareUnsigned", COMPARE);
        } else {
            builder.lcmp();
        }
        Opcode opcode =
                switch (operation) {
                    case Operation.BEQ -> Opcode.IFEQ;
                    case Operation.BNE -> Opcode.IFNE;
                    case Operation.BLT, Operation.BLTU -> Opcode.IFLT;
                    default -> Opcode.IFGE;
                };
        builder.branch(opcode, taken);
        goOn(block, block.end, follower);
    }

    // Calls

    private void writeCall(long instruction, RvBlock block, int dirty, int target) {
        builder.loadConstant(code.address(target)).lstore(ADDRESS);
        boolean isCode = target >= 0 && target < code.instructions().length;
        if (isCode) {
            builder.loadConstant(REGIONS_GIVEN).loadConstant(target).aaload();
        } else {
            builder.aconst_null();
        }
        builder.astore(CALLEE);
        call(instruction, block, dirty);
    }

    private void writeIndirectCall(long instruction, RvBlock block, int dirty) {
        builder.aload(OWNER)
                .lload(ADDRESS)
                .invokevirtual(HART, "regionAt", MethodTypeDesc.of(REGION, J))
                .astore(CALLEE);
        call(instruction, block, dirty);
    }

    /// DPA-RV-6: calls the region, if there is one, and predicts that it returns to here. If it
    /// goes on elsewhere, or if the calls are too deep, all of them are left.
    private void call(long instruction, RvBlock block, int dirty) {
        int rd = Decoded.rd(instruction);
        long follower = code.address(block.end);
        writeBack(dirty & ~RvRegion.written(instruction));
        builder.aload(REGISTERS).loadConstant(rd).loadConstant(follower).lastore();
        Label leave = builder.newLabel();
        builder.lload(COUNT).l2i().loadConstant(RvHart.MOST_UNSPENT).if_icmpge(leave);
        putCount();
        builder.aload(CALLEE).ifnull(leave);
        builder.iload(DEPTH).loadConstant(MOST_DEPTH).if_icmpge(leave);
        builder.aload(CALLEE).aload(OWNER).iload(DEPTH).iconst_1().iadd();
        builder.invokevirtual(REGION, RUN_NAME, RUN).lstore(ADDRESS);
        builder.lload(ADDRESS).loadConstant(follower).lcmp().ifne(elsewhere());
        get("count", J).lstore(COUNT);
        later.add(() -> {
            builder.labelBinding(leave);
            leave(0, () -> builder.lload(ADDRESS));
        });
    }

    /// What was called goes on somewhere else.
    private Label elsewhere() {
        Label label = builder.newLabel();
        later.add(() -> builder.labelBinding(label).lload(ADDRESS).lreturn());
        return label;
    }

    private void goOnAfterCall(RvBlock block, int follower) {
        if (region.contains(block.end)) {
            reload(region.block(block.end).live);
            if (block.end != follower) {
                builder.goto_(label(block.end));
            }
        } else {
            leave(0, () -> builder.loadConstant(code.address(block.end)));
        }
    }

    // Memory

    private void address(long instruction) {
        load(Decoded.rs1(instruction));
        int immediate = Decoded.immediate(instruction);
        if (immediate != 0) {
            builder.loadConstant((long) immediate).ladd();
        }
        builder.lstore(ADDRESS);
    }

    /// Looks where an access goes; its offset is known then, if it does not jump.
    private void find(long instruction, int shift, Label slow) {
        address(instruction);
        if (Decoded.rs1(instruction) == RvHart.STACK_POINTER) {
            builder.lload(ADDRESS).lload(STACK_LOW).lsub().lstore(OFFSET);
            rotated(shift).lload(STACK_BYTES).loadConstant(shift).lushr();
            builder.invokestatic(LONG, "compareUnsigned", COMPARE).ifge(slow);
            builder.lload(OFFSET).lload(STACK_AT).ladd().lstore(OFFSET);
            return;
        }
        boolean isLoad = RvTranslation.isLoad(instruction);
        long guess = likely[Decoded.rs1(instruction)] + Decoded.immediate(instruction);
        RvMemory.Space space = memory.space(guess, isLoad);
        Label elsewhere = builder.newLabel();
        Label found = builder.newLabel();
        builder.lload(ADDRESS).loadConstant(space.from()).lsub().lstore(OFFSET);
        rotated(shift).loadConstant(space.bytes() >>> shift);
        builder.invokestatic(LONG, "compareUnsigned", COMPARE).ifge(elsewhere);
        if (space.at() != 0) {
            builder.lload(OFFSET).loadConstant(space.at()).ladd().lstore(OFFSET);
        }
        builder.labelBinding(found);
        later.add(() -> {
            builder.labelBinding(elsewhere);
            builder.loadConstant(MEMORY_GIVEN)
                    .aload(OWNER)
                    .lload(ADDRESS)
                    .loadConstant(shift)
                    .invokevirtual(MEMORY, isLoad ? "find" : "findWritable", FIND)
                    .lstore(OFFSET);
            builder.lload(OFFSET).lconst_0().lcmp().iflt(slow).goto_(found);
        });
    }

    /// The offset with its lowest bits on top, so that a misaligned one is very large.
    private CodeBuilder rotated(int shift) {
        builder.lload(OFFSET);
        if (shift > 0) {
            builder.loadConstant(shift)
                    .invokestatic(LONG, "rotateRight", MethodTypeDesc.of(J, J, I));
        }
        return builder;
    }

    private void writeLoad(long instruction, int index, int dirty) {
        int shift = shift(instruction);
        Label slow = builder.newLabel();
        Label end = builder.newLabel();
        find(instruction, shift, slow);
        handle(shift);
        builder.loadConstant(ALL_GIVEN)
                .lload(OFFSET)
                .invokevirtual(HANDLE, "getAcquire", MethodTypeDesc.of(type(shift), SEGMENT, J));
        extend(instruction, shift);
        store(instruction);
        builder.labelBinding(end);
        later.add(() -> {
            builder.labelBinding(slow);
            place(index, dirty);
            builder.aload(OWNER)
                    .lload(ADDRESS)
                    .loadConstant(1 << shift)
                    .invokevirtual(HART, "load", MethodTypeDesc.of(J, J, I));
            narrow(shift);
            extend(instruction, shift);
            store(instruction);
            builder.goto_(end);
        });
    }

    private static int shift(long instruction) {
        return switch (Decoded.operation(instruction)) {
            case Operation.LB, Operation.LBU, Operation.SB -> 0;
            case Operation.LH, Operation.LHU, Operation.SH -> 1;
            case Operation.LW, Operation.LWU, Operation.SW -> 2;
            default -> 3;
        };
    }

    private static ClassDesc type(int shift) {
        return switch (shift) {
            case 0 -> ConstantDescs.CD_byte;
            case 1 -> ConstantDescs.CD_short;
            case 2 -> I;
            default -> J;
        };
    }

    private void handle(int shift) {
        String name =
                switch (shift) {
                    case 0 -> "BYTE";
                    case 1 -> "SHORT";
                    case 2 -> "INT";
                    default -> "LONG";
                };
        builder.getstatic(WORDS, name, HANDLE);
    }

    /// Makes the low bytes of a long the type of an access.
    private void narrow(int shift) {
        switch (shift) {
            case 0 -> builder.l2i().i2b();
            case 1 -> builder.l2i().i2s();
            case 2 -> builder.l2i();
            default -> {}
        }
    }

    private void extend(long instruction, int shift) {
        switch (Decoded.operation(instruction)) {
            case Operation.LBU -> builder.loadConstant(0xff).iand();
            case Operation.LHU -> builder.loadConstant(0xffff).iand();
            default -> {}
        }
        if (shift < 3) {
            builder.i2l();
        }
        if (Decoded.operation(instruction) == Operation.LWU) {
            builder.loadConstant(0xffff_ffffL).land();
        }
    }

    private void writeStore(long instruction, int index, int dirty) {
        int shift = shift(instruction);
        Label slow = builder.newLabel();
        Label end = builder.newLabel();
        find(instruction, shift, slow);
        builder.loadConstant(RESERVATIONS_GIVEN)
                .invokevirtual(RESERVATIONS, "any", MethodTypeDesc.of(ConstantDescs.CD_boolean))
                .ifne(slow);
        handle(shift);
        builder.loadConstant(ALL_GIVEN).lload(OFFSET);
        load(Decoded.rs2(instruction));
        narrow(shift);
        builder.invokevirtual(HANDLE, "setOpaque", MethodTypeDesc.of(V, SEGMENT, J, type(shift)));
        builder.labelBinding(end);
        later.add(() -> {
            builder.labelBinding(slow);
            place(index, dirty);
            builder.aload(OWNER).lload(ADDRESS).loadConstant(1 << shift);
            load(Decoded.rs2(instruction));
            builder.invokevirtual(HART, "store", MethodTypeDesc.of(V, J, I, J)).goto_(end);
        });
    }

    private void writeOperation(long instruction, int index, int dirty) {
        place(index, dirty);
        builder.aload(OWNER).loadConstant(instruction);
        load(Decoded.rs1(instruction));
        load(Decoded.rs2(instruction));
        throwing(() -> builder.invokevirtual(HART, "operate", MethodTypeDesc.of(J, J, J, J)));
        store(instruction);
    }

    // What throws

    /// Leaves the registers to the hart, and the address of the instruction.
    private void writeHandler() {
        builder.astore(THROWN);
        ofPlace("dirty", I.arrayType()).iaload().istore(MASK);
        forEach(
                region.writtenAnywhere(),
                one -> {
                    Label clean = builder.newLabel();
                    builder.iload(MASK).loadConstant(1 << one).iand().ifeq(clean);
                    writeBackOne(one);
                    builder.labelBinding(clean);
                });
        builder.aload(OWNER);
        ofPlace("places", J.arrayType()).laload().putfield(HART, "thrownAt", J);
        builder.aload(THROWN).athrow();
    }

    private CodeBuilder ofPlace(String field, ClassDesc type) {
        return builder.aload(0).getfield(REGION, field, type).iload(PLACE);
    }
}
