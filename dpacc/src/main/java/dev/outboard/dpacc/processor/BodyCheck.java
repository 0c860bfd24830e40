package dev.outboard.dpacc.processor;

import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompoundAssignmentTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.ParameterizedTypeTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.UnaryTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TaskEvent;
import com.sun.source.util.TaskListener;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import dev.outboard.dpacc.DpaGlobalVar;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import javax.annotation.processing.ProcessingEnvironment;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.tools.Diagnostic;
import org.jspecify.annotations.Nullable;

/// DPA-JK-3, DPA-JK-4: looks at all code in the class of a program: which fields it reads, that it
/// writes none, and that its lambdas and inner classes capture nothing. It is the only class here
/// that needs the module `jdk.compiler`.
final class BodyCheck extends TreePathScanner<Void, Void> {
    private static final String VALID_FIELD =
            "a kernel reads constants, its globals marked @DpaGlobalVar and components of records;"
                    + " all else that is shared it reaches through its DpaThread";

    private final Trees trees;
    private final TypeElement program;

    /// The lambdas and classes around, the innermost first.
    private final Deque<Scope> scopes = new ArrayDeque<>();

    /// @param what how a message names it
    /// @param declared the local variables declared in it
    /// @param captured those that it has been told of
    private record Scope(String what, Set<Element> declared, Set<Element> captured) {
        Scope(String what) {
            this(what, new HashSet<>(), new HashSet<>());
        }
    }

    private BodyCheck(Trees trees, TypeElement program) {
        this.trees = trees;
        this.program = program;
    }

    /// Looks at each of the programs as soon as the compiler has understood it.
    ///
    /// @param programs qualified names; may grow
    /// @throws IllegalArgumentException if this is not the compiler of the JDK
    static void listen(ProcessingEnvironment environment, Set<String> programs) {
        Trees trees = Trees.instance(environment);
        JavacTask.instance(environment)
                .addTaskListener(
                        new TaskListener() {
                            @Override
                            public void finished(TaskEvent event) {
                                TypeElement type = event.getTypeElement();
                                if (event.getKind() == TaskEvent.Kind.ANALYZE
                                        && type != null
                                        && programs.contains(type.getQualifiedName().toString())) {
                                    new BodyCheck(trees, type).scan(trees.getPath(type), null);
                                }
                            }
                        });
    }

    private void complain(Tree at, String message) {
        trees.printMessage(
                Diagnostic.Kind.ERROR, message, at, getCurrentPath().getCompilationUnit());
    }

    private @Nullable Element element(Tree part) {
        return trees.getElement(new TreePath(getCurrentPath(), part));
    }

    // Captures

    @Override
    public @Nullable Void visitClass(ClassTree node, @Nullable Void none) {
        String name = node.getSimpleName().toString();
        scopes.push(new Scope(name.isEmpty() ? "An anonymous class" : "Class " + name));
        super.visitClass(node, null);
        scopes.pop();
        return null;
    }

    @Override
    public @Nullable Void visitLambdaExpression(LambdaExpressionTree node, @Nullable Void none) {
        scopes.push(new Scope("A lambda"));
        super.visitLambdaExpression(node, null);
        scopes.pop();
        return null;
    }

    @Override
    public @Nullable Void visitVariable(VariableTree node, @Nullable Void none) {
        Element variable = trees.getElement(getCurrentPath());
        if (variable != null) {
            scopes.element().declared().add(variable);
        }
        return super.visitVariable(node, null);
    }

    private void checkCapture(Tree at, Element variable) {
        Scope scope = scopes.element();
        if (!scope.declared().contains(variable) && scope.captured().add(variable)) {
            complain(
                    at,
                    ("%s in program %s captures the variable %s: code of the device has no"
                                    + " closures, pass the value as an argument")
                            .formatted(scope.what(), program, variable));
        }
    }

    @Override
    public @Nullable Void visitMemberReference(MemberReferenceTree node, @Nullable Void none) {
        ExpressionTree receiver = node.getQualifierExpression();
        TypeMirror type = trees.getTypeMirror(new TreePath(getCurrentPath(), receiver));
        Element element = element(receiver);
        boolean isType =
                element instanceof TypeElement
                        || (element == null && type != null && type.getKind() == TypeKind.ARRAY)
                        || receiver instanceof ParameterizedTypeTree;
        if (isType) {
            return super.visitMemberReference(node, null);
        }
        complain(
                node,
                ("A method reference in program %s captures %s: code of the device has no closures,"
                                + " pass the value as an argument")
                        .formatted(program, receiver));
        return null;
    }

    // Fields

    @Override
    public @Nullable Void visitAssignment(AssignmentTree node, @Nullable Void none) {
        scanTarget(node.getVariable());
        return scan(node.getExpression(), null);
    }

    @Override
    public @Nullable Void visitCompoundAssignment(
            CompoundAssignmentTree node, @Nullable Void none) {
        scanTarget(node.getVariable());
        return scan(node.getExpression(), null);
    }

    @Override
    public @Nullable Void visitUnary(UnaryTree node, @Nullable Void none) {
        switch (node.getKind()) {
            case PREFIX_INCREMENT, PREFIX_DECREMENT, POSTFIX_INCREMENT, POSTFIX_DECREMENT ->
                    scanTarget(node.getExpression());
            default -> super.visitUnary(node, null);
        }
        return null;
    }

    private void scanTarget(ExpressionTree target) {
        Element field = element(target);
        if (field == null || field.getKind() != ElementKind.FIELD) {
            scan(target, null);
        } else if (!isComponent(field)) {
            complain(
                    target,
                    ("Program %s writes the field %s: a kernel writes no field; what is shared it"
                                    + " stores through its DpaThread")
                            .formatted(program, name(field)));
        }
    }

    @Override
    public @Nullable Void visitIdentifier(IdentifierTree node, @Nullable Void none) {
        String name = node.getName().toString();
        Element element = trees.getElement(getCurrentPath());
        if (element != null && !name.equals("this") && !name.equals("super")) {
            switch (element.getKind()) {
                case FIELD -> checkRead(node, (VariableElement) element);
                case LOCAL_VARIABLE,
                        PARAMETER,
                        EXCEPTION_PARAMETER,
                        RESOURCE_VARIABLE,
                        BINDING_VARIABLE ->
                        checkCapture(node, element);
                default -> {}
            }
        }
        return super.visitIdentifier(node, null);
    }

    @Override
    public @Nullable Void visitMemberSelect(MemberSelectTree node, @Nullable Void none) {
        Element element = trees.getElement(getCurrentPath());
        String name = node.getIdentifier().toString();
        if (element != null
                && element.getKind() == ElementKind.FIELD
                && !name.equals("class")
                && !name.equals("this")
                && !isLengthOfArray(node)) {
            checkRead(node, (VariableElement) element);
        }
        return super.visitMemberSelect(node, null);
    }

    private boolean isLengthOfArray(MemberSelectTree node) {
        TypeMirror type = trees.getTypeMirror(new TreePath(getCurrentPath(), node.getExpression()));
        return type != null && type.getKind() == TypeKind.ARRAY;
    }

    private void checkRead(Tree at, VariableElement field) {
        boolean isGlobal = field.getAnnotation(DpaGlobalVar.class) != null;
        if ((isGlobal && program.equals(field.getEnclosingElement()))
                || field.getConstantValue() != null
                || isComponent(field)) {
            return;
        }
        complain(
                at,
                "Program %s reads the field %s, %s: %s"
                        .formatted(
                                program,
                                name(field),
                                isGlobal ? "a global of another program" : "which is no constant",
                                VALID_FIELD));
    }

    /// Whether it holds a component of a record, which never changes.
    private static boolean isComponent(Element field) {
        return field.getEnclosingElement() instanceof TypeElement owner
                && owner.getKind() == ElementKind.RECORD
                && !field.getModifiers().contains(Modifier.STATIC);
    }

    private static String name(Element field) {
        return "%s.%s".formatted(field.getEnclosingElement(), field.getSimpleName());
    }
}
