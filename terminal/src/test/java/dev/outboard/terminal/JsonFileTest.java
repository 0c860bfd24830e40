package dev.outboard.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonFileTest {
    @TempDir private Path directory;

    record Shelf(String name, List<Book> books) {}

    record Book(int pages) {
        Book {
            if (pages < 1) {
                throw new IllegalArgumentException(
                        "pages is %d; valid is 1 or more".formatted(pages));
            }
        }
    }

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("shelf.json"), text);
    }

    @Test
    void readsRecords() throws IOException {
        Path file = file("{\"name\": \"top\", \"books\": [{\"pages\": 7}], \"colour\": \"red\"}");
        assertThat(JsonFile.read(file, Shelf.class))
                .isEqualTo(new Shelf("top", List.of(new Book(7))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "shelf                        | line 1: Unrecognized token 'shelf'",
                "null                         | line 1: null",
                "{} {}                        | line 1: ",
                "{%n\"books\":%n[{\"pages\": 0}]} | line 3: pages is 0; valid is 1 or more",
                "{%n\"books\": 5}              | line 2: ",
                "{%n\"name\":                  | line 2: Unexpected end-of-input"
            })
    void saysInWhichLineItIsWrong(String text, String problem) throws IOException {
        Path file = file(text.formatted());
        assertThatThrownBy(() -> JsonFile.read(file, Shelf.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(problem);
    }

    @Test
    void aFileThatCannotBeReadIsNoBadContent() {
        assertThatThrownBy(() -> JsonFile.read(directory.resolve("none"), Shelf.class))
                .isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> JsonFile.read(directory, Shelf.class))
                .isInstanceOf(IOException.class)
                .hasMessage("Is a directory");
    }
}
