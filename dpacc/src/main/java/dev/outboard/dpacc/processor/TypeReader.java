package dev.outboard.dpacc.processor;

import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaScalar;
import dev.outboard.dpacc.DpaType;
import dev.outboard.dpacc.processor.DeviceType.Scalar;
import dev.outboard.dpacc.processor.DeviceType.Struct;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.RecordComponentElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.Elements;

/// Reads the types of arguments and the records marked with [DpaType], each record once.
final class TypeReader {
    private static final String VALID =
            "the device gets byte, short, int, long, boolean, DpaAddr and records marked @DpaType";

    private final Elements elements;
    private final Complaints complaints;

    /// By name; empty if something is wrong with it.
    private final Map<String, Optional<DeviceType>> records = new HashMap<>();

    /// Names of the records around the one that is being read.
    private final Set<String> open = new HashSet<>();

    TypeReader(Elements elements, Complaints complaints) {
        this.elements = elements;
        this.complaints = complaints;
    }

    /// The type of an argument or a component, or empty if the device cannot get such a value.
    ///
    /// @param of says what has the type
    Optional<DeviceType> read(Element element, TypeMirror type, String of) {
        return switch (type.getKind()) {
            case BOOLEAN -> scalar(DpaScalar.BOOLEAN);
            case BYTE -> scalar(DpaScalar.BYTE);
            case SHORT -> scalar(DpaScalar.SHORT);
            case INT -> scalar(DpaScalar.INT);
            case LONG -> scalar(DpaScalar.LONG);
            case DECLARED -> declared(element, (TypeElement) ((DeclaredType) type).asElement(), of);
            // The compiler itself says that there is no such class.
            case ERROR -> Optional.empty();
            default -> unsupported(element, type.toString(), of);
        };
    }

    private static Optional<DeviceType> scalar(DpaScalar scalar) {
        return Optional.of(new Scalar(scalar));
    }

    private Optional<DeviceType> unsupported(Element element, String type, String of) {
        complaints.at(element, "%s has the type %s: %s".formatted(of, type, VALID));
        return Optional.empty();
    }

    private Optional<DeviceType> declared(Element element, TypeElement type, String of) {
        String name = type.getQualifiedName().toString();
        if (name.equals(DpaAddr.class.getName())) {
            return scalar(DpaScalar.ADDRESS);
        }
        if (type.getKind() != ElementKind.RECORD) {
            return unsupported(element, name, of);
        }
        if (type.getAnnotation(DpaType.class) == null) {
            /// DPA-CC-8: no silent mismatch.
            complaints.at(
                    element,
                    "%s has the type %s, a record that is not marked @DpaType: %s"
                            .formatted(of, name, VALID));
            return Optional.empty();
        }
        if (open.contains(name)) {
            complaints.at(
                    element,
                    "%s has the type %s, which would contain itself: refer to it by a DpaAddr"
                            .formatted(of, name));
            return Optional.empty();
        }
        return read(type);
    }

    /// A class marked with [DpaType], or empty if it cannot be laid out.
    Optional<DeviceType> read(TypeElement type) {
        String name = type.getQualifiedName().toString();
        Optional<DeviceType> known = records.get(name);
        if (known == null) {
            open.add(name);
            known = layOut(type, name);
            open.remove(name);
            records.put(name, known);
        }
        return known;
    }

    private Optional<DeviceType> layOut(TypeElement type, String name) {
        String not = "";
        if (type.getKind() != ElementKind.RECORD) {
            not = "is no record";
        } else if (!type.getTypeParameters().isEmpty()) {
            not = "has type parameters";
        } else if (type.getRecordComponents().isEmpty()) {
            not = "has no components";
        } else if (isPrivate(type)) {
            not = "is private";
        }
        if (!not.isEmpty()) {
            complaints.at(
                    type,
                    ("%s is marked @DpaType but %s: what is passed to the device is a record with"
                                    + " components, without type parameters, that is not private")
                            .formatted(name, not));
            return Optional.empty();
        }
        List<String> names = new ArrayList<>();
        List<DeviceType> types = new ArrayList<>();
        for (RecordComponentElement component : type.getRecordComponents()) {
            names.add(component.getSimpleName().toString());
            read(
                            component,
                            component.asType(),
                            "component %s of record %s".formatted(component.getSimpleName(), name))
                    .ifPresent(types::add);
        }
        return types.size() < names.size()
                ? Optional.empty()
                : Optional.of(Struct.of(name, names, types));
    }

    private static boolean isPrivate(TypeElement type) {
        for (Element each = type; each instanceof TypeElement; each = each.getEnclosingElement()) {
            if (each.getModifiers().contains(Modifier.PRIVATE)) {
                return true;
            }
        }
        return false;
    }

    /// Whether code of a package may name a record and its parts.
    boolean isVisible(DeviceType type, PackageElement from) {
        if (!(type instanceof Struct struct)) {
            return true;
        }
        TypeElement record = elements.getTypeElement(struct.javaName());
        if (!elements.getPackageOf(record).equals(from)) {
            for (Element each = record;
                    each instanceof TypeElement;
                    each = each.getEnclosingElement()) {
                if (!each.getModifiers().contains(Modifier.PUBLIC)) {
                    return false;
                }
            }
        }
        return struct.members().stream().allMatch(member -> isVisible(member.type(), from));
    }
}
