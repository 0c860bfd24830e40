package dev.outboard.dpa.rv;

import java.io.ByteArrayOutputStream;

/// Code that a test puts together, instruction after instruction.
final class CodeBuffer {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /// Adds an instruction of 2 or 4 bytes.
    CodeBuffer add(int bits) {
        for (int i = 0; i < (Decoded.isLong(bits) ? Integer.BYTES : Short.BYTES); i++) {
            bytes.write(bits >>> (i * Byte.SIZE));
        }
        return this;
    }

    /// Adds two bytes, whatever they are.
    CodeBuffer addHalf(int bits) {
        bytes.write(bits);
        bytes.write(bits >>> Byte.SIZE);
        return this;
    }

    /// Adds what another one has.
    CodeBuffer addAll(CodeBuffer other) {
        bytes.writeBytes(other.toByteArray());
        return this;
    }

    /// Adds an instruction by its name; operands that it does not have are 0.
    CodeBuffer add(String name, int rd, int rs1, int rs2, int immediate) {
        return add(InstructionTable.TABLE.encode(name, rd, rs1, rs2, immediate));
    }

    /// `rd = rs1 op immediate`, and loads.
    CodeBuffer immediate(String name, int rd, int rs1, int immediate) {
        return add(name, rd, rs1, 0, immediate);
    }

    /// `rd = rs1 op rs2`.
    CodeBuffer registers(String name, int rd, int rs1, int rs2) {
        return add(name, rd, rs1, rs2, 0);
    }

    /// Stores and branches.
    CodeBuffer store(String name, int rs2, int immediate, int rs1) {
        return add(name, 0, rs1, rs2, immediate);
    }

    CodeBuffer ret() {
        return add("jalr", 0, RvHart.LINK, 0, 0);
    }

    int lengthBytes() {
        return bytes.size();
    }

    byte[] toByteArray() {
        return bytes.toByteArray();
    }
}
