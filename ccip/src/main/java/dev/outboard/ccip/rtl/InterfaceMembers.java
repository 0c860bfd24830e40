package dev.outboard.ccip.rtl;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Places of a design that ask for `$bits` of a member of an interface where there has to be a
/// constant. Tools for FPGAs take it, and Intel's building blocks are full of it; Verilator wants a
/// type, which is the one that the member is declared with.
///
/// CCIP-RTL-16g: a member of an interface has the bits of its type.
final class InterfaceMembers {
    private static final Pattern REFUSED =
            Pattern.compile("%Error: .*must not use dotted references: '(\\w+)'");

    private static final Pattern INTERFACE =
            Pattern.compile(
                    "^\\s*interface\\s+\\w.*?\\bendinterface\\b",
                    Pattern.MULTILINE | Pattern.DOTALL);

    private final Map<String, String> types = new LinkedHashMap<>();

    /// Takes in what Verilator refused.
    ///
    /// @param texts the files of the design, in which the members are declared
    /// @return whether anything is new
    boolean learn(String output, Collection<String> texts) {
        int before = types.size();
        for (Matcher refused = REFUSED.matcher(output); refused.find(); ) {
            String member = refused.group(1);
            Set<String> declared = declared(member, texts);
            if (declared.size() == 1) {
                types.putIfAbsent(member, declared.iterator().next());
            }
        }
        return types.size() > before;
    }

    /// Whether this is among what Verilator refused.
    static boolean isIn(String output) {
        return REFUSED.matcher(output).find();
    }

    private static Set<String> declared(String member, Collection<String> texts) {
        Pattern declaration =
                Pattern.compile("^\\s*((?:\\w+::)?\\w+)\\s+" + member + "\\s*;", Pattern.MULTILINE);
        Set<String> declared = new TreeSet<>();
        for (String text : texts) {
            for (Matcher one = INTERFACE.matcher(text); one.find(); ) {
                declaration.matcher(one.group()).results().forEach(r -> declared.add(r.group(1)));
            }
        }
        return declared;
    }

    /// The text with the type of each such member in its place.
    String typedIn(String text) {
        String typed = text;
        for (Map.Entry<String, String> member : types.entrySet()) {
            String asked = "\\$bits\\(\\s*\\w+(?:\\[\\w+])?\\." + member.getKey() + "\\s*\\)";
            String type = Matcher.quoteReplacement("$bits(" + member.getValue() + ")");
            typed = typed.replaceAll(asked, type);
        }
        return typed;
    }
}
