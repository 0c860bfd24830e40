package dev.outboard.dpa.flexio;

import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.ThreadReport;
import dev.outboard.dpa.machine.ThreadStatus;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpa.nic.EthernetSwitch;
import dev.outboard.dpa.nic.NicPort;
import dev.outboard.dpa.process.DpaMachine;
import dev.outboard.dpa.trace.Trace;
import dev.outboard.fabric.Device;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A network device with or without a DPA. Several processes of the host may use it at once.
///
/// ```java
/// DpaDevice device = DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast());
/// ```
public final class DpaDevice {
    private static final int FIRST_NUMBER = 0x40;

    /// Of this virtual machine of Java.
    private static final Living<DpaDevice> ALL = new Living<>();

    private final @Nullable DpaMachine machine;

    /// DPA-SYS-5, DPA-FXO-4: queues, keys and outboxes of all processes have different numbers, so
    /// that none can be taken for that of another process.
    private final AtomicInteger numbers = new AtomicInteger(FIRST_NUMBER);

    private final int functions;
    private final EthernetSwitch network;
    private final Supplier<Observer> observers;
    private final Optional<Device> fabric;
    private final Living<FlexioProcess> processes = new Living<>();

    private DpaDevice(
            @Nullable DpaMachine machine,
            int functions,
            Supplier<Observer> observers,
            Optional<Device> fabric) {
        this.machine = machine;
        this.fabric = fabric;
        this.functions = functions;
        this.observers = observers;
        network = new EthernetSwitch(functions);
        ALL.add(this);
    }

    /// A device whose DPA is built and runs like that, and whose NIC has one function.
    public static DpaDevice of(MachineOptions options, RunMode mode) {
        return of(options, mode, 1);
    }

    /// The same, and it follows all its processes.
    ///
    /// @param observers makes an observer for each process that gets none by its attributes; nobody
    ///   follows a process under FAST
    public static DpaDevice of(MachineOptions options, RunMode mode, Supplier<Observer> observers) {
        return new DpaDevice(new DpaMachine(options, mode), 1, observers, Optional.empty());
    }

    /// DPA-HW-16: one whose NIC has several functions.
    ///
    /// @param functions how many: number 0 is the physical one, the others are virtual
    /// @throws FlexioException if there are fewer than 1
    public static DpaDevice of(MachineOptions options, RunMode mode, int functions) {
        if (functions < 1) {
            throw FlexioException.refuse(
                    Reason.BAD_ARGUMENT,
                    "A device has at least 1 function, not %d".formatted(functions));
        }
        return new DpaDevice(
                new DpaMachine(options, mode), functions, () -> Observer.NONE, Optional.empty());
    }

    /// DPA-MEM-17: one whose queue pairs meet peers anywhere: a device of the fabric carries what
    /// they send, such as `Fabric.open("roce://10.0.0.1")`. It is the caller's to close, after the
    /// processes.
    ///
    /// @throws FlexioException NOT_SUPPORTED in another mode than FAST, where what comes from
    ///   outside would not follow from program, inputs and seed
    public static DpaDevice of(MachineOptions options, RunMode mode, Device fabric) {
        if (!(mode instanceof RunMode.Fast)) {
            throw FlexioException.refuse(
                    Reason.NOT_SUPPORTED,
                    "Mode %s has no peers outside the machine; valid with %s: FAST"
                            .formatted(mode, fabric.name()));
        }
        return new DpaDevice(
                new DpaMachine(options, mode), 1, () -> Observer.NONE, Optional.of(fabric));
    }

    /// A device without a DPA.
    public static DpaDevice withoutDpa() {
        return new DpaDevice(null, 1, () -> Observer.NONE, Optional.empty());
    }

    /// The devices that this virtual machine of Java has made, as long as anybody uses them.
    public static List<DpaDevice> all() {
        return ALL.list();
    }

    /// What its processes have and do at this moment, in the order of their making.
    public List<ProcessStatus> status() {
        List<ProcessStatus> all = new ArrayList<>();
        for (FlexioProcess process : processes.list()) {
            try {
                all.add(process.status());
            } catch (FlexioException closed) {
                // It has just been closed.
            }
        }
        return all;
    }

    /// Begins a trace of all its processes, those too that are still to be made.
    ///
    /// @throws FlexioException if the device has no DPA
    /// @throws IllegalStateException if a trace of the device is being taken already
    public Trace trace() {
        Trace trace = machine().tracer().start(Trace.MOST_EVENTS);
        for (FlexioProcess process : processes.list()) {
            boolean ended = process.errorState().exitStatus() != 0;
            List<ThreadReport> threads = ended ? List.of() : process.process().threads();
            for (int number = 0; number < threads.size(); number++) {
                ThreadStatus thread = threads.get(number).status();
                if (thread.state() == ThreadStatus.State.RUNNING && thread.unit() >= 0) {
                    trace.running(
                            process.process().timeline(), number, thread.name(), thread.unit());
                }
            }
        }
        return trace;
    }

    /// DPA-SYS-1: what its DPA can do.
    public DpaCapabilities capabilities() {
        if (machine == null) {
            return new DpaCapabilities(false, 0, 0, 0, 0, 0);
        }
        MachineOptions options = machine.options();
        UnitGrid units = options.units();
        return new DpaCapabilities(
                true,
                units.cores(),
                units.unitsPerCore(),
                units.total(),
                units.usable(),
                options.storage().heapBytes());
    }

    /// How its DPA is built.
    ///
    /// @throws FlexioException if there is none
    public MachineOptions options() {
        return machine().options();
    }

    /// How its DPA runs.
    ///
    /// @throws FlexioException if there is none
    public RunMode mode() {
        return machine().mode();
    }

    /// The DPA.
    ///
    /// @throws FlexioException if there is none
    DpaMachine machine() {
        if (machine == null) {
            throw FlexioException.refuse(Reason.NOT_SUPPORTED, "The device has no DPA");
        }
        return machine;
    }

    /// DPA-FXQ-12: the port of a function of the NIC.
    ///
    /// @param function its number, from 0
    /// @throws FlexioException if the device has no such function
    public NicPort port(int function) {
        checkFunction(function);
        return network.port(function);
    }

    /// What joins the ports.
    EthernetSwitch network() {
        return network;
    }

    void checkFunction(int function) {
        if (function < 0 || function >= functions) {
            throw FlexioException.refuse(
                    Reason.BAD_ARGUMENT,
                    "The device has functions 0 to %d, not %d".formatted(functions - 1, function));
        }
    }

    Living<FlexioProcess> processes() {
        return processes;
    }

    /// For the next process.
    Observer observer() {
        return observers.get();
    }

    /// The device of the fabric that carries what its queue pairs send, if there is one.
    public Optional<Device> fabric() {
        return fabric;
    }

    int nextNumber() {
        return numbers.getAndIncrement();
    }

    AtomicInteger numbers() {
        return numbers;
    }
}
