package dev.outboard.dpa.machine;

/// DPA-HW-1: the execution units of a machine. They are numbered from 0, core after core; the last
/// ones are reserved for the runtime of the DPA and run no thread of a user.
///
/// @param reserved how many units the runtime keeps
public record UnitGrid(int cores, int unitsPerCore, int reserved) {

    /// The default: 256 units, 254 of them for users.
    public static final UnitGrid DEFAULT = new UnitGrid(16, 16, 2);

    /// For tests: 8 units, 6 of them for users.
    public static final UnitGrid SMALL = new UnitGrid(2, 4, 2);

    /// Checks that a user gets at least one unit.
    public UnitGrid {
        if (cores < 1 || unitsPerCore < 1 || reserved < 0) {
            throw new IllegalArgumentException(
                    "A machine has at least 1 core, 1 unit per core and 0 reserved units, not %d, %d and %d"
                            .formatted(cores, unitsPerCore, reserved));
        }
        if (reserved >= cores * unitsPerCore) {
            throw new IllegalArgumentException(
                    "%d of %d units are reserved: none is left for users"
                            .formatted(reserved, cores * unitsPerCore));
        }
    }

    /// The number of all units.
    public int total() {
        return cores * unitsPerCore;
    }

    /// The number of units for users, which are 0 up to this.
    public int usable() {
        return total() - reserved;
    }
}
