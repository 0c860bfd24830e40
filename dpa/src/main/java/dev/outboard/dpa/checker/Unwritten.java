package dev.outboard.dpa.checker;

/// DPA-MEM-2: the window stores of one thread that it has not written back: what its own loads give
/// until then, whatever others write.
final class Unwritten {
    private long[] granules = new long[16];
    private long[] generations = new long[16];
    private long[] epochs = new long[16];
    private int[] sites = new int[16];
    private int used;
    private long generation = 1;
    private long latestGranule;
    private int latestSite;

    void add(long granule, long epoch, int site) {
        if (used > granules.length / 2) {
            grow();
        }
        int at = slot(granule);
        if (generations[at] != generation) {
            generations[at] = generation;
            granules[at] = granule;
            used++;
        }
        epochs[at] = epoch;
        sites[at] = site;
        latestGranule = granule;
        latestSite = site;
    }

    /// The granule of the latest store of all.
    long latestGranule() {
        return latestGranule;
    }

    /// Where the latest store of all stands.
    int latestSite() {
        return latestSite;
    }

    /// All are written back.
    void clear() {
        generation++;
        used = 0;
    }

    /// The number of the latest store to that granule; 0 if none is here.
    long epoch(long granule) {
        int at = slot(granule);
        return generations[at] == generation ? epochs[at] : 0;
    }

    /// Where that store stands.
    int site(long granule) {
        return sites[slot(granule)];
    }

    private int slot(long granule) {
        int mask = granules.length - 1;
        int at = (int) ((granule * 0x9E37_79B9_7F4A_7C15L) >>> 40) & mask;
        while (generations[at] == generation && granules[at] != granule) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private void grow() {
        long[] oldGranules = granules;
        long[] oldGenerations = generations;
        long[] oldEpochs = epochs;
        int[] oldSites = sites;
        int length = granules.length * 2;
        granules = new long[length];
        generations = new long[length];
        epochs = new long[length];
        sites = new int[length];
        used = 0;
        for (int i = 0; i < oldGranules.length; i++) {
            if (oldGenerations[i] == generation) {
                add(oldGranules[i], oldEpochs[i], oldSites[i]);
            }
        }
    }
}
