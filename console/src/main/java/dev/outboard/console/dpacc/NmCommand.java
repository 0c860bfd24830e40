package dev.outboard.console.dpacc;

import dev.outboard.dpa.elf.DeviceElf;
import dev.outboard.dpa.elf.ElfSymbol;
import dev.outboard.dpa.elf.ElfSymbol.Kind;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Comparator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `outboard dpacc nm`: the names in a device program.
@Command(
        name = "nm",
        description = {
            "List the names in a device program by address: T is code, D data, and a place without a"
                    + " size '-'."
        })
final class NmCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "The executable, or a JAR that holds one.")
    private Path file = Path.of("");

    @Override
    public void run() {
        DeviceElf elf = DeviceFile.program(file);
        PrintWriter out = spec.commandLine().getOut();
        elf.program().symbols().all().stream()
                .filter(symbol -> !symbol.name().isEmpty())
                .sorted(Comparator.comparingLong(ElfSymbol::address))
                .forEach(symbol ->
                        out.println(
                                "%016x %s %s"
                                        .formatted(
                                                symbol.address(),
                                                letter(symbol.kind()),
                                                symbol.name())));
        out.flush();
    }

    private static String letter(Kind kind) {
        return switch (kind) {
            case FUNCTION -> "T";
            case OBJECT -> "D";
            case LABEL -> "-";
        };
    }
}
