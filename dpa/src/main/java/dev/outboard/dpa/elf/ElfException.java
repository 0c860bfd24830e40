package dev.outboard.dpa.elf;

/// An ELF file that is refused, or whose content is broken. The message names what is wrong, where
/// it stands, and what would be valid.
public final class ElfException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /// Refuses a file. Names of it may hold anything; control characters become question marks.
    public ElfException(String message) {
        super(message.replaceAll("\\p{Cntrl}", "?"));
    }
}
