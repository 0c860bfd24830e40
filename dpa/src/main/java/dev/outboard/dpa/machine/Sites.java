package dev.outboard.dpa.machine;

/// Code places by number. Site 0 is no place.
@FunctionalInterface
public interface Sites {

    /// The place of a site.
    ///
    /// @throws IndexOutOfBoundsException if there is no site of that number
    CodePlace place(int site);

    /// Whether the site is the load of a loop that stores nothing, such as a poll loop. A table
    /// that does not know says no.
    default boolean inPollLoop(int site) {
        return false;
    }
}
