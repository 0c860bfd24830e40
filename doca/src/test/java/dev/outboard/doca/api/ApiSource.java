package dev.outboard.doca.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.source.util.JavacTask;
import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/// The sources of the module, as the readers of its API see them: every type that a user can name,
/// its methods, and their comments.
final class ApiSource {
    private static final Pattern LINK = Pattern.compile("\\[(\\w*)#(\\w+)(?:\\([^)]*\\))?]");

    /// A class, record, enum or interface that users can name.
    ///
    /// @param name as in class files: `dev/outboard/doca/Mmap`
    record Type(String name, TypeElement element, String comment, List<Method> methods) {
        boolean holdsState() {
            return element.getKind() == ElementKind.CLASS
                    && !element.getSimpleName().toString().endsWith("Exception");
        }

        @Override
        public String toString() {
            return name.substring(name.lastIndexOf('/') + 1);
        }
    }

    /// A method or constructor that users can call or override.
    ///
    /// @param key as in class files: `dev/outboard/doca/Mmap.start()Ldev/outboard/doca/Mmap;`
    record Method(Type type, ExecutableElement element, String key, String comment) {
        String name() {
            return element.getSimpleName().toString();
        }

        @Override
        public String toString() {
            return type + "." + element;
        }
    }

    private final Elements elements;
    private final Types types;
    private final Map<String, Type> byName = new LinkedHashMap<>();

    private ApiSource(JavacTask compiler) {
        elements = compiler.getElements();
        types = compiler.getTypes();
    }

    /// Reads all sources of the module; only what `packages` hold is the API.
    static ApiSource read(List<String> packages) throws IOException {
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        try (StandardJavaFileManager files =
                        ToolProvider.getSystemJavaCompiler()
                                .getStandardFileManager(problems, null, UTF_8);
                Stream<Path> sources =
                        Files.walk(Repository.root().resolve("doca/src/main/java"))) {
            List<Path> java =
                    sources.filter(path -> path.toString().endsWith(".java"))
                            .filter(path -> !path.endsWith("module-info.java"))
                            .toList();
            JavacTask compiler =
                    (JavacTask)
                            ToolProvider.getSystemJavaCompiler()
                                    .getTask(
                                            null,
                                            files,
                                            problems,
                                            List.of(
                                                    "-proc:none",
                                                    "-classpath",
                                                    System.getProperty("java.class.path")),
                                            null,
                                            files.getJavaFileObjectsFromPaths(java));
            ApiSource api = new ApiSource(compiler);
            for (Element element : compiler.analyze()) {
                String in = api.elements.getPackageOf(element).getQualifiedName().toString();
                if (packages.contains(in) && element instanceof TypeElement type) {
                    api.add(type);
                }
            }
            return api;
        }
    }

    private void add(TypeElement element) {
        if (!isVisible(element)) {
            return;
        }
        String name = binaryName(element);
        Type type = new Type(name, element, comment(element), new ArrayList<>());
        byName.put(name, type);
        for (Element member : element.getEnclosedElements()) {
            if (member instanceof TypeElement nested && !byName.containsKey(binaryName(nested))) {
                add(nested);
            } else if (member instanceof ExecutableElement method && isVisible(method)) {
                type.methods().add(method(type, method));
            }
        }
    }

    private Method method(Type type, ExecutableElement method) {
        StringBuilder key = new StringBuilder(type.name()).append('.');
        key.append(method.getSimpleName()).append('(');
        method.getParameters().forEach(p -> key.append(descriptor(p.asType())));
        key.append(')').append(descriptor(method.getReturnType()));
        return new Method(type, method, key.toString(), comment(method));
    }

    private boolean isVisible(Element element) {
        boolean isGiven = elements.getOrigin(element) == Elements.Origin.EXPLICIT;
        boolean isOpen =
                element.getModifiers().contains(Modifier.PUBLIC)
                        || element.getModifiers().contains(Modifier.PROTECTED);
        return isGiven && isOpen;
    }

    /// Whether the language gives `method` to its type: it stands for the components of a record,
    /// or the constants of an enum, which the type's comment describes.
    boolean isImplied(Method method) {
        TypeElement type = method.type().element();
        return switch (type.getKind()) {
            case ENUM -> method.name().equals("values") || method.name().equals("valueOf");
            case RECORD ->
                    elements.recordComponentFor(method.element()) != null
                            || elements.isCanonicalConstructor(method.element());
            default -> false;
        };
    }

    List<Type> types() {
        return List.copyOf(byName.values());
    }

    List<Method> methods() {
        return byName.values().stream().flatMap(type -> type.methods().stream()).toList();
    }

    /// The type and what it extends, implements and lies in, as far as it is the API's.
    Stream<Type> withSurroundings(Type type) {
        Stream<TypeElement> around =
                type.element().getEnclosingElement() instanceof TypeElement outer
                        ? Stream.of(outer)
                        : Stream.empty();
        return Stream.concat(
                Stream.of(type),
                Stream.concat(
                                around,
                                types.directSupertypes(type.element().asType()).stream()
                                        .map(ApiSource::asElement))
                        .flatMap(above -> Stream.ofNullable(byName.get(binaryName(above))))
                        .flatMap(this::withSurroundings));
    }

    /// What `method` overrides, nearest first.
    Stream<ExecutableElement> overridden(Method method) {
        return allSupertypes(method.type().element().asType())
                .flatMap(above -> ElementFilter.methodsIn(above.getEnclosedElements()).stream())
                .filter(above ->
                        elements.overrides(method.element(), above, method.type().element()));
    }

    /// The method of the API that `element` is.
    Optional<Method> find(ExecutableElement element) {
        return methods().stream().filter(method -> method.element().equals(element)).findFirst();
    }

    /// The methods that a comment of `type` refers to.
    Stream<Method> linked(Type type, String comment) {
        return LINK
                .matcher(comment)
                .results()
                .flatMap(link -> {
                    Stream<Type> owners =
                            link.group(1).isEmpty()
                                    ? withSurroundings(type)
                                    : types().stream()
                                            .filter(t -> t.toString().equals(link.group(1)))
                                            .flatMap(this::withSurroundings);
                    return owners.flatMap(owner -> owner.methods().stream())
                            .filter(method -> method.name().equals(link.group(2)));
                })
                .toList()
                .stream();
    }

    List<String> parameterNames(Method method) {
        return method.element().getParameters().stream()
                .map(VariableElement::getSimpleName)
                .map(Object::toString)
                .toList();
    }

    private Stream<TypeElement> allSupertypes(TypeMirror type) {
        return types.directSupertypes(type).stream()
                .flatMap(above -> Stream.concat(Stream.of(asElement(above)), allSupertypes(above)));
    }

    private static TypeElement asElement(TypeMirror type) {
        return (TypeElement) ((DeclaredType) type).asElement();
    }

    private String comment(Element element) {
        String comment = elements.getDocComment(element);
        return comment == null ? "" : comment;
    }

    private String binaryName(TypeElement element) {
        return elements.getBinaryName(element).toString().replace('.', '/');
    }

    private String descriptor(TypeMirror type) {
        TypeMirror erased = types.erasure(type);
        return switch (erased.getKind()) {
            case BOOLEAN -> "Z";
            case BYTE -> "B";
            case SHORT -> "S";
            case CHAR -> "C";
            case INT -> "I";
            case LONG -> "J";
            case FLOAT -> "F";
            case DOUBLE -> "D";
            case VOID -> "V";
            case ARRAY ->
                    "[" + descriptor(((javax.lang.model.type.ArrayType) erased).getComponentType());
            default -> "L" + binaryName(asElement(erased)) + ";";
        };
    }
}
