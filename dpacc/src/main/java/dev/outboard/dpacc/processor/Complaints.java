package dev.outboard.dpacc.processor;

import javax.annotation.processing.Messager;
import javax.lang.model.element.Element;
import javax.tools.Diagnostic;

/// DPA-JK-3: what is wrong with a program, as errors of the compiler at the element that is wrong.
final class Complaints {
    private final Messager messager;
    private int count;

    Complaints(Messager messager) {
        this.messager = messager;
    }

    void at(Element element, String message) {
        count++;
        messager.printMessage(Diagnostic.Kind.ERROR, message, element);
    }

    /// How many there have been.
    int count() {
        return count;
    }
}
