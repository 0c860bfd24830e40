package dev.outboard.dpa.machine;

import dev.outboard.dpa.cc.DeviceCompiler;
import dev.outboard.dpa.cc.DeviceSources;
import dev.outboard.dpa.elf.DeviceElf;
import dev.outboard.dpa.litmus.Access;
import dev.outboard.dpa.litmus.Actor;
import dev.outboard.dpa.litmus.Comparison;
import dev.outboard.dpa.litmus.Expression;
import dev.outboard.dpa.litmus.LitmusProgram;
import dev.outboard.dpa.litmus.Statement;
import dev.outboard.dpa.litmus.Variable;
import dev.outboard.dpa.rv.Ecalls;
import dev.outboard.dpa.rv.RvCode;
import dev.outboard.dpa.rv.RvHart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/// The threads of litmus programs as functions in C, all compiled at once: each takes the address
/// of external memory, and tells its registers by an environment call.
final class CLitmus implements LitmusKernels.Threads {
    private static final int TELL = 0x7000;

    /// Of `outboard_ecall.h`.
    private static final int LOCK = 0x07;

    /// Whether rounds are over.
    private static final int IS_OVER = 0x7001;

    /// A register is told by a call, or where `told` is. Threads that go many rounds meet from time
    /// to time, so that they are at about the same one; at each round one waits for the others for
    /// a little while, if they do not sleep, and then a few instructions more or less, so that one
    /// is ahead of the other by all that can be.
    private static final String HEAD =
            """
            #include <libflexio-dev/flexio_dev.h>

            #define tell(index, value) put(told, index, value)

            static inline __attribute__((always_inline)) void put(
                    uint64_t *told, int64_t index, uint64_t value)
            {
                if (told) {
                    told[index] = value;
                } else {
                    outboard_ecall2(0x7000, index, value);
                }
            }

            static int meet(uint64_t *desk, uint64_t threads, uint64_t time)
            {
                volatile uint64_t *all = &desk[8];
                if (__atomic_add_fetch(desk, 1, __ATOMIC_SEQ_CST) == threads * time) {
                    *all = time > 1 && outboard_ecall2(0x7001, 0, 0) ? ~0ul : time;
                }
                while (*all < time) {
                }
                return *all == ~0ul;
            }

            static inline __attribute__((always_inline)) void together(
                    volatile uint64_t *desk, uint64_t threads, uint64_t self, uint64_t time)
            {
                desk[16 + 8 * self] = time;
                for (uint64_t other = 0; other < threads; other++) {
                    for (int i = 0; i < 256 && desk[16 + 8 * other] < time; i++) {
                    }
                }
                for (uint64_t i = (self % 2 ? time / 64 : time) % 64; i > 0; i--) {
                    __asm__ volatile("");
                }
            }
            """;

    /// Many rounds of a thread, each with variables of its own: those of the program, so many bytes
    /// further each time.
    ///
    /// @param desk 16 words where the threads meet, 0 at first, and 8 more for each
    /// @param threads how many
    /// @param self which of them
    /// @param told gets the registers of each round, in the order of [#registers]
    record Rounds(long desk, int threads, int self, int rounds, int stride, long told) {}

    private final StringBuilder source = new StringBuilder(HEAD);
    // Actors of two programs may be equal, but for where their variables are.

    private final IdentityHashMap<Actor, String> functions = new IdentityHashMap<>();
    private final IdentityHashMap<Actor, List<String>> registers = new IdentityHashMap<>();
    private DeviceElf elf;
    private RvCode code;

    /// Adds the threads of a program.
    void add(LitmusProgram program) {
        for (Actor actor : program.actors()) {
            if (actor.kind() == Actor.Kind.THREAD && !functions.containsKey(actor)) {
                functions.put(actor, "f" + functions.size());
                new Body(program, actor).write();
            }
        }
    }

    /// Compiles what was added.
    void compile(DeviceCompiler compiler, Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("litmus.c"), source);
        elf = DeviceElf.parse(compiler.compile(DeviceSources.of(file)));
        code = RvCode.of(elf.program());
    }

    /// What a process needs to run it.
    ProgramImage image() {
        return elf.image();
    }

    /// The same code for threads under FAST.
    ///
    /// @param threshold of [RvCode]
    RvCode code(int threshold) {
        byte[] bytes = image().code();
        int even = bytes.length + bytes.length % Short.BYTES;
        return new RvCode(
                AddressMap.CODE, Arrays.copyOf(bytes, even), _ -> CodePlace.NONE, threshold);
    }

    /// The names of the registers that an actor tells.
    List<String> registers(Actor actor) {
        return registers.get(actor);
    }

    /// Runs rounds of an actor.
    ///
    /// @param isOver asked now and then
    /// @return how many there were
    long run(RvCode shared, DpaThread thread, Actor actor, Rounds rounds, BooleanSupplier isOver) {
        RvHart hart =
                hart(
                        shared,
                        (_, _, number) ->
                                number == IS_OVER
                                        ? isOver.getAsBoolean() ? 1 : 0
                                        : RvHart.unknownCall(number));
        hart.register(RvHart.STACK_POINTER, thread.allocateStack(0));
        hart.register(RvHart.FIRST_ARGUMENT, rounds.desk);
        hart.register(RvHart.FIRST_ARGUMENT + 1, rounds.threads);
        hart.register(RvHart.FIRST_ARGUMENT + 2, rounds.self);
        hart.register(RvHart.FIRST_ARGUMENT + 3, rounds.rounds);
        hart.register(RvHart.FIRST_ARGUMENT + 4, rounds.stride);
        hart.register(RvHart.FIRST_ARGUMENT + 5, rounds.told);
        hart.run(thread, address("rounds_" + functions.get(actor)));
        return hart.register(RvHart.FIRST_ARGUMENT);
    }

    /// @param others serves all calls but that for a lock
    private static RvHart hart(RvCode code, Ecalls others) {
        return new RvHart(
                code,
                (caller, owner, number) -> {
                    if (number != LOCK) {
                        return others.call(caller, owner, number);
                    }
                    owner.spinLock(caller.argument(0));
                    return 0;
                });
    }

    private long address(String function) {
        return elf.program().symbols().named(function).orElseThrow().address();
    }

    @Override
    public void run(DpaThread thread, Actor actor, long external, Map<String, String> told) {
        List<String> names = registers.get(actor);
        RvHart hart =
                hart(
                        code,
                        (caller, _, number) -> {
                            if (number != TELL) {
                                return RvHart.unknownCall(number);
                            }
                            told.put(
                                    names.get((int) caller.argument(0)),
                                    Long.toUnsignedString(caller.argument(1)));
                            return 0;
                        });
        hart.register(RvHart.FIRST_ARGUMENT, external);
        // Whoever uses the stack does what the litmus program does not.
        hart.register(RvHart.STACK_POINTER, 0);
        hart.register(RvHart.FIRST_ARGUMENT + 1, 0);
        hart.register(RvHart.FIRST_ARGUMENT + 2, 0);
        hart.run(thread, address(functions.get(actor)));
    }

    /// Writes one function.
    private final class Body {
        private final LitmusProgram program;
        private final Actor actor;
        private final Set<String> names = new LinkedHashSet<>();
        private final StringBuilder text = new StringBuilder();
        private String indent = "    ";

        private Body(LitmusProgram program, Actor actor) {
            this.program = program;
            this.actor = actor;
        }

        private void write() {
            statements(actor.body());
            source.append(
                    "\n__dpa_global__ void %s(uint64_t external, uint64_t at, uint64_t *told)\n{\n"
                            .formatted(functions.get(actor)));
            names.forEach(name -> source.append("    uint64_t r_%s = 0;\n".formatted(name)));
            source.append(text).append("}\n");
            registers.put(actor, List.copyOf(names));
            writeRounds(functions.get(actor), names.size());
        }

        private void writeRounds(String function, int told) {
            source.append(
                    """

                    __dpa_rpc__ uint64_t rounds_%1$s(uint64_t *desk, uint64_t threads, uint64_t self,
                                                     uint64_t rounds, uint64_t stride, uint64_t *told)
                    {
                        for (uint64_t i = 0; i < rounds; i++) {
                            if (i %% 1024 == 0 && meet(desk, threads, i / 1024 + 1)) {
                                return i;
                            }
                            together(desk, threads, self, i + 1);
                            %1$s(0, i * stride, told + i * %2$d);
                        }
                        return rounds;
                    }
                    """
                            .formatted(function, told));
        }

        private void line(String line) {
            text.append(indent).append(line).append('\n');
        }

        private void block(List<Statement> body) {
            indent += "    ";
            statements(body);
            indent = indent.substring(4);
            line("}");
        }

        private void set(String register, String value) {
            names.add(register);
            int index = List.copyOf(names).indexOf(register);
            line("r_%s = %s;".formatted(register, value));
            line("tell(%d, r_%s);".formatted(index, register));
        }

        private void statements(List<Statement> body) {
            body.forEach(this::statement);
        }

        private void statement(Statement statement) {
            switch (statement) {
                case Statement.Assign assign -> set(assign.register(), value(assign.value()));
                case Statement.If choice -> {
                    var condition = choice.condition();
                    line(
                            "if (%s) {"
                                    .formatted(
                                            test(
                                                    value(condition.left()),
                                                    condition.comparison(),
                                                    condition.right())));
                    block(choice.then());
                    line("else {");
                    block(choice.otherwise());
                }
                case Statement.Repeat repeat -> {
                    line("for (int i = 0; i < %d; i++) {".formatted(repeat.rounds()));
                    block(repeat.body());
                }
                case Statement.Break _ -> line("break;");
                case Statement.Device device -> device(device);
                default -> throw new IllegalArgumentException(statement.toString());
            }
        }

        private String test(String left, Comparison comparison, Expression right) {
            return "%s %s %s".formatted(left, comparison.sign(), value(right));
        }

        private String value(Expression expression) {
            return switch (expression) {
                case Expression.Constant constant -> constant.value() + "LL";
                case Expression.Register register -> {
                    names.add(register.name());
                    yield "r_" + register.name();
                }
                case Expression.Combination c ->
                        "(%s %s %s)"
                                .formatted(value(c.left()), c.operator().sign(), value(c.right()));
            };
        }

        private String address(Access access) {
            Variable variable = program.variable(access.variable());
            long offset = (long) variable.address() + access.offset();
            return switch (variable.area()) {
                case HEAP -> "(0x%xUL + at)".formatted(AddressMap.HEAP + offset);
                case GLOBALS -> "0x%xUL".formatted(AddressMap.GLOBALS + offset);
                case STACK -> "0x%xUL".formatted(AddressMap.stack(0) + offset);
                case EXTERNAL -> "(external + %d)".formatted(offset);
            };
        }

        private String memory(Access access) {
            return "*(volatile uint%d_t *)%s".formatted(8 * access.sizeBytes(), address(access));
        }

        private void device(Statement.Device statement) {
            switch (statement) {
                case Statement.Load load -> set(load.register(), memory(load.access()));
                case Statement.Store store ->
                        line("%s = %s;".formatted(memory(store.access()), value(store.value())));
                case Statement.Spin spin -> {
                    String passes = test(memory(spin.access()), spin.comparison(), spin.value());
                    line("while (!(%s)) {".formatted(passes));
                    block(spin.body());
                }
                case Statement.Fence fence ->
                        line(
                                "__dpa_thread_fence(__DPA_%s, __DPA_%s, __DPA_%s);"
                                        .formatted(
                                                fence.space(),
                                                fence.predecessors(),
                                                fence.successors()));
                case Statement.CacheOperation operation ->
                        line(
                                "__dpa_thread_%s();"
                                        .formatted(
                                                switch (operation.operation()) {
                                                    case MEMORY_WRITEBACK -> "memory_writeback";
                                                    case WINDOW_WRITEBACK -> "window_writeback";
                                                    case WINDOW_READ_INV -> "window_read_inv";
                                                }));
                case Statement.Doorbell doorbell ->
                        line(
                                "*(volatile uint64_t *)0x%xUL = 0x%xUL;"
                                        .formatted(
                                                AddressMap.OUTBOX + doorbell.register().offset(),
                                                LitmusKernels.ring(program, doorbell)));
                case Statement.Atomic atomic -> atomic(atomic);
                case Statement.LoadReserved load -> {
                    names.add(load.register());
                    asm("lr", load.access(), load.order(), load.register(), "");
                }
                case Statement.StoreConditional store ->
                        asm(
                                "sc",
                                store.access(),
                                store.order(),
                                store.register().orElse(""),
                                value(store.value()));
                case Statement.SpinLock lock ->
                        line("spin_lock((struct spinlock_s *)%s);".formatted(address(lock.lock())));
                case Statement.SpinUnlock lock ->
                        line(
                                "spin_unlock((struct spinlock_s *)%s);"
                                        .formatted(address(lock.lock())));
            }
        }

        private void atomic(Statement.Atomic atomic) {
            asm(
                    "amo" + atomic.operation().name().toLowerCase(Locale.ROOT),
                    atomic.access(),
                    atomic.order(),
                    atomic.register().orElse(""),
                    value(atomic.operand()));
        }

        private void asm(
                String name, Access access, AtomicOrder order, String register, String operand) {
            boolean isWord = access.sizeBytes() == 4;
            String ordered =
                    switch (order) {
                        case RELAXED -> "";
                        case ACQUIRE -> ".aq";
                        case RELEASE -> ".rl";
                        case ACQUIRE_RELEASE -> ".aqrl";
                    };
            line("{");
            line("    uint64_t former;");
            line(
                    "    __asm__ volatile(\"%s.%s%s %%0, %s(%%1)\" : \"=&r\"(former) : \"r\"(%s)%s : \"memory\");"
                            .formatted(
                                    name,
                                    isWord ? "w" : "d",
                                    ordered,
                                    operand.isEmpty() ? "" : "%2, ",
                                    address(access),
                                    operand.isEmpty()
                                            ? ""
                                            : ", \"r\"((uint64_t)%s)".formatted(operand)));
            if (!register.isEmpty()) {
                set(register, isWord ? "(uint32_t)former" : "former");
            }
            line("}");
        }
    }
}
