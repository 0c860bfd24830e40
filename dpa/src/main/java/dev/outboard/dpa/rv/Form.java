package dev.outboard.dpa.rv;

// Made of instructions.txt by DecodingTest.

/// Where an instruction has its operands, and how people write them.
enum Form {
    R("rd, rs1, rs2"),
    UNARY("rd, rs1"),
    I("rd, rs1, imm"),
    LOAD("rd, imm(rs1)"),
    STORE("rs2, imm(rs1)"),
    BRANCH("rs1, rs2, target"),
    U("rd, upper"),
    J("rd, target"),
    SHIFT("rd, rs1, imm"),
    SHIFTW("rd, rs1, imm"),
    AMO("rd, rs2, (rs1)"),
    LR("rd, (rs1)"),
    CSR("rd, csr, rs1"),
    CSRI("rd, csr, zimm"),
    FENCE("before, after"),
    FIXED(""),
    HEAP("heap"),
    CI("rd, imm"),
    CLI("rd, imm"),
    CLUI("rd, upper"),
    CNOP(""),
    C16SP("rd, imm"),
    C4SPN("rd, rs1, imm"),
    CSHIFT("rd, imm"),
    CSHIFTB("rd, imm"),
    CANDI("rd, imm"),
    CR("rd, rs2"),
    CMV("rd, rs2"),
    CA("rd, rs2"),
    CLW("rd, imm(rs1)"),
    CLD("rd, imm(rs1)"),
    CSW("rs2, imm(rs1)"),
    CSD("rs2, imm(rs1)"),
    CLWSP("rd, imm(rs1)"),
    CLDSP("rd, imm(rs1)"),
    CSWSP("rs2, imm(rs1)"),
    CSDSP("rs2, imm(rs1)"),
    CJ("target"),
    CB("rs1, target"),
    CJR("rs1"),
    CJALR("rs1");

    final String text;

    Form(String text) {
        this.text = text;
    }

    /// The operands of an instruction.
    long operands(int bits) {
        return switch (this) {
            case R -> Decoded.operands(five(bits, 7), five(bits, 15), five(bits, 20), 0);
            case UNARY -> Decoded.operands(five(bits, 7), five(bits, 15), 0, 0);
            case I -> Decoded.operands(five(bits, 7), five(bits, 15), 0, immediateI(bits));
            case LOAD -> Decoded.operands(five(bits, 7), five(bits, 15), 0, immediateI(bits));
            case STORE -> Decoded.operands(0, five(bits, 15), five(bits, 20), immediateS(bits));
            case BRANCH -> Decoded.operands(0, five(bits, 15), five(bits, 20), immediateB(bits));
            case U -> Decoded.operands(five(bits, 7), 0, 0, immediateU(bits));
            case J -> Decoded.operands(five(bits, 7), 0, 0, immediateJ(bits));
            case SHIFT -> Decoded.operands(five(bits, 7), five(bits, 15), 0, immediateSh6(bits));
            case SHIFTW -> Decoded.operands(five(bits, 7), five(bits, 15), 0, immediateSh5(bits));
            case AMO ->
                    Decoded.operands(
                            five(bits, 7), five(bits, 15), five(bits, 20), immediateOrder(bits));
            case LR -> Decoded.operands(five(bits, 7), five(bits, 15), 0, immediateOrder(bits));
            case CSR -> Decoded.operands(five(bits, 7), five(bits, 15), 0, immediateI12(bits));
            case CSRI -> Decoded.operands(five(bits, 7), five(bits, 15), 0, immediateI12(bits));
            case FENCE -> Decoded.operands(0, 0, 0, immediateI12(bits));
            case FIXED -> Decoded.operands(0, 0, 0, immediateI12(bits));
            case HEAP -> Decoded.operands(0, 0, 0, immediateOps(bits));
            case CI -> Decoded.operands(five(bits, 7), five(bits, 7), 0, immediateCi(bits));
            case CLI -> Decoded.operands(five(bits, 7), 0, 0, immediateCi(bits));
            case CLUI -> Decoded.operands(five(bits, 7), 0, 0, immediateClui(bits));
            case CNOP -> Decoded.operands(0, 0, 0, 0);
            case C16SP -> Decoded.operands(2, 2, 0, immediateC16sp(bits));
            case C4SPN -> Decoded.operands(three(bits, 2), 2, 0, immediateC4spn(bits));
            case CSHIFT -> Decoded.operands(five(bits, 7), five(bits, 7), 0, immediateCsh(bits));
            case CSHIFTB -> Decoded.operands(three(bits, 7), three(bits, 7), 0, immediateCsh(bits));
            case CANDI -> Decoded.operands(three(bits, 7), three(bits, 7), 0, immediateCi(bits));
            case CR -> Decoded.operands(five(bits, 7), five(bits, 7), five(bits, 2), 0);
            case CMV -> Decoded.operands(five(bits, 7), 0, five(bits, 2), 0);
            case CA -> Decoded.operands(three(bits, 7), three(bits, 7), three(bits, 2), 0);
            case CLW -> Decoded.operands(three(bits, 2), three(bits, 7), 0, immediateClw(bits));
            case CLD -> Decoded.operands(three(bits, 2), three(bits, 7), 0, immediateCld(bits));
            case CSW -> Decoded.operands(0, three(bits, 7), three(bits, 2), immediateClw(bits));
            case CSD -> Decoded.operands(0, three(bits, 7), three(bits, 2), immediateCld(bits));
            case CLWSP -> Decoded.operands(five(bits, 7), 2, 0, immediateClwsp(bits));
            case CLDSP -> Decoded.operands(five(bits, 7), 2, 0, immediateCldsp(bits));
            case CSWSP -> Decoded.operands(0, 2, five(bits, 2), immediateCswsp(bits));
            case CSDSP -> Decoded.operands(0, 2, five(bits, 2), immediateCsdsp(bits));
            case CJ -> Decoded.operands(0, 0, 0, immediateCj(bits));
            case CB -> Decoded.operands(0, three(bits, 7), 0, immediateCb(bits));
            case CJR -> Decoded.operands(0, five(bits, 7), 0, 0);
            case CJALR -> Decoded.operands(1, five(bits, 7), 0, 0);
        };
    }

    private static int five(int bits, int lowest) {
        return (bits >>> lowest) & 31;
    }

    private static int three(int bits, int lowest) {
        return 8 + ((bits >>> lowest) & 7);
    }

    private static int immediateI(int bits) {
        return (((bits >>> 20) & 0xfff) << 20) >> 20;
    }

    private static int immediateS(int bits) {
        return (((((bits >>> 25) & 0x7f) << 5) | ((bits >>> 7) & 0x1f)) << 20) >> 20;
    }

    private static int immediateB(int bits) {
        return (((((bits >>> 31) & 0x1) << 12)
                                | (((bits >>> 25) & 0x3f) << 5)
                                | (((bits >>> 8) & 0xf) << 1)
                                | (((bits >>> 7) & 0x1) << 11))
                        << 19)
                >> 19;
    }

    private static int immediateU(int bits) {
        return ((bits >>> 12) & 0xfffff) << 12;
    }

    private static int immediateJ(int bits) {
        return (((((bits >>> 31) & 0x1) << 20)
                                | (((bits >>> 21) & 0x3ff) << 1)
                                | (((bits >>> 20) & 0x1) << 11)
                                | (((bits >>> 12) & 0xff) << 12))
                        << 11)
                >> 11;
    }

    private static int immediateI12(int bits) {
        return (bits >>> 20) & 0xfff;
    }

    private static int immediateSh6(int bits) {
        return (bits >>> 20) & 0x3f;
    }

    private static int immediateSh5(int bits) {
        return (bits >>> 20) & 0x1f;
    }

    private static int immediateOrder(int bits) {
        return (bits >>> 25) & 0x3;
    }

    private static int immediateOps(int bits) {
        return (bits >>> 20) & 0xf;
    }

    private static int immediateCi(int bits) {
        return (((((bits >>> 12) & 0x1) << 5) | ((bits >>> 2) & 0x1f)) << 26) >> 26;
    }

    private static int immediateCsh(int bits) {
        return (((bits >>> 12) & 0x1) << 5) | ((bits >>> 2) & 0x1f);
    }

    private static int immediateClui(int bits) {
        return (((((bits >>> 12) & 0x1) << 17) | (((bits >>> 2) & 0x1f) << 12)) << 14) >> 14;
    }

    private static int immediateC16sp(int bits) {
        return (((((bits >>> 12) & 0x1) << 9)
                                | (((bits >>> 6) & 0x1) << 4)
                                | (((bits >>> 5) & 0x1) << 6)
                                | (((bits >>> 3) & 0x3) << 7)
                                | (((bits >>> 2) & 0x1) << 5))
                        << 22)
                >> 22;
    }

    private static int immediateC4spn(int bits) {
        return (((bits >>> 11) & 0x3) << 4)
                | (((bits >>> 7) & 0xf) << 6)
                | (((bits >>> 6) & 0x1) << 2)
                | (((bits >>> 5) & 0x1) << 3);
    }

    private static int immediateClwsp(int bits) {
        return (((bits >>> 12) & 0x1) << 5)
                | (((bits >>> 4) & 0x7) << 2)
                | (((bits >>> 2) & 0x3) << 6);
    }

    private static int immediateCldsp(int bits) {
        return (((bits >>> 12) & 0x1) << 5)
                | (((bits >>> 5) & 0x3) << 3)
                | (((bits >>> 2) & 0x7) << 6);
    }

    private static int immediateCswsp(int bits) {
        return (((bits >>> 9) & 0xf) << 2) | (((bits >>> 7) & 0x3) << 6);
    }

    private static int immediateCsdsp(int bits) {
        return (((bits >>> 10) & 0x7) << 3) | (((bits >>> 7) & 0x7) << 6);
    }

    private static int immediateClw(int bits) {
        return (((bits >>> 10) & 0x7) << 3)
                | (((bits >>> 6) & 0x1) << 2)
                | (((bits >>> 5) & 0x1) << 6);
    }

    private static int immediateCld(int bits) {
        return (((bits >>> 10) & 0x7) << 3) | (((bits >>> 5) & 0x3) << 6);
    }

    private static int immediateCj(int bits) {
        return (((((bits >>> 12) & 0x1) << 11)
                                | (((bits >>> 11) & 0x1) << 4)
                                | (((bits >>> 9) & 0x3) << 8)
                                | (((bits >>> 8) & 0x1) << 10)
                                | (((bits >>> 7) & 0x1) << 6)
                                | (((bits >>> 6) & 0x1) << 7)
                                | (((bits >>> 3) & 0x7) << 1)
                                | (((bits >>> 2) & 0x1) << 5))
                        << 20)
                >> 20;
    }

    private static int immediateCb(int bits) {
        return (((((bits >>> 12) & 0x1) << 8)
                                | (((bits >>> 10) & 0x3) << 3)
                                | (((bits >>> 5) & 0x3) << 6)
                                | (((bits >>> 3) & 0x3) << 1)
                                | (((bits >>> 2) & 0x1) << 5))
                        << 23)
                >> 23;
    }
}
