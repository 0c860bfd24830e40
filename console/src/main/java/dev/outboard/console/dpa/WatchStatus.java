package dev.outboard.console.dpa;

import dev.outboard.dpa.flexio.KernelStatus;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.ThreadAttributes;
import dev.outboard.dpa.machine.ThreadStatus;
import dev.outboard.dpa.nic.QueueStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a process of the operating system tells of its processes of the DPA, as
/// `status.schema.json` describes it.
record WatchStatus(long pid, long refusedConnections, List<App> processes) {
    WatchStatus {
        need(processes, "processes");
    }

    private static void need(@Nullable Object member, String name) {
        if (member == null) {
            throw new IllegalArgumentException("%s is missing".formatted(name));
        }
    }

    /// A process of the DPA: what it is, what it has, and what it has lost.
    record App(
            String app,
            String mode,
            @Nullable Profile profile,
            boolean running,
            int exitStatus,
            @Nullable String fault,
            String error,
            List<Activity> threads,
            List<QueueStatus> queues,
            List<KernelStatus> kernels,
            Heap heap,
            Discarded discarded) {
        App {
            need(app, "app");
            need(mode, "mode");
            need(error, "error");
            need(threads, "threads");
            need(queues, "queues");
            need(kernels, "kernels");
            need(heap, "heap");
            need(discarded, "discarded");
        }

        /// In words.
        String state() {
            if (fault != null) {
                return "crashed with %s, status %d".formatted(fault, exitStatus);
            }
            return running ? "running" : "ended with status %d".formatted(exitStatus);
        }
    }

    /// A thread.
    record Activity(
            String name,
            ThreadAttributes.Kind kind,
            ThreadStatus.State state,
            int unit,
            long activations) {
        Activity {
            need(name, "name");
            need(kind, "kind");
            need(state, "state");
        }
    }

    /// Of a process.
    record Heap(long sizeBytes, long requestedBytes, long allocatedBytes) {}

    /// What was not done.
    record Discarded(
            long completions,
            long events,
            long foreignDoorbells,
            long staleDoorbells,
            long messages,
            long tasks) {
        /// In words.
        @Override
        public String toString() {
            if (completions + events + foreignDoorbells + staleDoorbells + messages + tasks == 0) {
                return "nothing";
            }
            return ("%d completions, %d events, %d doorbells of no queue, %d stale doorbells, %d messages,"
                            + " %d tasks")
                    .formatted(
                            completions, events, foreignDoorbells, staleDoorbells, messages, tasks);
        }
    }
}
