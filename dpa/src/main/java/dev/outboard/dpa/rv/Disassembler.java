package dev.outboard.dpa.rv;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// DPA-RV-7: the text of an instruction, as `llvm-objdump -M no-aliases,numeric` writes it.
public final class Disassembler {
    private static final Pattern OPERAND = Pattern.compile("[a-z]+[12]?");
    private static final String[] ORDERS = {"", ".rl", ".aq", ".aqrl"};
    private static final String[] RIGHTS = {"?", "r", "w", "rw"};
    private static final String FENCED = "iorw";
    private static final int ZEROS_OF_UPPER = 12;
    private static final int CYCLE = 0xc00;
    private static final int TIME = 0xc01;
    private static final int RETIRED = 0xc02;

    private Disassembler() {}

    /// The text, with a blank between the name and its operands.
    ///
    /// @param bits of a short instruction the lower 16
    /// @param address where it is; branches name the address that they lead to
    public static String text(int bits, long address) {
        int own = Decoded.isLong(bits) ? bits : bits & 0xffff;
        Encoding encoding = Encoding.of(own);
        if (encoding.operation == Operation.ILLEGAL) {
            return Decoded.isLong(bits) ? "unknown 0x%08x".formatted(own) : ofShort(own);
        }
        long instruction = Decoded.of(bits);
        String name = encoding.mnemonic;
        if (encoding.form == Form.AMO || encoding.form == Form.LR) {
            name += ORDERS[Decoded.immediate(instruction)];
        }
        String operands =
                OPERAND.matcher(encoding.form.text)
                        .replaceAll(operand ->
                                Matcher.quoteReplacement(
                                        operand(operand.group(), instruction, address)));
        return operands.isEmpty() ? name : name + " " + operands;
    }

    private static String ofShort(int bits) {
        return bits == 0 ? "c.unimp" : "unknown 0x%04x".formatted(bits);
    }

    private static String operand(String operand, long instruction, long address) {
        int immediate = Decoded.immediate(instruction);
        return switch (operand) {
            case "rd" -> "x" + Decoded.rd(instruction) % Decoded.NOWHERE;
            case "rs1" -> "x" + Decoded.rs1(instruction);
            case "rs2" -> "x" + Decoded.rs2(instruction);
            case "target" -> "0x%x".formatted(address + immediate);
            case "upper" -> Integer.toString(immediate >>> ZEROS_OF_UPPER);
            case "csr" -> counter(immediate);
            case "zimm" -> Integer.toString(Decoded.rs1(instruction));
            case "before" -> fenced(immediate >> 4);
            case "after" -> fenced(immediate);
            case "heap" -> RIGHTS[immediate >> 2] + ", " + RIGHTS[immediate & 3];
            default -> Integer.toString(immediate);
        };
    }

    private static String counter(int number) {
        return switch (number) {
            case CYCLE -> "cycle";
            case TIME -> "time";
            case RETIRED -> "instret";
            default -> Integer.toString(number);
        };
    }

    private static String fenced(int bits) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < FENCED.length(); i++) {
            if ((bits & (8 >> i)) != 0) {
                text.append(FENCED.charAt(i));
            }
        }
        return text.isEmpty() ? "unknown" : text.toString();
    }
}
