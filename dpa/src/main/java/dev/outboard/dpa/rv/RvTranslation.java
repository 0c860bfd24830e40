package dev.outboard.dpa.rv;

import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/// What the compiler knows of each instruction, and the bytecode of those that only compute. What
/// bytecode has no instruction for, it calls: the methods that the interpreter calls, too.
final class RvTranslation {
    private static final ClassDesc ARITHMETIC = ClassDesc.of(Arithmetic.class.getName());
    private static final ClassDesc MATH = ClassDesc.of("java.lang.Math");
    private static final ClassDesc LONG = ClassDesc.of("java.lang.Long");
    private static final ClassDesc INTEGER = ClassDesc.of("java.lang.Integer");
    private static final ClassDesc J = ConstantDescs.CD_long;
    private static final ClassDesc I = ConstantDescs.CD_int;
    private static final MethodTypeDesc J_J = MethodTypeDesc.of(J, J);
    private static final MethodTypeDesc J_JJ = MethodTypeDesc.of(J, J, J);
    private static final MethodTypeDesc J_JI = MethodTypeDesc.of(J, J, I);
    private static final MethodTypeDesc I_J = MethodTypeDesc.of(I, J);
    private static final MethodTypeDesc I_I = MethodTypeDesc.of(I, I);
    private static final MethodTypeDesc I_II = MethodTypeDesc.of(I, I, I);
    private static final int WORD_SHIFTS = 31;
    private static final int DOUBLE_SHIFTS = 63;

    private final CodeBuilder builder;
    private final Registers registers;
    private long instruction;

    /// Where the values of registers are.
    interface Registers {
        /// Pushes what a register holds.
        void load(int register);
    }

    RvTranslation(CodeBuilder builder, Registers registers) {
        this.builder = builder;
        this.registers = registers;
    }

    /// Whether the compiler knows what it does; all others are left to the interpreter.
    static boolean isTranslated(long instruction) {
        return switch (Decoded.operation(instruction)) {
            case Operation.ILLEGAL,
                    Operation.TRUNCATED,
                    Operation.EBREAK,
                    Operation.CSRRW,
                    Operation.CSRRWI ->
                    false;
            case Operation.CSRRS, Operation.CSRRC, Operation.CSRRSI, Operation.CSRRCI ->
                    Decoded.rs1(instruction) == 0 && ThreadOperations.isCounter(instruction);
            default -> true;
        };
    }

    /// Whether the one after it in the code need not be the next one.
    static boolean endsBlock(long instruction) {
        return isBranch(instruction)
                || isCounter(instruction)
                || switch (Decoded.operation(instruction)) {
                    case Operation.JAL, Operation.JALR, Operation.ECALL -> true;
                    default -> false;
                };
    }

    static boolean isBranch(long instruction) {
        int operation = Decoded.operation(instruction);
        return operation >= Operation.BEQ && operation <= Operation.BGEU;
    }

    static boolean isCounter(long instruction) {
        int operation = Decoded.operation(instruction);
        return operation >= Operation.CSRRW && operation <= Operation.CSRRCI;
    }

    /// Whether others may change all registers before the next one.
    static boolean isCall(long instruction) {
        return switch (Decoded.operation(instruction)) {
            case Operation.JAL, Operation.JALR -> Decoded.rd(instruction) != Decoded.NOWHERE;
            case Operation.ECALL -> true;
            default -> false;
        };
    }

    static boolean isLoad(long instruction) {
        int operation = Decoded.operation(instruction);
        return operation >= Operation.LB && operation <= Operation.LWU;
    }

    static boolean isStore(long instruction) {
        int operation = Decoded.operation(instruction);
        return operation >= Operation.SB && operation <= Operation.SD;
    }

    /// About how many bytes of code of the JVM become of it.
    static int likelyBytes(long instruction) {
        if (isCall(instruction)) {
            return 150;
        }
        if (isLoad(instruction) || isStore(instruction)) {
            return 85;
        }
        return endsBlock(instruction) ? 50 : 12;
    }

    static boolean mayFault(long instruction) {
        return isLoad(instruction)
                || isStore(instruction)
                || isCounter(instruction)
                || ThreadOperations.contains(instruction);
    }

    /// What it reads, as bits.
    static int read(long instruction) {
        return ((1 << Decoded.rs1(instruction)) | (1 << Decoded.rs2(instruction))) & ~1;
    }

    /// Pushes the result of an instruction that only computes.
    ///
    /// @param address of the instruction
    void compute(long computing, long address) {
        instruction = computing;
        switch (Decoded.operation(computing)) {
            case Operation.LUI -> builder.loadConstant(immediate());
            case Operation.AUIPC -> builder.loadConstant(address + immediate());
            case Operation.ADDI, Operation.ADD, Operation.SUB, Operation.MUL -> linear();
            case Operation.XORI, Operation.ORI, Operation.ANDI -> logicalImmediate();
            case Operation.XOR, Operation.OR, Operation.AND -> logical();
            case Operation.ANDN, Operation.ORN, Operation.XNOR -> negated();
            case Operation.SLTI, Operation.SLTIU, Operation.SLT, Operation.SLTU -> compare();
            case Operation.ADDIW, Operation.ADDW, Operation.SUBW, Operation.MULW -> word();
            case Operation.SLLI,
                    Operation.SRLI,
                    Operation.SRAI,
                    Operation.SLL,
                    Operation.SRL,
                    Operation.SRA ->
                    shift();
            case Operation.SLLIW,
                    Operation.SRLIW,
                    Operation.SRAIW,
                    Operation.SLLW,
                    Operation.SRLW,
                    Operation.SRAW ->
                    shiftWord();
            case Operation.DIV, Operation.DIVU, Operation.REM, Operation.REMU -> divide();
            case Operation.DIVW, Operation.DIVUW, Operation.REMW, Operation.REMUW -> divideWord();
            case Operation.MULH, Operation.MULHSU, Operation.MULHU -> multiplyHigh();
            case Operation.ADD_UW,
                    Operation.SH1ADD,
                    Operation.SH2ADD,
                    Operation.SH3ADD,
                    Operation.SH1ADD_UW,
                    Operation.SH2ADD_UW,
                    Operation.SH3ADD_UW,
                    Operation.SLLI_UW ->
                    shiftAndAdd();
            case Operation.MAX, Operation.MAXU, Operation.MIN, Operation.MINU -> choose();
            case Operation.ROL,
                    Operation.ROR,
                    Operation.RORI,
                    Operation.ROLW,
                    Operation.RORW,
                    Operation.RORIW ->
                    rotate();
            case Operation.BCLR,
                    Operation.BCLRI,
                    Operation.BEXT,
                    Operation.BEXTI,
                    Operation.BINV,
                    Operation.BINVI,
                    Operation.BSET,
                    Operation.BSETI ->
                    bit();
            default -> unary();
        }
    }

    private long immediate() {
        return Decoded.immediate(instruction);
    }

    private int operation() {
        return Decoded.operation(instruction);
    }

    private CodeBuilder a() {
        registers.load(Decoded.rs1(instruction));
        return builder;
    }

    private CodeBuilder b() {
        registers.load(Decoded.rs2(instruction));
        return builder;
    }

    private CodeBuilder unsigned() {
        return a().loadConstant(0xffff_ffffL).land();
    }

    private void linear() {
        a();
        switch (operation()) {
            case Operation.ADD -> b().ladd();
            case Operation.SUB -> b().lsub();
            case Operation.MUL -> b().lmul();
            default -> {
                if (immediate() != 0) {
                    builder.loadConstant(immediate()).ladd();
                }
            }
        }
    }

    private void logicalImmediate() {
        a().loadConstant(immediate());
        switch (operation()) {
            case Operation.XORI -> builder.lxor();
            case Operation.ORI -> builder.lor();
            default -> builder.land();
        }
    }

    private void logical() {
        a();
        b();
        switch (operation()) {
            case Operation.XOR -> builder.lxor();
            case Operation.OR -> builder.lor();
            default -> builder.land();
        }
    }

    private void negated() {
        a();
        b().loadConstant(-1L).lxor();
        switch (operation()) {
            case Operation.ANDN -> builder.land();
            case Operation.ORN -> builder.lor();
            default -> builder.lxor();
        }
    }

    private void compare() {
        a();
        switch (operation()) {
            case Operation.SLTI, Operation.SLTIU -> builder.loadConstant(immediate());
            default -> b();
        }
        boolean signed = operation() == Operation.SLTI || operation() == Operation.SLT;
        builder.invokestatic(ARITHMETIC, signed ? "less" : "lessUnsigned", J_JJ);
    }

    private void word() {
        a().l2i();
        switch (operation()) {
            case Operation.ADDIW -> {
                if (immediate() != 0) {
                    builder.loadConstant((int) immediate()).iadd();
                }
            }
            case Operation.ADDW -> b().l2i().iadd();
            case Operation.SUBW -> b().l2i().isub();
            default -> b().l2i().imul();
        }
        builder.i2l();
    }

    private void shift() {
        a();
        switch (operation()) {
            case Operation.SLLI, Operation.SRLI, Operation.SRAI ->
                    builder.loadConstant((int) immediate() & DOUBLE_SHIFTS);
            default -> b().l2i();
        }
        switch (operation()) {
            case Operation.SLLI, Operation.SLL -> builder.lshl();
            case Operation.SRLI, Operation.SRL -> builder.lushr();
            default -> builder.lshr();
        }
    }

    private void shiftWord() {
        a().l2i();
        switch (operation()) {
            case Operation.SLLIW, Operation.SRLIW, Operation.SRAIW ->
                    builder.loadConstant((int) immediate() & WORD_SHIFTS);
            default -> b().l2i();
        }
        switch (operation()) {
            case Operation.SLLIW, Operation.SLLW -> builder.ishl();
            case Operation.SRLIW, Operation.SRLW -> builder.iushr();
            default -> builder.ishr();
        }
        builder.i2l();
    }

    private void divide() {
        a();
        b();
        builder.invokestatic(ARITHMETIC, division(), J_JJ);
    }

    private void divideWord() {
        a().l2i();
        b().l2i().invokestatic(ARITHMETIC, division(), I_II).i2l();
    }

    private String division() {
        return switch (operation()) {
            case Operation.DIV, Operation.DIVW -> "divide";
            case Operation.DIVU, Operation.DIVUW -> "divideUnsigned";
            case Operation.REM, Operation.REMW -> "remainder";
            default -> "remainderUnsigned";
        };
    }

    private void multiplyHigh() {
        a();
        b();
        switch (operation()) {
            case Operation.MULH -> builder.invokestatic(MATH, "multiplyHigh", J_JJ);
            case Operation.MULHU -> builder.invokestatic(MATH, "unsignedMultiplyHigh", J_JJ);
            default -> builder.invokestatic(ARITHMETIC, "multiplyHighSignedUnsigned", J_JJ);
        }
    }

    private void shiftAndAdd() {
        switch (operation()) {
            case Operation.SLLI_UW -> {
                unsigned().loadConstant((int) immediate()).lshl();
                return;
            }
            case Operation.ADD_UW -> unsigned();
            case Operation.SH1ADD -> a().loadConstant(1).lshl();
            case Operation.SH2ADD -> a().loadConstant(2).lshl();
            case Operation.SH3ADD -> a().loadConstant(3).lshl();
            case Operation.SH1ADD_UW -> unsigned().loadConstant(1).lshl();
            case Operation.SH2ADD_UW -> unsigned().loadConstant(2).lshl();
            default -> unsigned().loadConstant(3).lshl();
        }
        b().ladd();
    }

    private void choose() {
        a();
        b();
        switch (operation()) {
            case Operation.MAX -> builder.invokestatic(MATH, "max", J_JJ);
            case Operation.MIN -> builder.invokestatic(MATH, "min", J_JJ);
            case Operation.MAXU -> builder.invokestatic(ARITHMETIC, "maxUnsigned", J_JJ);
            default -> builder.invokestatic(ARITHMETIC, "minUnsigned", J_JJ);
        }
    }

    private void rotate() {
        a();
        switch (operation()) {
            case Operation.RORI -> builder.loadConstant((int) immediate());
            case Operation.RORIW -> builder.l2i().loadConstant((int) immediate());
            case Operation.ROL, Operation.ROR -> b().l2i();
            default -> {
                builder.l2i();
                b().l2i();
            }
        }
        switch (operation()) {
            case Operation.ROL -> builder.invokestatic(LONG, "rotateLeft", J_JI);
            case Operation.ROR, Operation.RORI -> builder.invokestatic(LONG, "rotateRight", J_JI);
            case Operation.ROLW -> builder.invokestatic(INTEGER, "rotateLeft", I_II).i2l();
            default -> builder.invokestatic(INTEGER, "rotateRight", I_II).i2l();
        }
    }

    private void bit() {
        a();
        switch (operation()) {
            case Operation.BEXT -> b().l2i().lushr().loadConstant(1L).land();
            case Operation.BEXTI ->
                    builder.loadConstant((int) immediate()).lushr().loadConstant(1L).land();
            case Operation.BCLR -> bitOfB().loadConstant(-1L).lxor().land();
            case Operation.BINV -> bitOfB().lxor();
            case Operation.BSET -> bitOfB().lor();
            case Operation.BCLRI -> builder.loadConstant(~(1L << immediate())).land();
            case Operation.BINVI -> builder.loadConstant(1L << immediate()).lxor();
            default -> builder.loadConstant(1L << immediate()).lor();
        }
    }

    private CodeBuilder bitOfB() {
        builder.loadConstant(1L);
        return b().l2i().lshl();
    }

    private void unary() {
        a();
        switch (operation()) {
            case Operation.ZEXT_H -> builder.loadConstant(0xffffL).land();
            case Operation.CLZ -> builder.invokestatic(LONG, "numberOfLeadingZeros", I_J).i2l();
            case Operation.CTZ -> builder.invokestatic(LONG, "numberOfTrailingZeros", I_J).i2l();
            case Operation.CPOP -> builder.invokestatic(LONG, "bitCount", I_J).i2l();
            case Operation.SEXT_B -> builder.l2i().i2b().i2l();
            case Operation.SEXT_H -> builder.l2i().i2s().i2l();
            case Operation.CLZW -> ofWord("numberOfLeadingZeros");
            case Operation.CTZW -> ofWord("numberOfTrailingZeros");
            case Operation.CPOPW -> ofWord("bitCount");
            case Operation.ORC_B -> builder.invokestatic(ARITHMETIC, "orBytes", J_J);
            case Operation.REV8 -> builder.invokestatic(LONG, "reverseBytes", J_J);
            default ->
                    throw new IllegalArgumentException(
                            "Operation %d does not only compute".formatted(operation()));
        }
    }

    private void ofWord(String name) {
        builder.l2i().invokestatic(INTEGER, name, I_I).i2l();
    }
}
