package dev.outboard.fabric.roce.wire.cm;

/// What keeps bytes from being a [CmDatagram].
public enum DatagramFlaw {
    /// Not 256 bytes.
    WRONG_LENGTH,
    /// Another MAD base version or CM class version.
    WRONG_VERSION,
    /// Another management class than communication management.
    OTHER_CLASS,
    /// Another method than Send, which is what every CM message uses.
    OTHER_METHOD,
    /// An unknown attribute, or one that is not decoded: LAP, APR.
    UNSUPPORTED_ATTRIBUTE
}
