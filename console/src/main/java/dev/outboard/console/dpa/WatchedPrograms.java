package dev.outboard.console.dpa;

import dev.outboard.dpa.watch.Watched;
import dev.outboard.terminal.CommandException;
import java.io.IOException;
import java.util.List;

/// The programs of this user that can be looked at.
final class WatchedPrograms {
    private WatchedPrograms() {}

    /// @param pids which; all if it is empty
    /// @throws CommandException if one of them is not there
    static List<Watched> find(List<Long> pids) throws IOException {
        List<Watched> all = Watched.all();
        return pids.isEmpty() ? all : pids.stream().map(pid -> find(all, pid)).toList();
    }

    private static Watched find(List<Watched> all, long pid) {
        return all.stream()
                .filter(watched -> watched.pid() == pid)
                .findFirst()
                .orElseThrow(() ->
                        new CommandException(
                                "no program of this user with PID %d can be looked at: run it by"
                                                .formatted(pid)
                                        + " 'outboard dpa run', or let it call Watch.open"));
    }
}
