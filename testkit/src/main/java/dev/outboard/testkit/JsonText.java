package dev.outboard.testkit;

import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/// Reads JSON: objects as maps, arrays as lists, whole numbers as `Long`.
public final class JsonText {
    private static final JsonMapper MAPPER =
            JsonMapper.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .enable(DeserializationFeature.USE_LONG_FOR_INTS)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build();

    private JsonText() {}

    /// The value that a text holds.
    ///
    /// @throws tools.jackson.core.JacksonException if it is not well-formed
    public static Object parse(String text) {
        return MAPPER.readValue(text, Object.class);
    }
}
