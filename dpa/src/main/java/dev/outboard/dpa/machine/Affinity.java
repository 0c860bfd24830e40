package dev.outboard.dpa.machine;

import java.util.Set;

/// DPA-HW-4: on which execution units a thread may run.
public sealed interface Affinity {

    /// On any unit that users have.
    Affinity ANY = new Any();

    /// Whether a thread of this affinity may run on that unit.
    boolean allows(int unit);

    /// Checks that a machine of those units can run threads of this affinity.
    ///
    /// @throws IllegalArgumentException if a unit is absent or reserved
    void check(UnitGrid units);

    /// No affinity.
    record Any() implements Affinity {
        @Override
        public boolean allows(int unit) {
            return true;
        }

        @Override
        public void check(UnitGrid units) {
            // Every machine has a unit for users.
        }
    }

    /// Strict: one unit.
    record Strict(int unit) implements Affinity {
        @Override
        public boolean allows(int candidate) {
            return candidate == unit;
        }

        @Override
        public void check(UnitGrid units) {
            checkUnit(units, unit);
        }
    }

    /// A group of units, or partition.
    record Group(Set<Integer> units) implements Affinity {
        /// Copies the set.
        public Group {
            units = Set.copyOf(units);
            if (units.isEmpty()) {
                throw new IllegalArgumentException(
                        "A group of execution units has at least one unit");
            }
        }

        @Override
        public boolean allows(int unit) {
            return units.contains(unit);
        }

        @Override
        public void check(UnitGrid grid) {
            units.forEach(unit -> checkUnit(grid, unit));
        }
    }

    private static void checkUnit(UnitGrid units, int unit) {
        if (unit < 0 || unit >= units.total()) {
            throw new IllegalArgumentException(
                    "There is no execution unit %d: they are 0 to %d"
                            .formatted(unit, units.total() - 1));
        }
        if (unit >= units.usable()) {
            throw new IllegalArgumentException(
                    "Execution unit %d is reserved for the runtime: users have 0 to %d"
                            .formatted(unit, units.usable() - 1));
        }
    }
}
