package dev.outboard.fabric.roce.io;

import dev.outboard.fabric.Fabric;

/// Prints the findings about the devices that it is given, for tests in a network of their own.
final class DiagnosisProgram {
    private DiagnosisProgram() {}

    public static void main(String[] uris) {
        for (String uri : uris) {
            Fabric.diagnose(uri)
                    .forEach(finding ->
                            System.out.println(
                                    String.join(
                                            "|",
                                            finding.verdict().name(),
                                            finding.subject(),
                                            finding.detail(),
                                            finding.remedy())));
        }
    }
}
