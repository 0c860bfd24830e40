package dev.outboard.examples;

import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.examples.doca.Counter;
import dev.outboard.examples.doca.FileCopy;
import dev.outboard.examples.doca.NotifiedWrite;
import dev.outboard.examples.doca.PingPong;
import dev.outboard.examples.dpa.AllToAll;
import dev.outboard.examples.dpa.DeviceExchange;
import dev.outboard.examples.dpa.DeviceMessage;
import dev.outboard.examples.dpa.DevicePingPong;
import dev.outboard.examples.dpa.FourSends;
import dev.outboard.examples.dpa.KernelLaunch;
import dev.outboard.examples.dpa.LoadTimes;
import dev.outboard.terminal.Subcommand;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `outboard example`: runs a program of `examples/`.
@Command(
        name = "example",
        description = {
            "Run an example of the DOCA API, or of a program of a DPA.",
            "One of the DOCA API becomes two processes on this machine. With the words 'server' and"
                    + " 'client HOST' in front of its own it is one of the two."
        },
        synopsisSubcommandLabel = "COMMAND")
public final class ExampleCommand implements Subcommand {
    private static final String SIDE = "[server | client HOST]";

    @Spec private CommandSpec spec;

    /// For [java.util.ServiceLoader].
    public ExampleCommand() {}

    @Command(name = "ping-pong", description = "Two processes send each other a message, in turn.")
    void pingPong(
            @Parameters(paramLabel = SIDE, hideParamSyntax = true, arity = "0..2")
                    List<String> words)
            throws Exception {
        PingPong.main(checked(words));
    }

    @Command(
            name = "notified-write",
            description = "Write into the memory of a server, and tell it by a sync event.")
    void notifiedWrite(
            @Parameters(paramLabel = SIDE, hideParamSyntax = true, arity = "0..2")
                    List<String> words)
            throws Exception {
        NotifiedWrite.main(checked(words));
    }

    @Command(name = "counter", description = "64 peers add to one number of a server.")
    void counter(
            @Parameters(paramLabel = SIDE, hideParamSyntax = true, arity = "0..2")
                    List<String> words)
            throws Exception {
        Counter.main(checked(words));
    }

    @Command(name = "file-copy", description = "Read a file of the server into a copy.")
    void fileCopy(
            @Parameters(paramLabel = SIDE + " SOURCE COPY", hideParamSyntax = true, arity = "2..4")
                    List<String> words)
            throws Exception {
        FileCopy.main(checked(words, "SOURCE", "COPY"));
    }

    @Command(
            name = "device-exchange",
            description =
                    "Kernels of two DPAs write buffers of their hosts to each other in rounds; give"
                            + " how many, and what percentage of the packets is lost.")
    void deviceExchange(
            @Parameters(
                            paramLabel = SIDE + " ROUNDS PERCENT",
                            hideParamSyntax = true,
                            arity = "0..4")
                    List<String> words)
            throws Exception {
        DeviceExchange.main(checked(words, "ROUNDS", "PERCENT"));
    }

    @Command(
            name = "device-message",
            description =
                    "A DPA sends a message to another one, where its completion activates a thread"
                            + " that tells the host.")
    void deviceMessage(
            @Parameters(paramLabel = SIDE, hideParamSyntax = true, arity = "0..2")
                    List<String> words)
            throws Exception {
        DeviceMessage.main(checked(words));
    }

    @Command(
            name = "device-ping-pong",
            description =
                    "Threads of two DPAs send messages to and fro, and poll for what completes.")
    void devicePingPong(
            @Parameters(paramLabel = SIDE, hideParamSyntax = true, arity = "0..2")
                    List<String> words)
            throws Exception {
        DevicePingPong.main(checked(words));
    }

    @Command(
            name = "four-sends",
            description =
                    "A DPA sends messages with immediate data to another one, where a thread counts"
                            + " them and a second one tells the host.")
    void fourSends(
            @Parameters(paramLabel = SIDE, hideParamSyntax = true, arity = "0..2")
                    List<String> words)
            throws Exception {
        FourSends.main(checked(words));
    }

    @Command(
            name = "all-to-all",
            description =
                    "32 threads of the DPAs of 4 processes write to each other, and know by events"
                            + " alone what has come.")
    void allToAll() throws Exception {
        AllToAll.main(new String[0]);
    }

    @Command(
            name = "load-times",
            description =
                    "Measure on a DPA with the timing of a BlueField-3 how many cycles the first"
                            + " load from a received packet takes.")
    void loadTimes(
            @Option(
                            names = "--seed",
                            paramLabel = "SEED",
                            defaultValue = "1",
                            description =
                                    "What the figures follow from. Default: ${DEFAULT-VALUE}.")
                    long seed) {
        LoadTimes.print(spec.commandLine().getOut(), seed);
    }

    @Command(
            name = "kernel-launch",
            description = "Launch a kernel on a DPA that waits for an event and completes another.")
    void kernelLaunch() throws InterruptedException {
        KernelLaunch.run(
                DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast()), spec.commandLine().getOut());
    }

    /// The words, if they are `own` words of the example, or its side and at least one of them.
    private String[] checked(@Nullable List<String> words, String... names) {
        int own = names.length;
        List<String> given = words == null ? List.of() : words;
        int side = sideWords(given);
        int rest = given.size() - side;
        boolean isClear = rest <= own && rest >= (side == 0 ? own : Math.min(1, own));
        if (!isClear) {
            throw new ParameterException(
                    spec.commandLine(),
                    "'%s' is not clear; valid is %s%s"
                            .formatted(
                                    String.join(" ", given),
                                    SIDE,
                                    own == 0 ? "" : " " + String.join(" ", names)));
        }
        return given.toArray(String[]::new);
    }

    /// How many words name the side: none if it is both.
    private static int sideWords(List<String> given) {
        if (given.isEmpty()) {
            return 0;
        }
        return switch (given.getFirst()) {
            case "server" -> 1;
            case "client" -> given.size() > 1 ? 2 : 0;
            default -> 0;
        };
    }

    /// No example named: says which there are.
    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
