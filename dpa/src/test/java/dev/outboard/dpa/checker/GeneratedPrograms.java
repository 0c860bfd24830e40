package dev.outboard.dpa.checker;

import dev.outboard.dpa.litmus.LitmusProgram;
import dev.outboard.dpa.litmus.LitmusTest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/// Makes litmus programs in which actors hand data on: each writes data and announces it, the next
/// one waits for the announcement and reads. What stands between is chosen at random, so that some
/// programs are right and others are not. None has a race that no announcement orders.
final class GeneratedPrograms {
    private static final String[] THREADS = {"T1", "T2", "T3"};
    private static final List<String> BARRIERS =
            List.of(
                    "memory_writeback",
                    "window_writeback",
                    "fence(MEMORY,W,W)",
                    "fence(MMIO,W,W)",
                    "fence(HEAP,W,W)",
                    "fence(MEMORY,W,R)",
                    "fence(MMIO,R,R)",
                    "fence(MEMORY,RW,RW)",
                    "read_inv");

    private final RandomGenerator random;
    private final double care;
    private final Map<String, List<String>> bodies = new LinkedHashMap<>();
    private final List<String> data = new ArrayList<>();
    private final List<String> globals = new ArrayList<>();
    private final List<String> pairs = new ArrayList<>();
    private int variables;
    private int registers;
    private int values;

    /// @param care how probable it is that an operation that may be needed stands there
    GeneratedPrograms(RandomGenerator random, double care) {
        this.random = random;
        this.care = care;
    }

    /// The text of a program.
    String next() {
        bodies.clear();
        data.clear();
        globals.clear();
        pairs.clear();
        variables = 0;
        registers = 0;
        values = 0;
        String writer = actor("");
        int hops = 1 + random.nextInt(3);
        for (int hop = 0; hop < hops; hop++) {
            String reader = actor(writer);
            hop(writer, reader);
            writer = reader;
        }
        StringBuilder text = new StringBuilder("litmus generated\n");
        if (!globals.isEmpty()) {
            text.append("globals {").append(String.join(" ", globals)).append("}\n");
        }
        for (String pair : pairs) {
            text.append(pair.startsWith("m") ? "heap {" : "external {")
                    .append("%1$sa:4 %1$sb:4}\n".formatted(pair));
        }
        bodies.forEach((actor, body) ->
                text.append("    ")
                        .append(actor)
                        .append(": ")
                        .append(String.join("; ", body))
                        .append('\n'));
        return text.toString();
    }

    static LitmusProgram parse(String text) {
        return LitmusTest.parse(text).variants().getFirst().program();
    }

    private boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    private String pick(List<String> of) {
        return of.get(random.nextInt(of.size()));
    }

    private String actor(String other) {
        while (true) {
            String actor =
                    chance(0.6) ? THREADS[random.nextInt(THREADS.length)] : chance(0.5) ? "N" : "H";
            boolean outside = !actor.startsWith("T") && !other.startsWith("T") && !other.isEmpty();
            if (!actor.equals(other) && !outside) {
                return actor;
            }
        }
    }

    private List<String> body(String actor) {
        return bodies.computeIfAbsent(actor, any -> new ArrayList<>());
    }

    private void hop(String writer, String reader) {
        int count = 1 + random.nextInt(2);
        boolean again = !data.isEmpty() && chance(0.2);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            boolean external = writer.equals("H") || reader.equals("H") || chance(0.4);
            String name = (external ? "x" : "m") + variables++;
            if (chance(0.2)) {
                pairs.add(name);
                names.add(name + "a");
                name += "b";
            } else if (!external && chance(0.2)) {
                globals.add(name);
            }
            names.add(name);
        }
        if (again) {
            String old = pick(data);
            boolean reaches = old.startsWith("x") || !(writer.equals("H") || reader.equals("H"));
            if (reaches) {
                names.add(old);
            }
        }
        for (String name : names) {
            if (reader.startsWith("T") && name.startsWith("x") && chance(0.4)) {
                body(reader).addFirst("r" + registers++ + "=W[" + name + "]");
            }
        }
        write(writer, names);
        if (writer.startsWith("T")) {
            between(writer);
        }
        announce(writer, reader);
        for (String name : names) {
            read(reader, name);
        }
        if (!data.isEmpty() && chance(0.5)) {
            String old = pick(data);
            if (old.startsWith("x") || !reader.equals("H")) {
                read(reader, old);
            }
        }
        names.stream().filter(name -> !data.contains(name)).forEach(data::add);
    }

    private void write(String writer, List<String> names) {
        boolean group = writer.equals("N") && names.size() > 1 && chance(0.3);
        if (group) {
            List<String> writes =
                    names.stream().map(name -> via("N", name) + "=" + value()).toList();
            body(writer).add("nicwr{" + String.join(", ", writes) + "} any order");
            return;
        }
        for (String name : names) {
            store(writer, name);
        }
    }

    private void store(String writer, String name) {
        body(writer).add((writer.equals("N") ? "nicwr " : "") + via(writer, name) + "=" + value());
    }

    /// Different each time, so that each store can be told from all others.
    private int value() {
        return ++values;
    }

    private void read(String reader, String name) {
        body(reader)
                .add(
                        "r"
                                + registers++
                                + "="
                                + (reader.equals("N") ? "nicrd " : "")
                                + via(reader, name));
    }

    private static String via(String actor, String name) {
        boolean external = name.startsWith("x") || name.startsWith("f");
        String letter = !external ? "M" : actor.equals("N") ? "X" : actor.equals("H") ? "H" : "W";
        return letter + "[" + name + "]";
    }

    /// What a thread may need between data and announcement.
    private void between(String writer) {
        if (chance(care)) {
            body(writer).add("memory_writeback");
        }
        if (chance(care)) {
            body(writer).add("window_writeback");
        }
        if (chance(0.3)) {
            body(writer).add(pick(BARRIERS));
        }
    }

    private void announce(String writer, String reader) {
        boolean threads = writer.startsWith("T") && reader.startsWith("T");
        boolean doorbell = writer.startsWith("T") && !reader.startsWith("T") && chance(0.6);
        if (doorbell) {
            String name = "d" + variables++;
            body(writer).add("DB(" + name + ")");
            body(reader).add("onDB(" + name + ")");
            return;
        }
        boolean memory = !writer.equals("H") && !reader.equals("H") && chance(threads ? 0.7 : 0.5);
        String flag = (memory ? "g" : "f") + variables++;
        if (threads && memory && chance(0.2)) {
            body(writer).add("amoswap." + (chance(0.8) ? "aqrl" : "aq") + "(M[" + flag + "],1)");
        } else {
            body(writer).add((writer.equals("N") ? "nicwr " : "") + via(writer, flag) + "=1");
        }
        if (writer.startsWith("T") && (memory ? reader.equals("N") : true) && chance(care)) {
            body(writer).add(memory ? "memory_writeback" : "window_writeback");
        }
        if (!reader.startsWith("T")) {
            body(reader).add("wait " + via(reader, flag) + "==1");
            return;
        }
        String loop = memory || !chance(care) ? "" : " {read_inv}";
        body(reader).add("spin " + via(reader, flag) + "==1" + loop);
        if (chance(care * 0.8)) {
            body(reader).add("read_inv");
        } else if (chance(0.2)) {
            body(reader).add("fence(MMIO,R,R)");
        }
    }
}
