package dev.outboard.dpa.litmus;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/// Makes litmus programs by chance: two or three actors with a few statements each, on few
/// variables, so that they meet. The same seed makes the same programs. Every store has a value of
/// its own, and every register and variable is observed.
///
/// ```java
/// LitmusGenerator generator = new LitmusGenerator(seed, EnumSet.allOf(Feature.class));
/// LitmusTest test = generator.next();
/// ```
final class LitmusGenerator {
    /// What programs may have beside loads, stores and fences of DPA memory.
    enum Feature {
        /// Window loads and stores, their cache operations, external memory.
        WINDOW,
        /// An actor that is a NIC.
        NIC,
        /// An actor that is the host.
        HOST,
        /// Doorbells, for which the NIC or the host waits.
        DOORBELLS,
        /// Accesses of 4 bytes, in the same granule.
        MIXED_SIZES,
        /// Read-modify-write.
        ATOMICS,
        /// Pairs of reserved load and conditional store.
        RESERVATIONS,
        /// Spin locks.
        LOCKS,
        /// Statements that depend on what was loaded.
        BRANCHES,
        /// Loops that poll.
        SPINS,
        /// Variables outside the heap.
        GLOBALS,
        /// External variables that share a line.
        SHARED_LINES,
        /// Groups of writes of the NIC, in order and in any, and posted ones.
        NIC_GROUPS
    }

    /// More often those that matter more often.
    private static final List<String> SPACES =
            List.of("HEAP", "MEMORY", "MEMORY", "MMIO", "SYSTEM", "SYSTEM");

    private static final List<String> OPS =
            List.of("W,W", "W,W", "W,W", "W,R", "W,R", "R,R", "R,W", "W,RW", "RW,R", "RW,RW");

    private final SplittableRandom random;
    private final Set<Feature> features;
    private int made;
    private int value;
    private int register;
    private boolean windowUsed;
    private String lastVariable = "";
    private final List<String> doorbells = new ArrayList<>();
    private final List<String> memory = List.of("x", "y");
    private final List<String> external = List.of("u", "v");

    LitmusGenerator(long seed, Set<Feature> features) {
        random = new SplittableRandom(seed);
        this.features =
                features.isEmpty() ? EnumSet.noneOf(Feature.class) : EnumSet.copyOf(features);
    }

    /// The next program.
    LitmusTest next() {
        return LitmusTest.parse(nextText());
    }

    /// The next program as text.
    String nextText() {
        value = 0;
        register = 0;
        doorbells.clear();
        windowUsed = features.contains(Feature.WINDOW) && chance(60);
        StringBuilder text = new StringBuilder("litmus generated-" + made++ + "\n");
        if (features.contains(Feature.GLOBALS) && chance(30)) {
            text.append("globals {y}\n");
        }
        if (features.contains(Feature.SHARED_LINES) && chance(40)) {
            text.append("external {u v}\n");
        }
        int actors = chance(40) ? 3 : 2;
        boolean nic = features.contains(Feature.NIC) && chance(50);
        boolean host =
                features.contains(Feature.HOST)
                        && windowUsed
                        && (!nic || actors == 3)
                        && chance(50);
        int threads = actors - (nic ? 1 : 0) - (host ? 1 : 0);
        for (int i = 1; i <= threads; i++) {
            text.append("T")
                    .append(i)
                    .append(": ")
                    .append(thread(actors == 2 ? 4 : 3))
                    .append('\n');
        }
        if (nic) {
            text.append("N: ").append(nic()).append('\n');
        }
        if (host) {
            text.append("H: ").append(host()).append('\n');
        }
        return text.append(observed(text.toString())).toString();
    }

    private String observed(String text) {
        StringBuilder observe = new StringBuilder("observe");
        for (int i = 0; i < register; i++) {
            if (text.contains("r" + i + "=")) {
                observe.append(" r").append(i);
            }
        }
        for (String variable : memory) {
            if (text.contains("[" + variable)) {
                observe.append(" M.").append(variable);
                if (features.contains(Feature.NIC)) {
                    observe.append(" nic.").append(variable);
                }
            }
        }
        for (String variable : external) {
            if (text.contains("[" + variable)) {
                observe.append(" X.").append(variable);
            }
        }
        return observe.append('\n').toString();
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    private <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    // DPA threads

    private String thread(int most) {
        List<String> statements = new ArrayList<>();
        int count = 2 + random.nextInt(most - 1);
        for (int i = 0; i < count; i++) {
            if (i > 0 && chance(50)) {
                statements.add(order());
            }
            statements.add(access());
        }
        if (chance(25)) {
            statements.add(order());
        }
        return String.join("; ", statements);
    }

    /// A fence or a cache operation.
    private String order() {
        int kind = random.nextInt(10);
        if (kind == 0) {
            return "memory_writeback";
        }
        if (windowUsed && kind <= 2) {
            return kind == 1 ? "window_writeback" : "read_inv";
        }
        if (features.contains(Feature.NIC) && kind <= 3) {
            return "memory_writeback";
        }
        return "fence(%s,%s)".formatted(pick(SPACES), pick(OPS));
    }

    private String access() {
        List<Feature> special = new ArrayList<>();
        for (Feature feature :
                List.of(
                        Feature.ATOMICS,
                        Feature.RESERVATIONS,
                        Feature.LOCKS,
                        Feature.BRANCHES,
                        Feature.SPINS,
                        Feature.DOORBELLS)) {
            if (features.contains(feature)) {
                special.add(feature);
            }
        }
        if (!special.isEmpty() && chance(20)) {
            return special(pick(special));
        }
        boolean window = windowUsed && chance(50);
        String place = place(window ? "W" : "M", window ? external : memory);
        return chance(50) ? place + "=" + ++value : newRegister() + "=" + place;
    }

    private String special(Feature feature) {
        String place = place("M", memory);
        return switch (feature) {
            case ATOMICS -> {
                String order = pick(List.of("", ".aq", ".rl", ".aqrl"));
                String operation = pick(List.of("amoswap", "amoadd", "amoor", "amomax"));
                yield "%s=%s%s(%s,%d)".formatted(newRegister(), operation, order, place, ++value);
            }
            case RESERVATIONS -> {
                String loaded = newRegister();
                yield "%s=lr%s(%s); %s=sc%s(%s,%d)"
                        .formatted(
                                loaded,
                                pick(List.of("", ".aq")),
                                place,
                                newRegister(),
                                pick(List.of("", ".rl")),
                                place,
                                ++value);
            }
            case LOCKS ->
                    "spin_lock(l); %s=%s; %s=%d; spin_unlock(l)"
                            .formatted(newRegister(), place, place("M", memory), ++value);
            case BRANCHES -> {
                String loaded = newRegister();
                yield "%s=%s; if %s==%d {%s=%d}"
                        .formatted(
                                loaded,
                                place,
                                loaded,
                                1 + random.nextInt(3),
                                place("M", memory),
                                ++value);
            }
            case SPINS -> {
                String body = chance(50) ? " {read_inv}" : "";
                yield windowUsed && chance(50)
                        ? "spin " + place("W", external) + "!=0" + body
                        : "spin " + place + "!=0";
            }
            default -> {
                String name = "d" + doorbells.size();
                doorbells.add(name);
                yield "DB(" + name + pick(List.of("", "@CQ_DB")) + ")";
            }
        };
    }

    private String newRegister() {
        return "r" + register++;
    }

    private String place(String letter, List<String> variables) {
        // An actor seldom accesses the same variable twice in a row: little is to be seen then.
        String variable = pick(variables);
        if (variable.equals(lastVariable) && chance(70)) {
            variable = pick(variables);
        }
        lastVariable = variable;
        if (features.contains(Feature.MIXED_SIZES) && chance(40)) {
            return letter + "4[" + variable + pick(List.of("", "+4")) + "]";
        }
        return letter + "[" + variable + "]";
    }

    // NIC and host

    private String nic() {
        List<String> statements = new ArrayList<>();
        waitForDoorbell(statements);
        int count = 2 + random.nextInt(2);
        for (int i = 0; i < count; i++) {
            boolean outside = windowUsed && chance(40);
            String place = place(outside ? "X" : "M", outside ? external : memory);
            if (features.contains(Feature.NIC_GROUPS) && chance(20)) {
                int first = ++value;
                statements.add(
                        "nicwr{M[x]=%d, M[y]=%d} %s%s"
                                .formatted(
                                        first,
                                        ++value,
                                        pick(List.of("any order", "in order")),
                                        pick(List.of("", " on q", " on p"))));
            } else if (features.contains(Feature.ATOMICS) && chance(10)) {
                statements.add(newRegister() + "=nicadd(M[x]," + ++value + ")");
            } else {
                statements.add(
                        chance(35)
                                ? "nicwr " + place + "=" + ++value
                                : newRegister() + "=nicrd " + place);
            }
        }
        return String.join("; ", statements);
    }

    private String host() {
        List<String> statements = new ArrayList<>();
        waitForDoorbell(statements);
        int count = 2 + random.nextInt(2);
        for (int i = 0; i < count; i++) {
            String place = place("H", external);
            switch (random.nextInt(5)) {
                case 0 -> statements.add("h2d " + place("M", memory) + "=" + ++value);
                case 1, 2 -> statements.add(place + "=" + ++value);
                default -> statements.add(newRegister() + "=" + place);
            }
        }
        return String.join("; ", statements);
    }

    private void waitForDoorbell(List<String> statements) {
        if (!doorbells.isEmpty() && chance(70)) {
            statements.add("onDB(" + pick(doorbells) + ")");
        }
    }
}
