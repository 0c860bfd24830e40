package dev.outboard.console;

import java.lang.module.ModuleDescriptor;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
        name = "version",
        description = "Print the versions of Outboard, Java and the operating system.")
final class VersionCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine()
                .getOut()
                .printf(
                        "Outboard %s, Java %s, %s %s (%s)%n",
                        version(),
                        Runtime.version(),
                        System.getProperty("os.name"),
                        System.getProperty("os.version"),
                        System.getProperty("os.arch"));
    }

    /// The compiler writes the version into the module; on the class path there is no module to
    /// ask.
    private static String version() {
        return Optional.ofNullable(VersionCommand.class.getModule().getDescriptor())
                .flatMap(ModuleDescriptor::rawVersion)
                .orElse("(unpackaged)");
    }
}
