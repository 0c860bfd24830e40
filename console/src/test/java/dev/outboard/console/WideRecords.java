package dev.outboard.console;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The records of more than [#MOST_COMPONENTS] components in Java source text, and the calls of
/// their constructors that pass anything but the components' own names in their order.
final class WideRecords {
    static final int MOST_COMPONENTS = 7;

    private static final Pattern NO_CODE =
            Pattern.compile(
                    "(?s)//[^\n]*|/\\*.*?\\*/|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])*'");
    private static final Pattern DECLARATION =
            Pattern.compile("\\brecord\\s+(\\w+)\\s*(?:<[^()]*>)?\\s*\\(");
    private static final Pattern CALL =
            Pattern.compile("\\bnew\\s+(?:\\w+\\.)*(\\w+)\\s*(?:<[^()]*>)?\\s*\\(");
    private static final Pattern LAST_WORD = Pattern.compile("(\\w+)\\s*$");

    /// Per name the components of the records of that name; two records may share a name.
    private final Map<String, Set<List<String>>> components = new HashMap<>();

    void addDeclarationsOf(String source) {
        String code = codeOf(source);
        DECLARATION
                .matcher(code)
                .results()
                .forEach(found -> {
                    List<String> names = new ArrayList<>();
                    for (String component : list(code, found.end(), "([{<", ")]}>")) {
                        Matcher name = LAST_WORD.matcher(component);
                        if (name.find()) {
                            names.add(name.group(1));
                        }
                    }
                    if (names.size() > MOST_COMPONENTS) {
                        components
                                .computeIfAbsent(found.group(1), name -> new HashSet<>())
                                .add(names);
                    }
                });
    }

    Set<String> names() {
        return components.keySet();
    }

    /// The calls in `source`, as `new Name(arguments)`.
    List<String> confusableCallsIn(String source) {
        String code = codeOf(source);
        List<String> calls = new ArrayList<>();
        CALL.matcher(code)
                .results()
                .filter(call -> components.containsKey(call.group(1)))
                .forEach(call -> {
                    List<String> arguments = list(code, call.end(), "([{", ")]}");
                    if (arguments.size() > MOST_COMPONENTS
                            && !components.get(call.group(1)).contains(arguments)) {
                        calls.add("new " + call.group(1) + arguments);
                    }
                });
        return calls;
    }

    /// What stands between the parenthesis before `start` and its partner, cut at the commas that
    /// lie in no further brackets. Only a declaration has `<` for a bracket everywhere.
    private static List<String> list(String code, int start, String opening, String closing) {
        List<String> parts = new ArrayList<>();
        int depth = 1;
        int from = start;
        for (int i = start; depth > 0 && i < code.length(); i++) {
            char c = code.charAt(i);
            if (opening.indexOf(c) >= 0) {
                depth++;
            } else if (closing.indexOf(c) >= 0) {
                depth--;
            }
            if (depth == 0 || (depth == 1 && c == ',')) {
                parts.add(code.substring(from, i).strip());
                from = i + 1;
            }
        }
        return parts;
    }

    /// The source with comments removed and literals empty.
    private static String codeOf(String source) {
        return NO_CODE.matcher(source)
                .replaceAll(hit -> hit.group().startsWith("/") ? " " : "\"\"");
    }
}
