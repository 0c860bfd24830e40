package dev.outboard.console.dpacc;

import java.util.List;

/// The processors that a program can be built for. They run the same code here; a program can tell
/// them apart by the macro `__NV_DPA`.
enum Target {
    /// BlueField-3.
    BF3("nv-dpa-bf3"),
    /// ConnectX-7.
    CX7("nv-dpa-cx7"),
    /// ConnectX-8.
    CX8("nv-dpa-cx8");

    private final String option;

    Target(String option) {
        this.option = option;
    }

    /// What the compiler is told of it.
    List<String> options() {
        return List.of("-U__NV_DPA", "-D__NV_DPA=__NV_DPA_" + name());
    }

    @Override
    public String toString() {
        return option;
    }
}
