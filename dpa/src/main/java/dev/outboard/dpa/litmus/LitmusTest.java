package dev.outboard.dpa.litmus;

import java.util.List;

/// A litmus test: a few programs that differ in what orders them, and the outcomes of each.
/// Immutable. [#parse(String)] reads the text form; `toString` writes it.
///
/// ```
/// litmus publication "A flag announces data"
///
/// variant a "no fence"
///     T1: M[data]=7; M[flag]=1
///     T2: spin M[flag]==1; r=M[data]
///     allowed {r=0} {r=7}
///
/// variant b "fence"
///     T1: M[data]=7; fence(MEMORY,W,W); M[flag]=1
///     T2: spin M[flag]==1; r=M[data]
///     allowed {r=7}
/// ```
///
/// @param notes sentences for a reader
public record LitmusTest(String name, String title, List<String> notes, List<Variant> variants) {
    /// Reads the text form.
    ///
    /// @throws LitmusSyntaxException if it is not well-formed
    public static LitmusTest parse(String text) {
        return new LitmusParser(text).test();
    }

    /// DPA-OPM-18: reads the form of the herd tools, as [#herd(Variant)] writes it.
    ///
    /// @throws LitmusSyntaxException if it is not well-formed
    public static LitmusTest parseHerd(String text) {
        return HerdReader.read(text);
    }

    /// DPA-OPM-18: one of the variants in the form of the herd tools, as the architecture DPA.
    public String herd(Variant variant) {
        return HerdWriter.write(this, variant);
    }

    /// The variant of that name.
    ///
    /// @throws IllegalArgumentException if there is none
    public Variant variant(String variant) {
        return variants.stream()
                .filter(one -> one.name().equals(variant))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException(
                                "%s has no variant '%s': there are %s"
                                        .formatted(
                                                name,
                                                variant,
                                                variants.stream().map(Variant::name).toList())));
    }

    @Override
    public String toString() {
        return LitmusPrinter.print(this);
    }
}
