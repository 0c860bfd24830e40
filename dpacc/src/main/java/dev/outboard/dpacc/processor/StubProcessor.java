package dev.outboard.dpacc.processor;

import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaGlobalVar;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;
import dev.outboard.dpacc.DpaType;
import java.io.IOException;
import java.io.Writer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.FilerException;
import javax.annotation.processing.RoundEnvironment;
import javax.annotation.processing.SupportedAnnotationTypes;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.ElementFilter;
import javax.tools.Diagnostic;

/// DPA-JK-1: writes the stub of each program that is compiled, once.
@SupportedAnnotationTypes("dev.outboard.dpacc.*")
public final class StubProcessor extends AbstractProcessor {
    private static final List<Class<? extends java.lang.annotation.Annotation>> MEMBER_MARKS =
            List.of(DpaGlobal.class, DpaRpc.class, DpaGlobalVar.class);

    /// Classes of programs by the name of their app.
    private final Map<String, String> apps = new HashMap<>();

    /// Classes of programs whose bodies the compiler is yet to understand.
    private final Set<String> programs = new HashSet<>();

    /// For the service loader.
    public StubProcessor() {}

    @Override
    public SourceVersion getSupportedSourceVersion() {
        return SourceVersion.latestSupported();
    }

    @Override
    public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
        Complaints complaints = new Complaints(processingEnv.getMessager());
        TypeReader types = new TypeReader(processingEnv.getElementUtils(), complaints);
        ProgramReader reader =
                new ProgramReader(processingEnv.getElementUtils(), complaints, types, apps);
        ElementFilter.typesIn(round.getElementsAnnotatedWith(DpaType.class)).forEach(types::read);
        for (var mark : MEMBER_MARKS) {
            for (Element marked : round.getElementsAnnotatedWith(mark)) {
                reader.checkPlace(marked, "@" + mark.getSimpleName());
            }
        }
        for (TypeElement type :
                ElementFilter.typesIn(round.getElementsAnnotatedWith(DpaProgram.class))) {
            if (programs.isEmpty()) {
                listen();
            }
            programs.add(type.getQualifiedName().toString());
            reader.read(type).ifPresent(program -> write(program, complaints));
        }
        return false;
    }

    /// Has the bodies of programs looked at, if this is a compiler that can show them.
    private void listen() {
        try {
            BodyCheck.listen(processingEnv, programs);
        } catch (IllegalArgumentException | LinkageError e) {
            processingEnv
                    .getMessager()
                    .printMessage(
                            Diagnostic.Kind.WARNING,
                            "This compiler shows no method bodies to annotation processors: the"
                                    + " fields that DPA programs use, and what their lambdas capture,"
                                    + " are checked when they are loaded");
        }
    }

    private void write(Program program, Complaints complaints) {
        try (Writer out =
                processingEnv
                        .getFiler()
                        .createSourceFile(program.qualifiedStubName(), program.type())
                        .openWriter()) {
            out.write(new StubWriter(program).source());
        } catch (FilerException e) {
            complaints.at(
                    program.type(),
                    ("The stub of program %s is the class %s, which is there already: rename one of"
                                    + " them")
                            .formatted(program.type(), program.qualifiedStubName()));
        } catch (IOException e) {
            complaints.at(
                    program.type(),
                    "The stub %s cannot be written: %s".formatted(program.qualifiedStubName(), e));
        }
    }
}
