package dev.outboard.naa;

/// The memory region flags of an MRSP request (`spec/naaice.md`, section 4). `ap1-2023` sends none
/// but [#INTERNAL].
public final class RegionFlags {
    /// Exists on the NAA only and is never transferred; takes precedence over the others.
    ///
    /// NAA-FLAG-1, NAA-FLAG-6: in both dialects.
    public static final int INTERNAL = 0x01;

    /// An input that only the first RPC of a connection sends.
    public static final int SINGLE_SEND = 0x02;

    /// The client writes it in every RPC.
    public static final int INPUT = 0x04;

    /// The server returns it after every RPC.
    public static final int OUTPUT = 0x08;

    private RegionFlags() {}
}
