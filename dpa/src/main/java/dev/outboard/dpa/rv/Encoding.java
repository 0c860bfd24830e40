package dev.outboard.dpa.rv;

// Made of instructions.txt by DecodingTest.

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// The instructions by their bits. The first that fits holds.
enum Encoding {
    ILLEGAL("", 0, 0, Operation.ILLEGAL, Form.FIXED),
    LUI("lui", 0x7f, 0x37, Operation.LUI, Form.U),
    AUIPC("auipc", 0x7f, 0x17, Operation.AUIPC, Form.U),
    JAL("jal", 0x7f, 0x6f, Operation.JAL, Form.J),
    JALR("jalr", 0x707f, 0x67, Operation.JALR, Form.LOAD),
    BEQ("beq", 0x707f, 0x63, Operation.BEQ, Form.BRANCH),
    BNE("bne", 0x707f, 0x1063, Operation.BNE, Form.BRANCH),
    BLT("blt", 0x707f, 0x4063, Operation.BLT, Form.BRANCH),
    BGE("bge", 0x707f, 0x5063, Operation.BGE, Form.BRANCH),
    BLTU("bltu", 0x707f, 0x6063, Operation.BLTU, Form.BRANCH),
    BGEU("bgeu", 0x707f, 0x7063, Operation.BGEU, Form.BRANCH),
    LB("lb", 0x707f, 0x3, Operation.LB, Form.LOAD),
    LH("lh", 0x707f, 0x1003, Operation.LH, Form.LOAD),
    LW("lw", 0x707f, 0x2003, Operation.LW, Form.LOAD),
    LD("ld", 0x707f, 0x3003, Operation.LD, Form.LOAD),
    LBU("lbu", 0x707f, 0x4003, Operation.LBU, Form.LOAD),
    LHU("lhu", 0x707f, 0x5003, Operation.LHU, Form.LOAD),
    LWU("lwu", 0x707f, 0x6003, Operation.LWU, Form.LOAD),
    SB("sb", 0x707f, 0x23, Operation.SB, Form.STORE),
    SH("sh", 0x707f, 0x1023, Operation.SH, Form.STORE),
    SW("sw", 0x707f, 0x2023, Operation.SW, Form.STORE),
    SD("sd", 0x707f, 0x3023, Operation.SD, Form.STORE),
    ADDI("addi", 0x707f, 0x13, Operation.ADDI, Form.I),
    SLTI("slti", 0x707f, 0x2013, Operation.SLTI, Form.I),
    SLTIU("sltiu", 0x707f, 0x3013, Operation.SLTIU, Form.I),
    XORI("xori", 0x707f, 0x4013, Operation.XORI, Form.I),
    ORI("ori", 0x707f, 0x6013, Operation.ORI, Form.I),
    ANDI("andi", 0x707f, 0x7013, Operation.ANDI, Form.I),
    SLLI("slli", 0xfc00707f, 0x1013, Operation.SLLI, Form.SHIFT),
    SRLI("srli", 0xfc00707f, 0x5013, Operation.SRLI, Form.SHIFT),
    SRAI("srai", 0xfc00707f, 0x40005013, Operation.SRAI, Form.SHIFT),
    ADD("add", 0xfe00707f, 0x33, Operation.ADD, Form.R),
    SUB("sub", 0xfe00707f, 0x40000033, Operation.SUB, Form.R),
    SLL("sll", 0xfe00707f, 0x1033, Operation.SLL, Form.R),
    SLT("slt", 0xfe00707f, 0x2033, Operation.SLT, Form.R),
    SLTU("sltu", 0xfe00707f, 0x3033, Operation.SLTU, Form.R),
    XOR("xor", 0xfe00707f, 0x4033, Operation.XOR, Form.R),
    SRL("srl", 0xfe00707f, 0x5033, Operation.SRL, Form.R),
    SRA("sra", 0xfe00707f, 0x40005033, Operation.SRA, Form.R),
    OR("or", 0xfe00707f, 0x6033, Operation.OR, Form.R),
    AND("and", 0xfe00707f, 0x7033, Operation.AND, Form.R),
    ADDIW("addiw", 0x707f, 0x1b, Operation.ADDIW, Form.I),
    SLLIW("slliw", 0xfe00707f, 0x101b, Operation.SLLIW, Form.SHIFTW),
    SRLIW("srliw", 0xfe00707f, 0x501b, Operation.SRLIW, Form.SHIFTW),
    SRAIW("sraiw", 0xfe00707f, 0x4000501b, Operation.SRAIW, Form.SHIFTW),
    ADDW("addw", 0xfe00707f, 0x3b, Operation.ADDW, Form.R),
    SUBW("subw", 0xfe00707f, 0x4000003b, Operation.SUBW, Form.R),
    SLLW("sllw", 0xfe00707f, 0x103b, Operation.SLLW, Form.R),
    SRLW("srlw", 0xfe00707f, 0x503b, Operation.SRLW, Form.R),
    SRAW("sraw", 0xfe00707f, 0x4000503b, Operation.SRAW, Form.R),
    FENCE_TSO("fence.tso", 0xfff0707f, 0x8330000f, Operation.FENCE, Form.FIXED),
    FENCE("fence", 0x707f, 0xf, Operation.FENCE, Form.FENCE),
    FENCE_I("fence.i", 0x707f, 0x100f, Operation.FENCE_I, Form.FIXED),
    ECALL("ecall", 0xffffffff, 0x73, Operation.ECALL, Form.FIXED),
    EBREAK("ebreak", 0xffffffff, 0x100073, Operation.EBREAK, Form.FIXED),
    MUL("mul", 0xfe00707f, 0x2000033, Operation.MUL, Form.R),
    MULH("mulh", 0xfe00707f, 0x2001033, Operation.MULH, Form.R),
    MULHSU("mulhsu", 0xfe00707f, 0x2002033, Operation.MULHSU, Form.R),
    MULHU("mulhu", 0xfe00707f, 0x2003033, Operation.MULHU, Form.R),
    DIV("div", 0xfe00707f, 0x2004033, Operation.DIV, Form.R),
    DIVU("divu", 0xfe00707f, 0x2005033, Operation.DIVU, Form.R),
    REM("rem", 0xfe00707f, 0x2006033, Operation.REM, Form.R),
    REMU("remu", 0xfe00707f, 0x2007033, Operation.REMU, Form.R),
    MULW("mulw", 0xfe00707f, 0x200003b, Operation.MULW, Form.R),
    DIVW("divw", 0xfe00707f, 0x200403b, Operation.DIVW, Form.R),
    DIVUW("divuw", 0xfe00707f, 0x200503b, Operation.DIVUW, Form.R),
    REMW("remw", 0xfe00707f, 0x200603b, Operation.REMW, Form.R),
    REMUW("remuw", 0xfe00707f, 0x200703b, Operation.REMUW, Form.R),
    LR_W("lr.w", 0xf9f0707f, 0x1000202f, Operation.LR_W, Form.LR),
    SC_W("sc.w", 0xf800707f, 0x1800202f, Operation.SC_W, Form.AMO),
    AMOSWAP_W("amoswap.w", 0xf800707f, 0x800202f, Operation.AMOSWAP_W, Form.AMO),
    AMOADD_W("amoadd.w", 0xf800707f, 0x202f, Operation.AMOADD_W, Form.AMO),
    AMOXOR_W("amoxor.w", 0xf800707f, 0x2000202f, Operation.AMOXOR_W, Form.AMO),
    AMOAND_W("amoand.w", 0xf800707f, 0x6000202f, Operation.AMOAND_W, Form.AMO),
    AMOOR_W("amoor.w", 0xf800707f, 0x4000202f, Operation.AMOOR_W, Form.AMO),
    AMOMIN_W("amomin.w", 0xf800707f, 0x8000202f, Operation.AMOMIN_W, Form.AMO),
    AMOMAX_W("amomax.w", 0xf800707f, 0xa000202f, Operation.AMOMAX_W, Form.AMO),
    AMOMINU_W("amominu.w", 0xf800707f, 0xc000202f, Operation.AMOMINU_W, Form.AMO),
    AMOMAXU_W("amomaxu.w", 0xf800707f, 0xe000202f, Operation.AMOMAXU_W, Form.AMO),
    LR_D("lr.d", 0xf9f0707f, 0x1000302f, Operation.LR_D, Form.LR),
    SC_D("sc.d", 0xf800707f, 0x1800302f, Operation.SC_D, Form.AMO),
    AMOSWAP_D("amoswap.d", 0xf800707f, 0x800302f, Operation.AMOSWAP_D, Form.AMO),
    AMOADD_D("amoadd.d", 0xf800707f, 0x302f, Operation.AMOADD_D, Form.AMO),
    AMOXOR_D("amoxor.d", 0xf800707f, 0x2000302f, Operation.AMOXOR_D, Form.AMO),
    AMOAND_D("amoand.d", 0xf800707f, 0x6000302f, Operation.AMOAND_D, Form.AMO),
    AMOOR_D("amoor.d", 0xf800707f, 0x4000302f, Operation.AMOOR_D, Form.AMO),
    AMOMIN_D("amomin.d", 0xf800707f, 0x8000302f, Operation.AMOMIN_D, Form.AMO),
    AMOMAX_D("amomax.d", 0xf800707f, 0xa000302f, Operation.AMOMAX_D, Form.AMO),
    AMOMINU_D("amominu.d", 0xf800707f, 0xc000302f, Operation.AMOMINU_D, Form.AMO),
    AMOMAXU_D("amomaxu.d", 0xf800707f, 0xe000302f, Operation.AMOMAXU_D, Form.AMO),
    CSRRW("csrrw", 0x707f, 0x1073, Operation.CSRRW, Form.CSR),
    CSRRS("csrrs", 0x707f, 0x2073, Operation.CSRRS, Form.CSR),
    CSRRC("csrrc", 0x707f, 0x3073, Operation.CSRRC, Form.CSR),
    CSRRWI("csrrwi", 0x707f, 0x5073, Operation.CSRRWI, Form.CSRI),
    CSRRSI("csrrsi", 0x707f, 0x6073, Operation.CSRRSI, Form.CSRI),
    CSRRCI("csrrci", 0x707f, 0x7073, Operation.CSRRCI, Form.CSRI),
    ADD_UW("add.uw", 0xfe00707f, 0x800003b, Operation.ADD_UW, Form.R),
    SH1ADD("sh1add", 0xfe00707f, 0x20002033, Operation.SH1ADD, Form.R),
    SH2ADD("sh2add", 0xfe00707f, 0x20004033, Operation.SH2ADD, Form.R),
    SH3ADD("sh3add", 0xfe00707f, 0x20006033, Operation.SH3ADD, Form.R),
    SH1ADD_UW("sh1add.uw", 0xfe00707f, 0x2000203b, Operation.SH1ADD_UW, Form.R),
    SH2ADD_UW("sh2add.uw", 0xfe00707f, 0x2000403b, Operation.SH2ADD_UW, Form.R),
    SH3ADD_UW("sh3add.uw", 0xfe00707f, 0x2000603b, Operation.SH3ADD_UW, Form.R),
    SLLI_UW("slli.uw", 0xfc00707f, 0x800101b, Operation.SLLI_UW, Form.SHIFT),
    ZEXT_H("zext.h", 0xfff0707f, 0x800403b, Operation.ZEXT_H, Form.UNARY),
    ANDN("andn", 0xfe00707f, 0x40007033, Operation.ANDN, Form.R),
    ORN("orn", 0xfe00707f, 0x40006033, Operation.ORN, Form.R),
    XNOR("xnor", 0xfe00707f, 0x40004033, Operation.XNOR, Form.R),
    CLZ("clz", 0xfff0707f, 0x60001013, Operation.CLZ, Form.UNARY),
    CTZ("ctz", 0xfff0707f, 0x60101013, Operation.CTZ, Form.UNARY),
    CPOP("cpop", 0xfff0707f, 0x60201013, Operation.CPOP, Form.UNARY),
    SEXT_B("sext.b", 0xfff0707f, 0x60401013, Operation.SEXT_B, Form.UNARY),
    SEXT_H("sext.h", 0xfff0707f, 0x60501013, Operation.SEXT_H, Form.UNARY),
    CLZW("clzw", 0xfff0707f, 0x6000101b, Operation.CLZW, Form.UNARY),
    CTZW("ctzw", 0xfff0707f, 0x6010101b, Operation.CTZW, Form.UNARY),
    CPOPW("cpopw", 0xfff0707f, 0x6020101b, Operation.CPOPW, Form.UNARY),
    MAX("max", 0xfe00707f, 0xa006033, Operation.MAX, Form.R),
    MAXU("maxu", 0xfe00707f, 0xa007033, Operation.MAXU, Form.R),
    MIN("min", 0xfe00707f, 0xa004033, Operation.MIN, Form.R),
    MINU("minu", 0xfe00707f, 0xa005033, Operation.MINU, Form.R),
    ROL("rol", 0xfe00707f, 0x60001033, Operation.ROL, Form.R),
    ROR("ror", 0xfe00707f, 0x60005033, Operation.ROR, Form.R),
    RORI("rori", 0xfc00707f, 0x60005013, Operation.RORI, Form.SHIFT),
    ROLW("rolw", 0xfe00707f, 0x6000103b, Operation.ROLW, Form.R),
    RORW("rorw", 0xfe00707f, 0x6000503b, Operation.RORW, Form.R),
    RORIW("roriw", 0xfe00707f, 0x6000501b, Operation.RORIW, Form.SHIFTW),
    ORC_B("orc.b", 0xfff0707f, 0x28705013, Operation.ORC_B, Form.UNARY),
    REV8("rev8", 0xfff0707f, 0x6b805013, Operation.REV8, Form.UNARY),
    BCLR("bclr", 0xfe00707f, 0x48001033, Operation.BCLR, Form.R),
    BCLRI("bclri", 0xfc00707f, 0x48001013, Operation.BCLRI, Form.SHIFT),
    BEXT("bext", 0xfe00707f, 0x48005033, Operation.BEXT, Form.R),
    BEXTI("bexti", 0xfc00707f, 0x48005013, Operation.BEXTI, Form.SHIFT),
    BINV("binv", 0xfe00707f, 0x68001033, Operation.BINV, Form.R),
    BINVI("binvi", 0xfc00707f, 0x68001013, Operation.BINVI, Form.SHIFT),
    BSET("bset", 0xfe00707f, 0x28001033, Operation.BSET, Form.R),
    BSETI("bseti", 0xfc00707f, 0x28001013, Operation.BSETI, Form.SHIFT),
    RESERVED_136("", 0xffcfffff, 0x100b, Operation.ILLEGAL, Form.FIXED),
    RESERVED_137("", 0xff3fffff, 0x100b, Operation.ILLEGAL, Form.FIXED),
    DPA_HEAP_FENCE("dpa.heap_fence", 0xff0fffff, 0x100b, Operation.DPA_HEAP_FENCE, Form.HEAP),
    DPA_MEMORY_WRITEBACK(
            "dpa.memory_writeback",
            0xffffffff,
            0x10200b,
            Operation.DPA_MEMORY_WRITEBACK,
            Form.FIXED),
    DPA_WINDOW_WRITEBACK(
            "dpa.window_writeback",
            0xffffffff,
            0x20200b,
            Operation.DPA_WINDOW_WRITEBACK,
            Form.FIXED),
    DPA_WINDOW_READ_INV(
            "dpa.window_read_inv", 0xffffffff, 0x30200b, Operation.DPA_WINDOW_READ_INV, Form.FIXED),
    DPA_FXP_LOG2("dpa.fxp_log2", 0xfff0707f, 0x2b, Operation.DPA_FXP_LOG2, Form.UNARY),
    DPA_FXP_RCP("dpa.fxp_rcp", 0xfff0707f, 0x200002b, Operation.DPA_FXP_RCP, Form.UNARY),
    DPA_FXP_POW2("dpa.fxp_pow2", 0xfff0707f, 0x400002b, Operation.DPA_FXP_POW2, Form.UNARY),
    RESERVED_145("", 0xffe3, 0x0, Operation.ILLEGAL, Form.FIXED),
    C_ADDI4SPN("c.addi4spn", 0xe003, 0x0, Operation.ADDI, Form.C4SPN),
    C_LW("c.lw", 0xe003, 0x4000, Operation.LW, Form.CLW),
    C_LD("c.ld", 0xe003, 0x6000, Operation.LD, Form.CLD),
    C_SW("c.sw", 0xe003, 0xc000, Operation.SW, Form.CSW),
    C_SD("c.sd", 0xe003, 0xe000, Operation.SD, Form.CSD),
    C_NOP("c.nop", 0xffff, 0x1, Operation.ADDI, Form.CNOP),
    C_ADDI("c.addi", 0xe003, 0x1, Operation.ADDI, Form.CI),
    RESERVED_153("", 0xef83, 0x2001, Operation.ILLEGAL, Form.FIXED),
    C_ADDIW("c.addiw", 0xe003, 0x2001, Operation.ADDIW, Form.CI),
    C_LI("c.li", 0xe003, 0x4001, Operation.ADDI, Form.CLI),
    RESERVED_156("", 0xf07f, 0x6001, Operation.ILLEGAL, Form.FIXED),
    C_ADDI16SP("c.addi16sp", 0xef83, 0x6101, Operation.ADDI, Form.C16SP),
    C_LUI("c.lui", 0xe003, 0x6001, Operation.LUI, Form.CLUI),
    C_SRLI("c.srli", 0xec03, 0x8001, Operation.SRLI, Form.CSHIFTB),
    C_SRAI("c.srai", 0xec03, 0x8401, Operation.SRAI, Form.CSHIFTB),
    C_ANDI("c.andi", 0xec03, 0x8801, Operation.ANDI, Form.CANDI),
    C_SUB("c.sub", 0xfc63, 0x8c01, Operation.SUB, Form.CA),
    C_XOR("c.xor", 0xfc63, 0x8c21, Operation.XOR, Form.CA),
    C_OR("c.or", 0xfc63, 0x8c41, Operation.OR, Form.CA),
    C_AND("c.and", 0xfc63, 0x8c61, Operation.AND, Form.CA),
    C_SUBW("c.subw", 0xfc63, 0x9c01, Operation.SUBW, Form.CA),
    C_ADDW("c.addw", 0xfc63, 0x9c21, Operation.ADDW, Form.CA),
    C_J("c.j", 0xe003, 0xa001, Operation.JAL, Form.CJ),
    C_BEQZ("c.beqz", 0xe003, 0xc001, Operation.BEQ, Form.CB),
    C_BNEZ("c.bnez", 0xe003, 0xe001, Operation.BNE, Form.CB),
    C_SLLI("c.slli", 0xe003, 0x2, Operation.SLLI, Form.CSHIFT),
    RESERVED_172("", 0xef83, 0x4002, Operation.ILLEGAL, Form.FIXED),
    C_LWSP("c.lwsp", 0xe003, 0x4002, Operation.LW, Form.CLWSP),
    RESERVED_174("", 0xef83, 0x6002, Operation.ILLEGAL, Form.FIXED),
    C_LDSP("c.ldsp", 0xe003, 0x6002, Operation.LD, Form.CLDSP),
    RESERVED_176("", 0xffff, 0x8002, Operation.ILLEGAL, Form.FIXED),
    C_JR("c.jr", 0xf07f, 0x8002, Operation.JALR, Form.CJR),
    C_MV("c.mv", 0xf003, 0x8002, Operation.ADD, Form.CMV),
    C_EBREAK("c.ebreak", 0xffff, 0x9002, Operation.EBREAK, Form.FIXED),
    C_JALR("c.jalr", 0xf07f, 0x9002, Operation.JALR, Form.CJALR),
    C_ADD("c.add", 0xf003, 0x9002, Operation.ADD, Form.CR),
    C_SWSP("c.swsp", 0xe003, 0xc002, Operation.SW, Form.CSWSP),
    C_SDSP("c.sdsp", 0xe003, 0xe002, Operation.SD, Form.CSDSP);

    private static final List<List<Encoding>> BY_OPCODE =
            new ArrayList<>(Collections.nCopies(256, List.of()));

    static {
        for (Encoding encoding : values()) {
            if (encoding != ILLEGAL) {
                List<Encoding> same = new ArrayList<>(BY_OPCODE.get(opcode(encoding.value)));
                same.add(encoding);
                BY_OPCODE.set(opcode(encoding.value), List.copyOf(same));
            }
        }
    }

    final String mnemonic;
    private final int mask;
    private final int value;
    final int operation;
    final Form form;

    Encoding(String mnemonic, int mask, int value, int operation, Form form) {
        this.mnemonic = mnemonic;
        this.mask = mask;
        this.value = value;
        this.operation = operation;
        this.form = form;
    }

    /// The instruction that has these bits; of a short one the upper ones are 0.
    static Encoding of(int bits) {
        for (Encoding encoding : BY_OPCODE.get(opcode(bits))) {
            if ((bits & encoding.mask) == encoding.value) {
                return encoding;
            }
        }
        return ILLEGAL;
    }

    /// Of a long instruction its low seven bits; of a short one its low two and its high three.
    private static int opcode(int bits) {
        return (bits & 3) == 3 ? bits & 0x7f : 0x80 | ((bits >>> 11) & 0x1c) | (bits & 3);
    }
}
