package dev.outboard.dpa.watch;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;

/// Where sockets are: a directory that only its user may enter, with a socket for each process of
/// the operating system that has opened one.
final class RuntimeDirectory {
    private static final String SUFFIX = ".dpa";
    private static final Set<PosixFilePermission> OWNER_ONLY =
            PosixFilePermissions.fromString("rwx------");

    private RuntimeDirectory() {}

    /// That of the user: in `XDG_RUNTIME_DIR`, or else in the directory for temporary files.
    static Path ofUser() {
        String runtime = System.getenv("XDG_RUNTIME_DIR");
        return runtime != null && runtime.startsWith("/") && Files.isDirectory(Path.of(runtime))
                ? Path.of(runtime, "outboard")
                : Path.of("/tmp", "outboard-" + System.getProperty("user.name"));
    }

    /// Makes it if it is not there.
    ///
    /// @throws IOException if somebody else owns it or may enter it
    static void prepare(Path directory) throws IOException {
        try {
            Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        } catch (FileAlreadyExistsException e) {
            // Whose it is, is looked at below.
        }
        if (!isOwn(directory)) {
            throw new IOException(
                    "%s is no directory that only its user %s may enter; remove it"
                            .formatted(directory, owner()));
        }
    }

    /// Whether it is there and nobody else may enter it.
    static boolean isOwn(Path directory) throws IOException {
        return Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
                && Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS).equals(owner())
                && Files.getPosixFilePermissions(directory).equals(OWNER_ONLY);
    }

    /// The user that this process runs as.
    static UserPrincipal owner() throws IOException {
        return Files.getOwner(Path.of("/proc/self"));
    }

    static Path socket(Path directory, long pid) {
        return directory.resolve(pid + SUFFIX);
    }

    /// The process that a socket is of.
    ///
    /// @return 0 if the file is no such socket
    static long pid(Path socket) {
        String name = String.valueOf(socket.getFileName());
        return name.matches("[1-9][0-9]{0,9}\\" + SUFFIX)
                ? Long.parseLong(name.substring(0, name.length() - SUFFIX.length()))
                : 0;
    }
}
