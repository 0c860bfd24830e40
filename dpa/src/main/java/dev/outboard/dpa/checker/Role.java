package dev.outboard.dpa.checker;

import dev.outboard.dpa.machine.Observer.WordRole;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// What some bytes are for, and who stored there last. A granule has a list of them.
final class Role {
    final WordRole word;
    final long address;
    final long lengthBytes;
    final int queue;

    /// The next one of the granule.
    final @Nullable Role next;

    /// By actor, its latest store to these bytes and the site of that.
    final Stores stores;

    private final @Nullable Role whole;

    /// The latest store of each actor.
    static final class Stores {
        private long[] epochs = new long[0];
        private int[] sites = new int[0];

        void store(int actor, long epoch, int site) {
            if (actor >= epochs.length) {
                epochs = Arrays.copyOf(epochs, actor + 1);
                sites = Arrays.copyOf(sites, actor + 1);
            }
            epochs[actor] = epoch;
            sites[actor] = site;
        }

        /// The number of the latest store of an actor that has stored.
        long epoch(int actor) {
            return epochs[actor];
        }

        /// Where that stands.
        int site(int actor) {
            return sites[actor];
        }
    }

    Role(WordRole word, long address, long lengthBytes, int queue) {
        this.word = word;
        this.address = address;
        this.lengthBytes = lengthBytes;
        this.queue = queue;
        stores = new Stores();
        next = null;
        whole = null;
    }

    /// The same role in the list of another granule.
    Role(Role of, @Nullable Role next) {
        word = of.word;
        address = of.address;
        lengthBytes = of.lengthBytes;
        queue = of.queue;
        stores = of.stores;
        this.next = next;
        whole = of;
    }

    /// The role itself, of which this may be the part in one granule.
    Role whole() {
        return whole == null ? this : whole;
    }

    boolean overlaps(long from, int length) {
        return from < address + lengthBytes && address < from + length;
    }

    /// Whether the word is there to be polled, so that its value is a sign and not data.
    boolean isSign() {
        return switch (word) {
            case RECORD, INDEX, IGNORED_INDEX, COMPLETION, FLAG -> true;
            case ENTRY, BUFFER, SYNDROME -> false;
        };
    }
}
