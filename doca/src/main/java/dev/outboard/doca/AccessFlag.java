package dev.outboard.doca;

import dev.outboard.fabric.Access;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/// Who may do what with memory: the bits of `doca_access_flag`. A value, for any thread.
///
/// DCORE-MMAP-4: the permissions are a set of these.
///
/// DCORE-MMAP-6: the local device may always read, whatever the flags say.
public enum AccessFlag {
    /// The local device reads only. Has no bit: it is the absence of [#LOCAL_READ_WRITE].
    LOCAL_READ_ONLY(0),
    /// The local device may write.
    LOCAL_READ_WRITE(1),
    /// Peers may read.
    RDMA_READ(2),
    /// Peers may write. Needs [#LOCAL_READ_WRITE].
    RDMA_WRITE(4),
    /// Peers may use atomic operations. Needs [#LOCAL_READ_WRITE].
    RDMA_ATOMIC(8),
    /// The other side of the PCI bus may read. Excludes [#PCI_READ_WRITE].
    PCI_READ_ONLY(16),
    /// The other side of the PCI bus may read and write. Excludes [#PCI_READ_ONLY].
    PCI_READ_WRITE(32),
    /// Accesses over PCI may be reordered.
    PCI_RELAXED_ORDERING(64);

    private final int bit;

    AccessFlag(int bit) {
        this.bit = bit;
    }

    /// DOCA's bit; 0 for [#LOCAL_READ_ONLY].
    public int bit() {
        return bit;
    }

    /// What `flags` are called by the verbs; those of PCI have no counterpart.
    public static Access[] rights(Set<AccessFlag> flags) {
        DocaException.nonNull(flags, "flags");
        EnumSet<Access> access = EnumSet.noneOf(Access.class);
        for (AccessFlag flag : flags) {
            switch (flag) {
                case LOCAL_READ_WRITE -> access.add(Access.LOCAL_WRITE);
                case RDMA_READ -> access.add(Access.REMOTE_READ);
                case RDMA_WRITE -> access.add(Access.REMOTE_WRITE);
                case RDMA_ATOMIC -> access.add(Access.REMOTE_ATOMIC);
                case LOCAL_READ_ONLY, PCI_READ_ONLY, PCI_READ_WRITE, PCI_RELAXED_ORDERING -> {}
            }
        }
        return access.toArray(Access[]::new);
    }

    /// The bits of `flags` together.
    public static int bits(Set<AccessFlag> flags) {
        DocaException.nonNull(flags, "flags");
        return flags.stream().mapToInt(AccessFlag::bit).sum();
    }

    /// The flags that `bits` stands for, [#LOCAL_READ_ONLY] among them if the bit of
    /// [#LOCAL_READ_WRITE] is missing.
    ///
    /// @throws DocaException with INVALID_VALUE for a bit that no flag has, and for flags that
    ///   exclude each other
    public static Set<AccessFlag> of(int bits) {
        EnumSet<AccessFlag> flags = EnumSet.noneOf(AccessFlag.class);
        int rest = bits;
        for (AccessFlag flag : values()) {
            if ((bits & flag.bit) != 0) {
                flags.add(flag);
                rest &= ~flag.bit;
            }
        }
        if (rest != 0) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "access flags 0x%x have the undefined bits 0x%x; defined: 0x%x"
                            .formatted(bits, rest, bits(EnumSet.allOf(AccessFlag.class))));
        }
        if (!flags.contains(LOCAL_READ_WRITE)) {
            flags.add(LOCAL_READ_ONLY);
        }
        return checked(flags);
    }

    /// `flags`, unmodifiable, if they go together.
    ///
    /// DCORE-MMAP-5: the two PCI flags exclude each other.
    static Set<AccessFlag> checked(EnumSet<AccessFlag> flags) {
        if (flags.contains(PCI_READ_ONLY) && flags.contains(PCI_READ_WRITE)) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "access flags "
                            + flags
                            + ": PCI_READ_ONLY and PCI_READ_WRITE exclude each other");
        }
        return Collections.unmodifiableSet(flags);
    }
}
