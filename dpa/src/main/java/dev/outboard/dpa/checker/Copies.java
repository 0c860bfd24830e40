package dev.outboard.dpa.checker;

import java.util.Arrays;

/// Which lines of external memory a DPA thread may still hold a copy of, and how old that copy may
/// be.
///
/// DPA-OPM-9: a load may bring the whole line. So a copy is as old as the first load of its line
/// since the last invalidation, whatever was loaded since.
///
/// DPA-OPM-6: fences drop copies too, which programs must not rely on. So each line has two ages:
/// one that no fence touches, and one that they do.
final class Copies {
    /// What a load may give.
    enum Age {
        /// The latest store that the thread knows of, or a later one.
        FRESH,
        /// The same, but only since a fence has dropped the copy.
        FRESH_BY_FENCE,
        /// An older one.
        STALE
    }

    private static final long NONE = Long.MIN_VALUE;

    private long[] lines = new long[16];
    private long[] generations = new long[16];
    private long[] fetched = new long[16];
    private long[] known = new long[16];
    private int[] sites = new int[16];
    private long[] fenceGenerations = new long[16];
    private long[] fetchedSinceFence = new long[16];
    private long[] knownSinceFence = new long[16];
    private int used;
    private long generation = 1;
    private long fences = 1;
    private long newest = NONE;

    Copies() {
        Arrays.fill(lines, NONE);
    }

    /// Whether there is a copy.
    boolean isEmpty() {
        return newest == NONE;
    }

    /// How often all were dropped by an invalidation.
    long generation() {
        return generation;
    }

    /// DPA-CCH-1: drops all.
    void invalidate() {
        generation++;
        fences++;
        newest = NONE;
    }

    /// DPA-OPM-6: a fence between loads drops what is older than the newest fetch, so that the line
    /// of that fetch stays as it is.
    void fence() {
        fences++;
        if (newest != NONE) {
            fenceGenerations[slot(newest)] = fences;
        }
    }

    /// DPA-OPM-6: a fence between own stores and loads drops all.
    void fenceAfterStores() {
        fences++;
    }

    /// How old the bytes may be that a load of the line gives, for a store that the thread knows
    /// of.
    ///
    /// @param bytes of the line
    /// @param sequence of the store
    Age age(long line, long bytes, long sequence) {
        int at = slot(line);
        if (lines[at] != line || generations[at] != generation) {
            return Age.FRESH;
        }
        if (sequence <= fetched[at] && (known[at] & bytes) == bytes) {
            return Age.FRESH;
        }
        boolean dropped = fenceGenerations[at] != fences;
        boolean fresh = sequence <= fetchedSinceFence[at] && (knownSinceFence[at] & bytes) == bytes;
        return dropped || fresh ? Age.FRESH_BY_FENCE : Age.STALE;
    }

    /// Where the line was first loaded since the last invalidation.
    int site(long line) {
        return sites[slot(line)];
    }

    /// The number among all events at which that was.
    long fetched(long line) {
        return fetched[slot(line)];
    }

    /// Whether a load of the line brings a copy that is not there yet.
    boolean isFetch(long line) {
        int at = slot(line);
        return lines[at] != line || generations[at] != generation || fenceGenerations[at] != fences;
    }

    /// Notes a load that brings a copy.
    ///
    /// @param sequence the number of the load among all events
    /// @param knownBytes whose latest stores the thread knew of, or made itself
    void fetch(long line, long sequence, long knownBytes, int site) {
        if (used > lines.length / 2) {
            grow();
        }
        int at = slot(line);
        if (lines[at] != line) {
            lines[at] = line;
            used++;
        }
        if (generations[at] != generation) {
            generations[at] = generation;
            fetched[at] = sequence;
            known[at] = knownBytes;
            sites[at] = site;
        }
        fenceGenerations[at] = fences;
        fetchedSinceFence[at] = sequence;
        knownSinceFence[at] = knownBytes;
        newest = line;
    }

    /// Where the line is, or may be put.
    private int slot(long line) {
        int mask = lines.length - 1;
        int at = (int) ((line * 0x9E37_79B9_7F4A_7C15L) >>> 40) & mask;
        while (lines[at] != line && lines[at] != NONE) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private void grow() {
        long[] oldLines = lines;
        long[][] old = {
            generations, fetched, known, fenceGenerations, fetchedSinceFence, knownSinceFence
        };
        int[] oldSites = sites;
        int length = lines.length * 2;
        lines = new long[length];
        Arrays.fill(lines, NONE);
        generations = new long[length];
        fetched = new long[length];
        known = new long[length];
        fenceGenerations = new long[length];
        fetchedSinceFence = new long[length];
        knownSinceFence = new long[length];
        sites = new int[length];
        long[][] grown = {
            generations, fetched, known, fenceGenerations, fetchedSinceFence, knownSinceFence
        };
        for (int i = 0; i < oldLines.length; i++) {
            if (oldLines[i] != NONE) {
                int at = slot(oldLines[i]);
                lines[at] = oldLines[i];
                sites[at] = oldSites[i];
                for (int column = 0; column < old.length; column++) {
                    grown[column][at] = old[column][i];
                }
            }
        }
    }
}
