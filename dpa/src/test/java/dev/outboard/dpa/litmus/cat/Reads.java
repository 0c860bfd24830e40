package dev.outboard.dpa.litmus.cat;

import java.util.ArrayList;
import java.util.List;

/// Where one read may have its value from. What cannot be, such as a store that comes later in the
/// program, is left out; all else is for the model to judge.
final class Reads {
    /// One way.
    ///
    /// @param source the write that gives the value
    /// @param pending whether it is an own store that is not performed yet
    /// @param copies the chain of `held` before the read: the load that fetched the copy, then own
    ///   stores that replaced it; empty if the read fetches, or is no window load
    record Choice(int source, boolean pending, List<Integer> copies) {}

    private Reads() {}

    /// @param never the window stores that are never performed
    static List<Choice> choices(Events events, int read, long never) {
        List<Choice> choices = new ArrayList<>();
        Step.Event step = events.get(read);
        List<Integer> all = new ArrayList<>(List.of(events.initial(step.place())));
        all.addAll(events.writes.get(step.place()));
        List<Integer> own = new ArrayList<>();
        List<Integer> performed = new ArrayList<>();
        for (int write : all) {
            boolean isNever = (never >> write & 1) != 0;
            if (events.inProgramOrder(write, read)) {
                own.add(write);
            }
            if (!isNever && write != read && !events.inProgramOrder(read, write)) {
                performed.add(write);
            }
        }
        performed.forEach(write -> choices.add(new Choice(write, false, List.of())));
        if (!step.isWindowLoad()) {
            return choices;
        }
        own.forEach(write -> choices.add(new Choice(write, true, List.of())));
        own.removeIf(write -> (never >> write & 1) != 0);
        for (int fetch = 0; fetch < read; fetch++) {
            if (events.inProgramOrder(fetch, read)
                    && events.get(fetch).isWindowLoad()
                    && events.sameLine(fetch, read)) {
                for (int first = 0; first <= own.size(); first++) {
                    List<Integer> copies = new ArrayList<>(List.of(fetch));
                    copies.addAll(own.subList(first, own.size()));
                    if (first < own.size()) {
                        choices.add(new Choice(own.getLast(), false, copies));
                    } else {
                        performed.forEach(write -> choices.add(new Choice(write, false, copies)));
                    }
                }
            }
        }
        return choices;
    }
}
