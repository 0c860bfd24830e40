package dev.outboard.ccip.rtl;

import dev.outboard.ccip.rtl.RtlException.Reason;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A port of the top module of a design, and the list of those that an AFU has (CCI-P manual
/// 1.3.1).
///
/// @param direction `IN`, `OUT` or `INOUT`
/// @param bits its width
record Port(String direction, int bits) {
    private static final Map<String, Port> CCIP = new LinkedHashMap<>();

    static {
        for (String clock : List.of("pClk", "pClkDiv2", "pClkDiv4", "uClk_usr", "uClk_usrDiv2")) {
            CCIP.put(clock, new Port("IN", 1));
        }
        CCIP.put("pck_cp2af_softReset", new Port("IN", 1));
        CCIP.put("pck_cp2af_pwrState", new Port("IN", 2));
        CCIP.put("pck_cp2af_error", new Port("IN", 1));
        CCIP.put("pck_cp2af_sRx", new Port("IN", 574));
        CCIP.put("pck_af2cp_sTx", new Port("OUT", 742));
    }

    /// A port in the class that Verilator makes of the top module.
    private static final Pattern DECLARED =
            Pattern.compile("VL_(IN|OUT|INOUT)(?:8|16|64|W)?\\(\\(?&(\\w+)\\)?[^,]*,(\\d+),(\\d+)");

    /// Makes sure that a module has the ports of an AFU and no others.
    ///
    /// CCIP-SIG-8, CCIP-RTL-1: the ports of the top module are those of CCI-P.
    ///
    /// @param header the C++ header of the module
    /// @throws RtlException with all differences
    static void check(String top, String header) {
        Map<String, Port> ports = new LinkedHashMap<>();
        Matcher declared = DECLARED.matcher(header);
        while (declared.find()) {
            int bits = Integer.parseInt(declared.group(3)) - Integer.parseInt(declared.group(4));
            ports.put(declared.group(2), new Port(declared.group(1), bits + 1));
        }
        List<String> differences = new ArrayList<>();
        CCIP.forEach((name, wanted) -> compare(name, wanted, ports.get(name), differences));
        ports.keySet().stream()
                .filter(name -> !CCIP.containsKey(name))
                .forEach(name -> differences.add(name + " is no signal of CCI-P"));
        if (!differences.isEmpty()) {
            throw new RtlException(
                    Reason.PORT,
                    "module "
                            + top
                            + " has not the port of a CCI-P AFU:\n  "
                            + String.join("\n  ", differences)
                            + "\nIt has "
                            + String.join(", ", CCIP.keySet())
                            + "; examples/afu/hello shows them.");
        }
    }

    private static void compare(
            String name, Port wanted, @Nullable Port port, List<String> differences) {
        if (port == null) {
            differences.add(name + " is missing");
        } else if (!port.equals(wanted)) {
            differences.add(name + " is " + port + "; CCI-P has " + wanted);
        }
    }

    @Override
    public String toString() {
        String kind =
                switch (direction) {
                    case "IN" -> "an input";
                    case "OUT" -> "an output";
                    default -> "an inout";
                };
        return kind + " of " + bits + (bits == 1 ? " bit" : " bits");
    }
}
