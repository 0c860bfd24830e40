package dev.outboard.doca;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/// What control calls answer when they refuse.
public final class Refusals {
    private Refusals() {}

    /// `call` throws a [DocaException] with `error`, whose message has each of `words`.
    public static void assertRefused(
            DocaError error, ThrowingCallable call, CharSequence... words) {
        DocaException thrown = catchThrowableOfType(DocaException.class, call);
        assertThat(thrown).as("a refusal with %s", error).isNotNull();
        assertThat(thrown.error()).as(thrown.getMessage()).isEqualTo(error);
        if (words.length > 0) {
            assertThat(thrown).message().contains(words);
        }
    }
}
