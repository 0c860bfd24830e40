package dev.outboard.dpa.litmus;

/// The way an access takes: who reaches which memory.
public enum Via {
    /// DPA memory, by a DPA thread or the NIC, or by a copy of the host.
    DPA("M"),
    /// External memory, by a DPA thread through its window.
    WINDOW("W"),
    /// External memory, by the NIC.
    EXTERNAL("X"),
    /// External memory, by the host.
    HOST("H");

    private final String letter;

    Via(String letter) {
        this.letter = letter;
    }

    /// The letter of the text form.
    public String letter() {
        return letter;
    }
}
