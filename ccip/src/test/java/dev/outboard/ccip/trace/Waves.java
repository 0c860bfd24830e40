package dev.outboard.ccip.trace;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// A value change dump as a viewer reads it: the value of each signal at each time.
public final class Waves {
    private static final String UNSET = "";

    private final Map<String, NavigableMap<Long, String>> signals = new HashMap<>();
    private final Set<String> names = new HashSet<>();

    private Waves() {}

    public static Waves parse(String text) {
        Waves waves = new Waves();
        Map<String, NavigableMap<Long, String>> byId = new HashMap<>();
        Deque<String> scopes = new ArrayDeque<>();
        long time = -1;
        for (String line : text.split("\n")) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "$scope" -> scopes.addLast(words[2]);
                case "$upscope" -> scopes.removeLast();
                case "$var" -> {
                    // A signal that is another one has its identifier.
                    NavigableMap<Long, String> values =
                            byId.computeIfAbsent(words[3], id -> new TreeMap<>());
                    String scope = scopes.stream().collect(Collectors.joining("."));
                    waves.signals.put(scope + "." + words[4], values);
                    String range = words[5].equals("$end") ? "" : words[5];
                    waves.names.add(scope + "." + words[4] + range);
                }
                default -> {
                    if (line.startsWith("$")) {
                        continue;
                    }
                    if (line.charAt(0) == '#') {
                        long next = Long.parseLong(line.substring(1));
                        if (next <= time) {
                            throw new IllegalArgumentException(line + " after " + time);
                        }
                        time = next;
                    } else if (words.length == 2) {
                        byId.get(words[1]).put(time, words[0].substring(1));
                    } else {
                        byId.get(line.substring(1)).put(time, line.substring(0, 1));
                    }
                }
            }
        }
        return waves;
    }

    /// Digits`x` a word, or nothing.
    public String at(String signal, long time) {
        NavigableMap<Long, String> values = signals.get(signal);
        if (values == null) {
            throw new IllegalArgumentException("No " + signal + " among " + signals.keySet());
        }
        Map.Entry<Long, String> entry = values.floorEntry(time);
        return entry == null ? UNSET : entry.getValue();
    }

    /// The times at which a signal changes.
    public Set<Long> changes(String signal) {
        return signals.get(signal).keySet();
    }

    /// How often a signal takes this value.
    public long count(String signal, String value) {
        return signals.get(signal).values().stream().filter(value::equals).count();
    }

    /// The signals with their ranges of bits, as GTKWave calls them.
    public Set<String> names() {
        return names;
    }
}
