package dev.outboard.console;

import dev.outboard.examples.doca.Counter;
import dev.outboard.examples.doca.FileCopy;
import dev.outboard.examples.doca.NotifiedWrite;
import dev.outboard.examples.doca.PingPong;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `outboard example`: runs a program of `examples/`.
@Command(
        name = "example",
        description = {
            "Run an example of the DOCA API.",
            "It becomes two processes on this machine. With the words 'server' and 'client HOST' in"
                    + " front of its own it is one of the two."
        },
        synopsisSubcommandLabel = "COMMAND")
final class ExampleCommand implements Runnable {
    private static final String SIDE = "[server | client HOST]";

    @Spec private CommandSpec spec;

    @Command(name = "ping-pong", description = "Two processes send each other a message, in turn.")
    void pingPong(
            @Parameters(paramLabel = SIDE, hideParamSyntax = true, arity = "0..2")
                    List<String> words)
            throws Exception {
        PingPong.main(array(words));
    }

    @Command(
            name = "notified-write",
            description = "Write into the memory of a server, and tell it by a sync event.")
    void notifiedWrite(
            @Parameters(paramLabel = SIDE, hideParamSyntax = true, arity = "0..2")
                    List<String> words)
            throws Exception {
        NotifiedWrite.main(array(words));
    }

    @Command(name = "counter", description = "64 peers add to one number of a server.")
    void counter(
            @Parameters(paramLabel = SIDE, hideParamSyntax = true, arity = "0..2")
                    List<String> words)
            throws Exception {
        Counter.main(array(words));
    }

    @Command(name = "file-copy", description = "Read a file of the server into a copy.")
    void fileCopy(
            @Parameters(paramLabel = SIDE + " SOURCE COPY", hideParamSyntax = true, arity = "2..4")
                    List<String> words)
            throws Exception {
        FileCopy.main(array(words));
    }

    private static String[] array(List<String> words) {
        return words == null ? new String[0] : words.toArray(String[]::new);
    }

    /// No example named: says which there are.
    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
