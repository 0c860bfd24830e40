package dev.outboard.dpa.machine.load;

import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.run.CodeSites;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LineNumber;
import java.lang.constant.ClassDesc;

/// Makes each call of the machine tell its code place: it goes through the [SiteBridge] with the
/// number of its site.
final class SiteRewriter {
    private final CodeSites sites;

    SiteRewriter(CodeSites sites) {
        this.sites = sites;
    }

    ClassTransform transform(ClassModel model) {
        String file =
                model.findAttribute(Attributes.sourceFile())
                        .map(source -> source.sourceFile().stringValue())
                        .orElse(model.thisClass().asInternalName());
        return (builder, element) -> {
            if (element instanceof MethodModel method && method.code().isPresent()) {
                CodeModel code = method.code().get();
                String name = method.methodName().stringValue();
                builder.transformMethod(
                        method,
                        (methodBuilder, part) -> {
                            if (part instanceof CodeModel) {
                                methodBuilder.transformCode(
                                        code, new Calls(file, name, new MethodLoops(model, code)));
                            } else {
                                methodBuilder.with(part);
                            }
                        });
            } else {
                builder.with(element);
            }
        };
    }

    /// Rewrites the calls of one method, in the order of its code.
    private final class Calls implements CodeTransform {
        private final String file;
        private final String method;
        private final MethodLoops loops;
        private int line;
        private int index = -1;

        private Calls(String file, String method, MethodLoops loops) {
            this.file = file;
            this.method = method;
            this.loops = loops;
        }

        @Override
        public void accept(CodeBuilder builder, CodeElement element) {
            index++;
            if (element instanceof LineNumber number) {
                line = number.line();
            }
            if (element instanceof InvokeInstruction call
                    && call.isInterface()
                    && SiteBridge.covers(call.owner().asSymbol())) {
                ClassDesc owner = call.owner().asSymbol();
                String name = call.name().stringValue();
                boolean poll = name.startsWith("load") && loops.isPoll(index);
                builder.loadConstant(sites.add(new CodePlace(file, line, 0, method), poll))
                        .invokestatic(
                                SiteBridge.NAME, name, SiteBridge.type(owner, call.typeSymbol()));
            } else {
                builder.with(element);
            }
        }
    }
}
