package dev.outboard.dpacc;

import java.util.List;

/// DPA-JK-2: where values lie among the bytes that the device gets: each at the next offset that
/// its size divides, a record at the next one that its largest value divides, in the order of the
/// source, little-endian. The whole is a multiple of its largest value; what no value covers is
/// zero. It is what C compilers make of the same struct.
///
/// @param bytes size of the whole
/// @param fields all values in ascending order, those inside of records, too
public record DpaLayout(int bytes, List<Field> fields) {
    /// Copies the list.
    public DpaLayout {
        fields = List.copyOf(fields);
    }

    /// A value.
    ///
    /// @param name its name, of a component after those of the records around it: `range.from`
    /// @param offset of its first byte, from that of the whole
    public record Field(String name, DpaScalar type, int offset) {}
}
