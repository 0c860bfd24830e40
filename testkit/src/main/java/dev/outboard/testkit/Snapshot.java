package dev.outboard.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.StackWalker.Option;
import java.nio.file.Files;
import java.nio.file.Path;

/// Compares what a test measures with what it measured before, kept as a file beside the test's
/// sources. `-Dsnapshot=update` writes the file afresh; the difference is then for people to read.
public final class Snapshot {
    private static final Path RESOURCES = Path.of("src/test/resources");
    private static final String SWITCH = "snapshot";

    private Snapshot() {}

    /// Fails unless `actual` is the text in the file of that name, in the package of the calling
    /// test.
    public static void assertUnchanged(String file, String actual) {
        Class<?> test = StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE).getCallerClass();
        Path path = RESOURCES.resolve(test.getPackageName().replace('.', '/')).resolve(file);
        assertUnchanged(path, actual, test);
    }

    /// Fails unless `actual` is the text in this file of the [repository][Repository#root], which
    /// is documentation that the calling test derives from the code.
    public static void assertDocumented(String file, String actual) {
        Class<?> test = StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE).getCallerClass();
        assertUnchanged(Repository.root().resolve(file), actual, test);
    }

    private static void assertUnchanged(Path path, String actual, Class<?> test) {
        try {
            if ("update".equals(System.getProperty(SWITCH))) {
                Files.createDirectories(path.getParent());
                Files.writeString(path, actual);
            } else if (!actual.equals(Files.exists(path) ? Files.readString(path) : "")) {
                throw new AssertionError(difference(path, actual, test));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot use snapshot " + path, e);
        }
    }

    private static String difference(Path path, String actual, Class<?> test) throws IOException {
        String expected = Files.exists(path) ? Files.readString(path) : "nothing\n";
        return path
                + " says\n"
                + expected
                + "but now it is\n"
                + actual
                + "If that is how it should be:\n"
                + MavenCommand.of(test.getSimpleName(), "-D" + SWITCH + "=update");
    }
}
