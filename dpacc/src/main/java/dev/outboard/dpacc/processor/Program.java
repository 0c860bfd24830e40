package dev.outboard.dpacc.processor;

import dev.outboard.dpacc.DpaFunction.Kind;
import dev.outboard.dpacc.processor.DeviceType.Struct;
import java.util.List;
import javax.lang.model.element.TypeElement;

/// What a stub is written from.
///
/// @param name of the app
record Program(
        TypeElement type,
        String packageName,
        String name,
        List<Function> functions,
        List<Global> globals) {

    /// An entry point.
    record Function(String name, Kind kind, Struct arguments) {}

    /// A global variable.
    record Global(String name, int bytes) {}

    String className() {
        return type.getSimpleName().toString();
    }

    /// DPA-JK-1: the stub is named after the class of the program.
    String stubName() {
        return className() + "Stub";
    }

    String qualifiedStubName() {
        return packageName.isEmpty() ? stubName() : packageName + "." + stubName();
    }
}
