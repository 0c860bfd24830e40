package dev.outboard.dpa.litmus;

import java.util.Collections;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;

/// DPA-OPM-14: what a run of a program ends with: values by the name of the [Observation], and
/// whether an actor waits for ever. Numbers are decimal and unsigned; an order of arrival is `A,B`.
public record Outcome(Map<String, String> values, boolean hang) implements Comparable<Outcome> {
    /// Keeps its own copy, sorted.
    public Outcome {
        values = Collections.unmodifiableMap(new TreeMap<>(values));
    }

    /// As the catalog writes it: `{r0=0 r1=1}`, `{done}`, `{HANG}`, `{X.f=2 HANG}`.
    @Override
    public String toString() {
        StringJoiner text = new StringJoiner(" ", "{", "}");
        values.forEach((name, value) -> text.add(name + "=" + value));
        if (hang) {
            text.add("HANG");
        } else if (values.isEmpty()) {
            text.add("done");
        }
        return text.toString();
    }

    @Override
    public int compareTo(Outcome other) {
        return toString().compareTo(other.toString());
    }
}
