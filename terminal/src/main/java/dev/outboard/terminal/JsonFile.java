package dev.outboard.terminal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/// A JSON file that a command reads.
public final class JsonFile {
    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

    private JsonFile() {}

    /// Its content as a record, whose constructor refuses what it does not take; it gets null for
    /// what is missing.
    ///
    /// @throws IllegalArgumentException if the content is not such a record; the message says in
    ///   which line
    public static <T> T read(Path file, Class<T> type) throws IOException {
        T value;
        try (InputStream in = Files.newInputStream(file)) {
            value = MAPPER.readValue(in, type);
        } catch (JacksonIOException e) {
            throw e.getCause();
        } catch (JacksonException e) {
            throw new IllegalArgumentException(where(e) + problem(e), e);
        }
        if (value == null) {
            throw new IllegalArgumentException("line 1: null");
        }
        return value;
    }

    private static String where(JacksonException e) {
        TokenStreamLocation location = e.getLocation();
        return location == null ? "" : "line %d: ".formatted(location.getLineNr());
    }

    private static String problem(JacksonException e) {
        return e.getCause() instanceof IllegalArgumentException refused
                ? String.valueOf(refused.getMessage())
                : e.getOriginalMessage().lines().findFirst().orElse("");
    }
}
