package dev.outboard.dpa.debug;

/// What gdb has to know of a hart: its registers.
final class GdbDescription {
    private static final String[] NAMES = {
        "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "fp", "s1", "a0", "a1", "a2", "a3", "a4",
        "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
        "t5", "t6"
    };

    private GdbDescription() {}

    static String text() {
        StringBuilder text =
                new StringBuilder(
                        """
                        <?xml version="1.0"?>
                        <!DOCTYPE target SYSTEM "gdb-target.dtd">
                        <target version="1.0">
                        <architecture>riscv:rv64</architecture>
                        <feature name="org.gnu.gdb.riscv.cpu">
                        """);
        for (String name : NAMES) {
            text.append(
                    "<reg name=\"%s\" bitsize=\"64\" type=\"%s\"/>\n".formatted(name, type(name)));
        }
        return text.append(
                        "<reg name=\"pc\" bitsize=\"64\" type=\"code_ptr\"/>\n</feature>\n</target>\n")
                .toString();
    }

    private static String type(String name) {
        return switch (name) {
            case "ra" -> "code_ptr";
            case "sp", "fp", "tp", "gp" -> "data_ptr";
            default -> "int";
        };
    }
}
