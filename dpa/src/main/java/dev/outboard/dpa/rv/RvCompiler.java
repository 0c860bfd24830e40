package dev.outboard.dpa.rv;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// DPA-RV-6: makes a method of Java of a region of device code, for threads under FAST: registers
/// are local variables, and loads and stores of what is simply memory have nothing to look up but
/// their bounds. For everything else it calls the thread, as the interpreter does.
///
/// DPA-MEM-6, DPA-MEM-7, DPA-MEM-13, DPA-FEN-9: loads are acquiring, so that they and later stores
/// stay in order; stores are opaque: indivisible, in order at each address, and seen by all in the
/// end, but a later load of another address may overtake one, as on the hardware; a fence, a
/// writeback and an atomic wait for them. Doorbells and window stores go by the thread, after the
/// stores before them. The interpreter does the same ([DirectAccess]).
///
/// DPA-OPM-17: that shows more of what FAST may show than Java kernels do, whose stores are
/// volatile; such a store takes 5 ns.
///
/// DPA-INT-4: a block counts its instructions when it begins; where counters can be read, blocks
/// end. The budget is looked at whenever it jumps backwards or calls.
///
/// What leaves a region by force leaves the hart with the registers as they are at that
/// instruction. Only the latest operations of a crash report lack the stores that compiled code has
/// performed itself.
final class RvCompiler {
    /// HotSpot compiles no method with more than 8,000 bytes.
    private static final int MOST_BYTES = 7_900;

    private static final int LIKELY_BYTES = 7_000;
    private static final int LEAST_BYTES = 500;

    private static final MethodTypeDesc CREATE =
            MethodTypeDesc.of(
                    ConstantDescs.CD_void,
                    ConstantDescs.CD_long.arrayType(),
                    ConstantDescs.CD_int.arrayType());
    private static final ClassDesc THIS =
            ClassDesc.of(RvCompiler.class.getPackageName(), "CompiledCode");

    private final RvCode code;
    private final RvMemory memory;
    private final List<Object> given;

    /// @param regions those that it may call
    RvCompiler(RvCode code, RvMemory memory, @Nullable CompiledRegion[] regions) {
        this.code = code;
        this.memory = memory;
        given = List.of(memory, memory.all(), memory.reservations(), regions);
    }

    /// The region that begins there, or null if the interpreter has to run its first instruction.
    ///
    /// @param registers as they are likely to be: they tell where accesses go
    /// @param calls gets where functions begin that it calls
    @Nullable CompiledRegion compile(int entry, long[] registers, Collection<Integer> calls) {
        for (int most = LIKELY_BYTES; most >= LEAST_BYTES; most /= 2) {
            RvRegion region = new RvRegion(code, entry, most);
            if (region.blocks().isEmpty()) {
                return null;
            }
            RegionPlaces places = new RegionPlaces();
            byte[] bytes = bytes(region, registers, places);
            if (codeBytes(bytes) <= MOST_BYTES) {
                calls.addAll(region.calls());
                return define(bytes, places);
            }
        }
        return null;
    }

    private byte[] bytes(RvRegion region, long[] registers, RegionPlaces places) {
        return ClassFile.of()
                .build(
                        THIS,
                        type ->
                                type.withSuperclass(RegionCode.REGION)
                                        .withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER)
                                        .withMethodBody(
                                                ConstantDescs.INIT_NAME,
                                                CREATE,
                                                0,
                                                create ->
                                                        create.aload(0)
                                                                .aload(1)
                                                                .aload(2)
                                                                .invokespecial(
                                                                        RegionCode.REGION,
                                                                        ConstantDescs.INIT_NAME,
                                                                        CREATE)
                                                                .return_())
                                        .withMethodBody(
                                                RegionCode.RUN_NAME,
                                                RegionCode.RUN,
                                                0,
                                                run ->
                                                        new RegionCode(
                                                                        code, memory, region,
                                                                        registers, places, run)
                                                                .write()));
    }

    private static int codeBytes(byte[] bytes) {
        return ClassFile.of().parse(bytes).methods().stream()
                .filter(method -> method.methodName().equalsString(RegionCode.RUN_NAME))
                .flatMap(method -> method.findAttribute(Attributes.code()).stream())
                .mapToInt(attribute -> attribute.codeLength())
                .sum();
    }

    private CompiledRegion define(byte[] bytes, RegionPlaces places) {
        try {
            MethodHandles.Lookup type =
                    MethodHandles.lookup().defineHiddenClassWithClassData(bytes, given, true);
            return (CompiledRegion)
                    type.findConstructor(
                                    type.lookupClass(),
                                    MethodType.methodType(void.class, long[].class, int[].class))
                            .invoke(places.addresses(), places.dirty());
        } catch (Throwable e) {
            throw new IllegalStateException("A region of device code cannot be compiled", e);
        }
    }
}
