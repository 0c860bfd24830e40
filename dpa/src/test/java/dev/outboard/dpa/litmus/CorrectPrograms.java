package dev.outboard.dpa.litmus;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/// Makes programs by chance that are correct by construction: idioms one after the other, each with
/// variables of its own, between actors drawn by chance. Each idiom hands data from one actor to
/// another as the seed's examples do, or in another way that the rules promise to work. The same
/// seed makes the same programs.
final class CorrectPrograms {
    private static final List<String> ACTORS = List.of("T1", "T2", "T3", "N", "H");

    private final SplittableRandom random;
    private final Map<String, List<String>> bodies = new LinkedHashMap<>();
    private final List<String> roles = new ArrayList<>();
    private int made;
    private int idioms;

    CorrectPrograms(long seed) {
        random = new SplittableRandom(seed);
    }

    /// The next program, of so many idioms.
    LitmusTest next(int count) {
        bodies.clear();
        roles.clear();
        idioms = 0;
        ACTORS.forEach(actor -> bodies.put(actor, new ArrayList<>()));
        for (int i = 0; i < count; i++) {
            idiom(random.nextInt(12));
        }
        StringBuilder text = new StringBuilder("litmus correct-" + made++ + "\n");
        roles.forEach(role -> text.append(role).append('\n'));
        bodies.forEach((actor, body) -> {
            if (!body.isEmpty()) {
                text.append(actor).append(": ").append(String.join("; ", body)).append('\n');
            }
        });
        return LitmusTest.parse(text.toString());
    }

    private void add(String actor, String statements) {
        bodies.get(actor).add(statements.replace("#", Integer.toString(idioms)));
    }

    private void role(String role) {
        roles.add("role " + role.replace("#", Integer.toString(idioms)));
    }

    private String pick(String... choices) {
        return choices[random.nextInt(choices.length)];
    }

    private void idiom(int kind) {
        String thread = pick("T1", "T2", "T3");
        String other = thread.equals("T1") ? "T2" : "T1";
        switch (kind) {
            case 0 -> {
                String order =
                        pick(
                                "fence(MEMORY,W,W)",
                                "fence(HEAP,W,W)",
                                "memory_writeback",
                                "system_fence",
                                "memory_fence(RW,RW)");
                add(thread, "M[d#]=7; " + pick("", "M[e#]=8; ") + order + "; M[f#]=1");
                add(other, "spin M[f#]==1; r#=M[d#]");
            }
            case 1 -> {
                role("entry w# of sq#");
                role("buffer p# of sq#");
                add(thread, "M[p#]=7; M[w#]=1; memory_writeback; DB(d#,sq#)");
                add("N", "onDB(d#); r#=nicrd M[w#]; s#=nicrd M[p#]");
            }
            case 2 -> {
                role("entry w# of sq#");
                add(thread, "W[w#]=7; window_writeback; DB(d#,sq#)");
                add("N", "onDB(d#); r#=nicrd X[w#]");
            }
            case 3 -> {
                add(
                        thread,
                        "W[d#]=7; "
                                + pick("window_writeback", "window_fence(W,W)")
                                + "; W[f#]=1; window_writeback");
                add("H", "wait H[f#]==1; r#=H[d#]");
            }
            case 4 -> {
                add("H", "H[d#]=7; H[f#]=1");
                add(thread, "spin W[f#]==1 {read_inv}; read_inv; r#=W[d#]");
            }
            case 5 -> {
                role("cqe c#");
                add(
                        "N",
                        "nicwr{M[p#]=7, M[q#]=8} "
                                + pick("any order", "in order")
                                + "; nicwr M[c#]=1");
                add(thread, "spin M[c#]==1; r#=M[p#]; s#=M[q#]");
            }
            case 6 -> {
                role("cqe c#");
                add("N", "nicwr X[p#]=7; nicwr M[c#]=1");
                add(thread, "spin M[c#]==1; read_inv; r#=W[p#]");
            }
            case 7 -> {
                String body = "spin_lock(l#); t#=M[n#]; M[n#]=t#+1; spin_unlock(l#)";
                add(thread, body);
                add(other, body);
            }
            case 8 -> {
                add(thread, "W[d#]=7; window_writeback; M[f#]=1");
                add(other, "spin M[f#]==1; read_inv; r#=W[d#]");
            }
            case 9 -> {
                role("entry w# of rq#");
                role("record b# of rq#");
                add(
                        thread,
                        "M[w#]=7; "
                                + pick("fence(MEMORY,W,W)", "memory_writeback")
                                + "; M[b#]=1; memory_writeback");
                add("N", "wait M[b#]==1; r#=nicrd M[w#]");
            }
            case 10 -> {
                add(thread, "M[d#]=7; amoswap" + pick(".rl", ".aqrl") + "(M[f#],1)");
                add(other, "spin M[f#]==1; r#=M[d#]");
            }
            default -> {
                add(thread, "W[d#]=7; window_writeback; DB(m#@RXT_DB)");
                add("H", "onDB(m#); r#=H[d#]");
            }
        }
        idioms++;
    }
}
