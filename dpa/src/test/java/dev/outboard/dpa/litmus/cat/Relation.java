package dev.outboard.dpa.litmus.cat;

/// A relation between at most 64 events, one row of bits for each. Sets are relations too: those of
/// pairs of an event with itself. Not to be changed once it is made known to others.
record Relation(long[] rows) {
    static Relation of(int size) {
        return new Relation(new long[size]);
    }

    static Relation identity(int size, long set) {
        Relation result = of(size);
        for (int i = 0; i < size; i++) {
            result.rows[i] = set & (1L << i);
        }
        return result;
    }

    static Relation product(int size, long from, long to) {
        Relation result = of(size);
        for (int i = 0; i < size; i++) {
            result.rows[i] = (from >> i & 1) != 0 ? to : 0;
        }
        return result;
    }

    void add(int from, int to) {
        rows[from] |= 1L << to;
    }

    boolean has(int from, int to) {
        return (rows[from] >> to & 1) != 0;
    }

    Relation union(Relation other) {
        Relation result = of(rows.length);
        for (int i = 0; i < rows.length; i++) {
            result.rows[i] = rows[i] | other.rows[i];
        }
        return result;
    }

    Relation intersection(Relation other) {
        Relation result = of(rows.length);
        for (int i = 0; i < rows.length; i++) {
            result.rows[i] = rows[i] & other.rows[i];
        }
        return result;
    }

    Relation without(Relation other) {
        Relation result = of(rows.length);
        for (int i = 0; i < rows.length; i++) {
            result.rows[i] = rows[i] & ~other.rows[i];
        }
        return result;
    }

    Relation then(Relation other) {
        Relation result = of(rows.length);
        for (int i = 0; i < rows.length; i++) {
            long row = 0;
            for (long left = rows[i]; left != 0; left &= left - 1) {
                row |= other.rows[Long.numberOfTrailingZeros(left)];
            }
            result.rows[i] = row;
        }
        return result;
    }

    Relation inverse() {
        Relation result = of(rows.length);
        for (int i = 0; i < rows.length; i++) {
            for (long left = rows[i]; left != 0; left &= left - 1) {
                result.add(Long.numberOfTrailingZeros(left), i);
            }
        }
        return result;
    }

    /// The transitive closure.
    Relation closure() {
        Relation result = new Relation(rows.clone());
        for (int via = 0; via < rows.length; via++) {
            for (int i = 0; i < rows.length; i++) {
                if (result.has(i, via)) {
                    result.rows[i] |= result.rows[via];
                }
            }
        }
        return result;
    }

    long domain() {
        long set = 0;
        for (int i = 0; i < rows.length; i++) {
            set |= rows[i] == 0 ? 0 : 1L << i;
        }
        return set;
    }

    long range() {
        long set = 0;
        for (long row : rows) {
            set |= row;
        }
        return set;
    }

    boolean isEmpty() {
        return range() == 0;
    }

    boolean isIrreflexive() {
        for (int i = 0; i < rows.length; i++) {
            if (has(i, i)) {
                return false;
            }
        }
        return true;
    }

    /// Takes away events that nothing follows until none is left, or all that are left are on the
    /// way to a cycle.
    boolean isAcyclic() {
        long left = domain();
        for (boolean progress = true; progress && left != 0; ) {
            progress = false;
            for (long todo = left; todo != 0; todo &= todo - 1) {
                int event = Long.numberOfTrailingZeros(todo);
                if ((rows[event] & left) == 0) {
                    left &= ~(1L << event);
                    progress = true;
                }
            }
        }
        return left == 0;
    }
}
