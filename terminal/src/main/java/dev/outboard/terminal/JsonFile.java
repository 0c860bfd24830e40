package dev.outboard.terminal;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
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
        try (InputStream in = Files.newInputStream(file)) {
            return read(in, type);
        }
    }

    private static <T> T read(InputStream in, Class<T> type) throws IOException {
        T value;
        try {
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

    /// The same of a text.
    ///
    /// @throws IllegalArgumentException as [#read]
    public static <T> T parse(String text, Class<T> type) {
        try (InputStream in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8))) {
            return read(in, type);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
