package dev.outboard.console.dpacc;

import dev.outboard.dpa.elf.DeviceElf;
import dev.outboard.dpa.elf.ElfException;
import dev.outboard.terminal.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

/// A file with a device program: the executable, or a JAR that holds one.
final class DeviceFile {
    private DeviceFile() {}

    static byte[] bytes(Path file) {
        try {
            return file.toString().endsWith(".jar") ? ofJar(file) : Files.readAllBytes(file);
        } catch (IOException e) {
            throw new CommandException("%s cannot be read: %s".formatted(file, e), e);
        }
    }

    private static byte[] ofJar(Path file) throws IOException {
        try (JarFile jar = new JarFile(file.toFile())) {
            List<? extends ZipEntry> programs =
                    jar.stream().filter(entry -> entry.getName().endsWith(".elf")).toList();
            if (programs.size() != 1) {
                throw new CommandException(
                        "%s holds %d device programs (*.elf); valid: one"
                                .formatted(file, programs.size()));
            }
            return jar.getInputStream(programs.getFirst()).readAllBytes();
        }
    }

    static DeviceElf program(Path file) {
        return program(file, bytes(file));
    }

    /// The program that was read from a file.
    static DeviceElf program(Path file, byte[] elf) {
        try {
            return DeviceElf.parse(elf);
        } catch (ElfException e) {
            throw new CommandException("%s: %s".formatted(file, e.getMessage()), e);
        }
    }
}
