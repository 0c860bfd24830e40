package dev.outboard.dpa.litmus;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// The litmus tests of the requirement catalog: LIT-1 to 38, 40 and 53. Each is a resource in the
/// text form, `LIT-1.dpa` and so on.
public final class LitmusCatalog {
    private static final int LAST_OF_THE_SERIES = 38;

    /// The numbers of all tests.
    public static final List<Integer> NUMBERS =
            Stream.concat(IntStream.rangeClosed(1, LAST_OF_THE_SERIES).boxed(), Stream.of(40, 53))
                    .toList();

    private LitmusCatalog() {}

    /// All tests.
    public static List<LitmusTest> all() {
        return NUMBERS.stream().map(LitmusCatalog::test).toList();
    }

    /// One test.
    ///
    /// @throws IllegalArgumentException if the catalog has none of that number
    public static LitmusTest test(int number) {
        return LitmusTest.parse(text(number));
    }

    /// The text of a test.
    ///
    /// @throws IllegalArgumentException if the catalog has none of that number
    public static String text(int number) {
        String name = "LIT-%d.dpa".formatted(number);
        try (InputStream resource = LitmusCatalog.class.getResourceAsStream(name)) {
            if (resource == null) {
                throw new IllegalArgumentException(
                        "There is no LIT-%d: the numbers are %s".formatted(number, NUMBERS));
            }
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read the resource " + name, e);
        }
    }
}
