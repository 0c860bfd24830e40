package dev.outboard.interop;

/// How a program ended: its exit code and everything it printed.
public record Execution(String command, int exitCode, String out, String err) {
    /// For messages about failures: all of it.
    @Override
    public String toString() {
        return "%s%nexit code %d%nstandard output:%n%sstandard error:%n%s"
                .formatted(command, exitCode, out, err);
    }
}
