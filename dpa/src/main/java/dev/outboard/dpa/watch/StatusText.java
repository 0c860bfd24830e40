package dev.outboard.dpa.watch;

import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioErrorState.Kind;
import dev.outboard.dpa.flexio.KernelStatus;
import dev.outboard.dpa.flexio.ProcessStatus;
import dev.outboard.dpa.json.JsonWriter;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.ThreadReport;
import dev.outboard.dpa.nic.QueueStatus;
import java.util.Arrays;
import java.util.List;

/// What there is in a virtual machine of Java, as JSON; `status.schema.json` describes it.
final class StatusText {
    private StatusText() {}

    static String of(long refused) {
        List<ProcessStatus> processes =
                DpaDevice.all().stream().flatMap(device -> device.status().stream()).toList();
        return JsonWriter.object(json -> {
            json.member("pid", ProcessHandle.current().pid());
            json.member("refusedConnections", refused);
            json.array("processes", processes, StatusText::write);
        });
    }

    private static void write(JsonWriter json, ProcessStatus process) {
        json.member("app", process.app());
        json.member("mode", process.mode().word());
        if (process.mode() instanceof RunMode.Turns turns) {
            turns.weak().ifPresent(profile -> json.member("profile", profile.name()));
        }
        json.member("running", process.isRunning());
        json.member("exitStatus", process.error().exitStatus());
        if (process.error().kind() == Kind.FATAL) {
            Arrays.stream(Fault.values())
                    .filter(fault -> fault.code() == process.error().exitStatus())
                    .findFirst()
                    .ifPresent(fault -> json.member("fault", fault.name()));
        }
        json.member("error", process.error().text());
        json.array("threads", process.threads(), StatusText::write);
        json.array("queues", process.queues(), StatusText::write);
        json.array("kernels", process.kernels(), StatusText::write);
        json.member(
                "heap",
                heap -> {
                    heap.member("sizeBytes", process.heap().sizeBytes());
                    heap.member("requestedBytes", process.heap().requestedBytes());
                    heap.member("allocatedBytes", process.heap().allocatedBytes());
                });
        json.member(
                "discarded",
                discarded -> {
                    discarded.member("completions", process.discards().completions());
                    discarded.member("events", process.discards().events());
                    discarded.member("foreignDoorbells", process.discards().foreignDoorbells());
                    discarded.member("staleDoorbells", process.discards().staleDoorbells());
                    discarded.member("messages", process.discards().messages());
                    discarded.member("tasks", process.discards().tasks());
                });
    }

    private static void write(JsonWriter json, ThreadReport thread) {
        json.member("name", thread.status().name());
        json.member("kind", thread.kind().name());
        json.member("state", thread.status().state().name());
        json.member("unit", thread.status().unit());
        json.member("activations", thread.activations());
    }

    private static void write(JsonWriter json, KernelStatus kernel) {
        json.member("function", kernel.function());
        json.member("threads", kernel.threads());
        json.member("isBegun", kernel.isBegun());
        json.member("running", kernel.running());
        json.member("ended", kernel.ended());
        json.array("waits", kernel.waits(), StatusText::write);
    }

    private static void write(JsonWriter json, KernelStatus.Wait wait) {
        json.member("rank", wait.rank());
        json.member("event", wait.event());
        json.member("value", wait.value());
        json.member("threshold", wait.threshold());
        json.member("mask", wait.mask());
    }

    private static void write(JsonWriter json, QueueStatus queue) {
        json.member("kind", queue.kind().name());
        json.member("number", queue.number());
        json.member("depth", queue.depth());
        json.member("written", queue.written());
        json.member("armed", queue.armed());
        json.member("error", queue.error());
        QueueStatus.Sends sends = queue.sends();
        if (sends != null) {
            json.member("sends", member -> write(member, sends));
        }
    }

    private static void write(JsonWriter json, QueueStatus.Sends sends) {
        json.member("purpose", sends.purpose());
        json.member("posted", sends.posted());
        json.member("outstanding", sends.outstanding());
        json.member("failed", sends.failed());
    }
}
