package dev.outboard.dpa.machine;

import java.util.List;
import java.util.stream.Collectors;

/// What ended a process: one of its threads did something that the machine forbids (section 13 of
/// the catalog).
///
/// @param thread the name of the thread
/// @param unit the execution unit that it ran on
/// @param address of the access, or 0
/// @param lengthBytes of the access, or 0
/// @param detail what more there is to say, such as the key of a window; may be empty
/// @param place where in the program
/// @param latest the latest memory operations of the thread, the oldest first. Under FAST rules
///   loads of DPA memory are not among them, since noting each would cost more than the load.
public record CrashReport(
        Fault fault,
        String thread,
        int unit,
        long address,
        int lengthBytes,
        String detail,
        CodePlace place,
        List<MemoryOperation> latest) {

    /// Copies the list.
    public CrashReport {
        latest = List.copyOf(latest);
    }

    /// The report as text, several lines.
    public String text() {
        return "%s%n  latest operations: %s"
                .formatted(
                        summary(),
                        latest.stream()
                                .map(MemoryOperation::toString)
                                .collect(Collectors.joining("; ")));
    }

    /// The same without the latest operations.
    public String summary() {
        String what =
                lengthBytes == 0
                        ? "%s (code %d)".formatted(fault.text(), fault.code())
                        : "%s (code %d): %d bytes at 0x%x"
                                .formatted(fault.text(), fault.code(), lengthBytes, address);
        String why = detail.isEmpty() ? "" : "\n  " + detail;
        return "Thread '%s' on execution unit %d: %s%s%n  at %s"
                .formatted(thread, unit, what, why, place);
    }
}
