/// Programs for the DPA, written in Java. It is what DPACC is for programs in C: marks for what
/// runs on the device, and a compiler step that writes what the host calls it by.
///
/// ```java
/// @DpaProgram("sums")
/// final class Sums {
///     @DpaType
///     record Range(long from, int count) {}
///
///     @DpaGlobalVar(bytes = 8)
///     static DpaAddr calls;
///
///     @DpaRpc
///     static long sum(DpaThread thread, Range range, boolean twice) {
///         thread.atomic64(AtomicOp.ADD, calls.value(), 1, AtomicOrder.NONE);
///         …
///     }
/// }
/// ```
///
/// When that is compiled with this module on the processor path, the class `SumsStub` is written
/// into its package: the name of the program's class and `Stub`. It has, with the program's name in
/// `APP`, for each entry point a constant and a method of the same name:
///
/// ```java
/// public static final DpaApp<DpaThread> APP = …
/// public static final DpaFunction<DpaThread> sum = …
/// public static DpaCall<DpaThread> sum(Sums.Range range, boolean twice) { … }
/// ```
///
/// The method copies the arguments into the bytes of a [dev.outboard.dpacc.DpaLayout]; the device
/// gets nothing but these. A process of the DPA loads the classes of an
/// [app][dev.outboard.dpacc.DpaApp] anew, so what the host holds of a call and what the device runs
/// are two worlds: it finds the function by its name in the app that it loaded, and runs it with
/// the bytes.
///
/// The thread of a kernel is a `dev.outboard.dpa.machine.DpaThread`, of the module `dpa`, which
/// imports this one. So the types here leave it open as `T`; the processor and the stubs name it,
/// and it is there when a program is compiled.
///
/// The whole class of a program is code of the device: all its methods, and the classes in it. It
/// reads constants, its globals and the components of its records, and no other field; lambdas and
/// classes in its methods capture nothing. Code that it calls in other classes is looked at when
/// the program is loaded.
package dev.outboard.dpacc;
