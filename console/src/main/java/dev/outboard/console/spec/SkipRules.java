package dev.outboard.console.spec;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Which tests may be skipped: those that assume something, or call what does, or whose class does
/// before each or all of its tests. Classes are told apart by their simple names, and a call by the
/// name of its method, so it may say yes too often and hardly ever no.
final class SkipRules extends TreeScanner<@Nullable Void, @Nullable Void> {
    private static final Pattern ASSUMPTION =
            Pattern.compile("assume(That|True|False|ThatCode|NoException)|assumingThat|abort");
    private static final Pattern CONDITION =
            Pattern.compile("(Enabled|Disabled)(If|On|For|Only).*");
    private static final Pattern BEFORE = Pattern.compile("Before(All|Each)");

    /// What a class declares.
    private static final class Type {
        private String parent = "";
        private String outer = "";
        private final Map<String, Set<String>> calls = new HashMap<>();
        private final List<String> before = new ArrayList<>();
        private boolean isConditional;
    }

    private final Map<String, Type> types = new HashMap<>();
    private String type = "";
    private String method = "";

    void add(CompilationUnitTree unit) {
        scan(unit, null);
    }

    /// @param method a test method of `type`, or empty to ask for the class alone
    boolean maySkip(String type, String method) {
        for (String at = type; types.containsKey(at); at = types.get(at).parent) {
            Type each = types.get(at);
            if (each.isConditional
                    || (!each.outer.isEmpty() && maySkip(each.outer, ""))
                    || each.before.stream().anyMatch(name -> mayAbort(type, name))) {
                return true;
            }
        }
        return !method.isEmpty() && mayAbort(type, method);
    }

    private boolean mayAbort(String type, String method) {
        return mayAbort(type + "." + method, new HashSet<>());
    }

    private boolean mayAbort(String call, Set<String> seen) {
        if (!seen.add(call)) {
            return false;
        }
        String name = call.substring(call.lastIndexOf('.') + 1);
        String owner = call.substring(0, Math.max(0, call.lastIndexOf('.')));
        Set<String> next = callsOf(owner, name);
        return next == null
                ? ASSUMPTION.matcher(name).matches()
                : next.stream().anyMatch(each -> mayAbort(each, seen));
    }

    /// What the method calls, whether `type`, its superclass or the class around it declares it.
    private @Nullable Set<String> callsOf(String type, String method) {
        Type at = types.get(type);
        while (at != null && !at.calls.containsKey(method)) {
            at = types.get(at.parent.isEmpty() ? at.outer : at.parent);
        }
        return at == null ? null : at.calls.get(method);
    }

    @Override
    public @Nullable Void visitClass(ClassTree node, @Nullable Void nothing) {
        String outerType = type;
        String outerMethod = method;
        if (!node.getSimpleName().isEmpty()) {
            type = node.getSimpleName().toString();
            Type found = types.computeIfAbsent(type, name -> new Type());
            found.outer = outerType;
            if (node.getExtendsClause() != null) {
                found.parent = node.getExtendsClause().toString().replaceFirst("<.*", "");
            }
            found.isConditional |= hasCondition(node.getModifiers().getAnnotations());
        }
        super.visitClass(node, null);
        type = outerType;
        method = outerMethod;
        return null;
    }

    @Override
    public @Nullable Void visitMethod(MethodTree node, @Nullable Void nothing) {
        String outerMethod = method;
        method = node.getName().toString();
        List<? extends AnnotationTree> annotations = node.getModifiers().getAnnotations();
        Set<String> calls = calls();
        if (hasCondition(annotations)) {
            calls.add("assumeTrue");
        }
        Type found = types.get(type);
        if (found != null
                && annotations.stream().anyMatch(each -> BEFORE.matcher(nameOf(each)).matches())) {
            found.before.add(method);
        }
        super.visitMethod(node, null);
        method = outerMethod;
        return null;
    }

    @Override
    public @Nullable Void visitMethodInvocation(MethodInvocationTree node, @Nullable Void nothing) {
        if (node.getMethodSelect() instanceof IdentifierTree name) {
            boolean isAssumption = ASSUMPTION.matcher(name.getName()).matches();
            calls().add(isAssumption ? name.getName().toString() : type + "." + name.getName());
        } else if (node.getMethodSelect() instanceof MemberSelectTree select
                && select.getExpression() instanceof IdentifierTree owner) {
            calls().add(owner.getName() + "." + select.getIdentifier());
        }
        return super.visitMethodInvocation(node, null);
    }

    private Set<String> calls() {
        return types.computeIfAbsent(type, name -> new Type())
                .calls
                .computeIfAbsent(method, name -> new HashSet<>());
    }

    private static boolean hasCondition(List<? extends AnnotationTree> annotations) {
        return annotations.stream().anyMatch(each -> CONDITION.matcher(nameOf(each)).matches());
    }

    private static String nameOf(AnnotationTree annotation) {
        return annotation.getAnnotationType().toString();
    }
}
