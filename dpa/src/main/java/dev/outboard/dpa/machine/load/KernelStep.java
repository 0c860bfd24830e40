package dev.outboard.dpa.machine.load;

import dev.outboard.dpa.machine.load.KernelValues.Frame;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ConvertInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.NewMultiArrayInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.classfile.instruction.StackInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;

/// What one instruction does to the operands and local variables, in slots of 4 bytes each.
final class KernelStep {
    private KernelStep() {}

    /// Does it.
    ///
    /// @param result whether what a call gives is own
    static void apply(CodeElement element, Frame frame, boolean result) {
        switch (element) {
            case ArrayLoadInstruction load -> {
                frame.pop(2);
                frame.push(load.typeKind().slotSize(), false);
            }
            case ArrayStoreInstruction store -> frame.pop(store.typeKind().slotSize() + 2);
            case BranchInstruction branch -> frame.pop(operands(branch.opcode()));
            case ConstantInstruction constant -> {
                boolean isNull = constant.opcode() == Opcode.ACONST_NULL;
                boolean isReference = constant.typeKind() == TypeKind.REFERENCE;
                frame.push(constant.typeKind().slotSize(), isNull || !isReference);
            }
            case ConvertInstruction convert -> {
                frame.pop(convert.fromType().slotSize());
                frame.push(convert.toType().slotSize(), true);
            }
            case FieldInstruction field -> access(field, frame);
            case InvokeDynamicInstruction made -> {
                frame.pop(KernelValues.slots(made.typeSymbol()));
                frame.push(1, true);
            }
            case InvokeInstruction call -> {
                frame.pop(KernelValues.slots(call.typeSymbol()) + (isStatic(call) ? 0 : 1));
                frame.push(TypeKind.from(call.typeSymbol().returnType()).slotSize(), result);
            }
            case LoadInstruction load -> frame.load(load.slot(), load.typeKind().slotSize());
            case StoreInstruction store -> frame.store(store.slot(), store.typeKind().slotSize());
            case LookupSwitchInstruction jump -> frame.pop(1);
            case TableSwitchInstruction jump -> frame.pop(1);
            case MonitorInstruction monitor -> frame.pop(1);
            case NewMultiArrayInstruction made -> {
                frame.pop(made.dimensions());
                frame.push(1, true);
            }
            case NewObjectInstruction made -> frame.push(1, true);
            case NewPrimitiveArrayInstruction made -> {
                frame.pop(1);
                frame.push(1, true);
            }
            case NewReferenceArrayInstruction made -> {
                frame.pop(1);
                frame.push(1, true);
            }
            case OperatorInstruction operator -> operate(operator, frame);
            case StackInstruction stack -> rearrange(stack.opcode(), frame);
            case TypeCheckInstruction check -> {
                if (check.opcode() == Opcode.INSTANCEOF) {
                    frame.pop(1);
                    frame.push(1, true);
                }
            }
            default -> {
                // Ends the method, changes a number, or does nothing.
            }
        }
    }

    static boolean isStatic(InvokeInstruction call) {
        return call.opcode() == Opcode.INVOKESTATIC;
    }

    private static int operands(Opcode branch) {
        return switch (branch) {
            case GOTO, GOTO_W -> 0;
            case IFEQ, IFNE, IFLT, IFGE, IFGT, IFLE, IFNULL, IFNONNULL -> 1;
            default -> 2;
        };
    }

    private static void access(FieldInstruction field, Frame frame) {
        int slots = TypeKind.from(field.typeSymbol()).slotSize();
        boolean isPrimitive = field.typeSymbol().isPrimitive();
        switch (field.opcode()) {
            case GETSTATIC -> frame.push(slots, isPrimitive);
            case GETFIELD -> {
                frame.pop(1);
                frame.push(slots, isPrimitive);
            }
            case PUTSTATIC -> frame.pop(slots);
            default -> frame.pop(slots + 1);
        }
    }

    private static void operate(OperatorInstruction operator, Frame frame) {
        int slots = operator.typeKind().slotSize();
        switch (operator.opcode()) {
            case ARRAYLENGTH, INEG, FNEG, LNEG, DNEG -> {
                // As many slots as before.
            }
            case LCMP, DCMPL, DCMPG -> {
                frame.pop(4);
                frame.push(1, true);
            }
            case FCMPL, FCMPG -> frame.pop(1);
            case LSHL, LSHR, LUSHR -> frame.pop(1);
            default -> frame.pop(slots);
        }
    }

    private static void rearrange(Opcode opcode, Frame frame) {
        switch (opcode) {
            case POP -> frame.pop(1);
            case POP2 -> frame.pop(2);
            case DUP -> frame.duplicate(1, 0);
            case DUP_X1 -> frame.duplicate(1, 1);
            case DUP_X2 -> frame.duplicate(1, 2);
            case DUP2 -> frame.duplicate(2, 0);
            case DUP2_X1 -> frame.duplicate(2, 1);
            case DUP2_X2 -> frame.duplicate(2, 2);
            default -> {
                // SWAP: the copy of the upper one below the lower one, and the upper one away.
                frame.duplicate(1, 1);
                frame.pop(1);
            }
        }
    }
}
