package dev.outboard.console.explain;

import dev.outboard.ccip.checker.Violation;
import dev.outboard.doca.DocaError;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.machine.Fault;
import java.util.List;
import java.util.stream.Stream;

/// The errors of DOCA, of programs on a DPA, and of functions of an FPGA.
final class AcceleratorErrors {
    private AcceleratorErrors() {}

    static Stream<KnownError> all() {
        return Stream.of(
                        Stream.of(DocaError.values()).map(AcceleratorErrors::of),
                        Stream.of(Fault.values()).map(AcceleratorErrors::of),
                        Stream.of(Rule.values()).map(AcceleratorErrors::of),
                        Stream.of(Violation.values()).map(AcceleratorErrors::of))
                .flatMap(errors -> errors);
    }

    private static KnownError of(DocaError error) {
        String remedy = remedy(error);
        String cause =
                error == DocaError.SUCCESS
                        ? "nothing is wrong: %s".formatted(error.description())
                        : "code %d of doca_error_t: %s"
                                .formatted(error.number(), error.description());
        return new KnownError(
                List.of(error.docaName(), "DocaError." + error.name(), error.description()),
                cause,
                remedy);
    }

    private static String remedy(DocaError error) {
        return switch (error) {
            case SUCCESS -> "";
            case NOT_PERMITTED ->
                    "Look at the permissions of the mmap (local read and write, RDMA read, write, atomic) and of the context.";
            case IN_USE ->
                    "Somebody holds it: stop contexts and destroy what is made of it before it is destroyed or changed.";
            case NOT_SUPPORTED ->
                    "Ask the device first (doca_…_cap_…): this one does not offer it.";
            case AGAIN -> "Call progress, take completions, and submit again: nothing is lost.";
            case INVALID_VALUE -> "Compare the arguments with the limits that the call documents.";
            case NO_MEMORY, FULL ->
                    "All elements are in use: free tasks and buffers, or configure more before the context is started.";
            case TIME_OUT, CONNECTION_ABORTED ->
                    "Look whether the peer still runs and is reached: `outboard doctor --peer ADDR`, `outboard explain` of a capture.";
            case CONNECTION_RESET, NOT_CONNECTED ->
                    "The peer has closed the connection, or there is none yet: wait for the callback of the connection, connect again.";
            case CONNECTION_INPROGRESS -> "Call progress until the connection's callback.";
            case IO_FAILED ->
                    "An RDMA operation failed: the peer refused its memory, had no receive task, or did not answer. `outboard explain` of a capture tells which.";
            case BAD_STATE ->
                    "Look at the order of the calls: configure, start, submit when running, stop, destroy.";
            case SHUTDOWN ->
                    "The context is being stopped: submit nothing more, call progress until it is idle.";
            case NOT_FOUND -> "Look at the name or number that was asked for.";
            case EMPTY, IN_PROGRESS -> "Nothing is lost: call progress, and ask again.";
            case TOO_BIG -> "Ask for the maximum of the device, and split.";
            default -> "The log of the program says more.";
        };
    }

    private static KnownError of(Fault fault) {
        return new KnownError(
                List.of(fault.name(), fault.text(), "fault " + fault.code()),
                "fault %d of a process on a DPA, which ended it: %s"
                        .formatted(fault.code(), fault.text()),
                "`outboard dpa core` shows thread, address and memory of a process that was ended; `outboard dpa check` finds such places before. The page docs/dpa.md tells of the call.");
    }

    private static KnownError of(Rule rule) {
        return new KnownError(
                List.of(rule.name(), rule.row()),
                "%s, in the use of a DPA's memory: %s What is missing: %s."
                        .formatted(rule.row(), rule.reason(), rule.missing()),
                rule.advice());
    }

    private static KnownError of(Violation violation) {
        return new KnownError(
                List.of(violation.name()),
                "a rule of the CCI-P port (%s), broken by the %s, on channel %s"
                        .formatted(
                                violation.rule(),
                                violation.isOfFiu() ? "platform" : "function or its host program",
                                violation.channel()),
                violation.hint()
                        + " `./outboard spec %s` shows the rule.".formatted(violation.rule()));
    }
}
