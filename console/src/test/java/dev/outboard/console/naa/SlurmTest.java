package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.outboard.console.Execution;
import dev.outboard.console.OutboardProcess;
import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The files of `contrib/slurm` in a Slurm of one node with two accelerators. Its daemons run in
/// the foreground, with a directory and ports of their own, as long as the test.
class SlurmTest {
    private static final Path KIT = Repository.root().resolve("contrib/slurm");
    private static final List<String> PROGRAMS =
            List.of("munged", "slurmctld", "slurmd", "srun", "sbatch", "scontrol");

    @TempDir private static Path directory;
    private static final List<OutboardProcess> RUNNING = new ArrayList<>();
    private static final List<String> NAAS = new ArrayList<>();

    @BeforeAll
    static void startSlurm() throws IOException {
        for (String program : PROGRAMS) {
            assumeTrue(
                    Stream.of("/usr/bin", "/usr/sbin")
                            .anyMatch(bin -> Files.isExecutable(Path.of(bin, program))),
                    program + " of Slurm is not installed");
        }
        assumeTrue(
                "root".equals(System.getProperty("user.name")), "Slurm's daemons run as root here");
        startNode();
        startNode();
        writeConfiguration();
        start(
                "munged",
                List.of(
                        "--foreground",
                        "--force",
                        option("key-file", "key"),
                        option("socket", "munge.sock"),
                        option("pid-file", "munged.pid"),
                        option("seed-file", "seed")),
                ".*Created socket.*");
        start("slurmctld", List.of("-D"), ".*Running as primary controller.*");
        start("slurmd", List.of("-D", "-N", "node1"), ".*slurmd started.*");
    }

    @AfterAll
    static void stopSlurm() {
        RUNNING.reversed().forEach(OutboardProcess::close);
    }

    private static void startNode() {
        OutboardProcess node = OutboardProcess.node();
        RUNNING.add(node);
        NAAS.add(node.address());
    }

    private static void start(String daemon, List<String> options, String ready) {
        List<String> words = new ArrayList<>(List.of("/usr/sbin/" + daemon));
        words.addAll(options);
        OutboardProcess process = OutboardProcess.ofProgram(program(words));
        RUNNING.add(process);
        process.awaitErrorLine(ready);
    }

    private static String option(String name, String file) {
        return "--" + name + "=" + directory.resolve(file);
    }

    private static void writeConfiguration() throws IOException {
        String host = InetAddress.getLocalHost().getHostName();
        try (ServerSocket one = new ServerSocket(0);
                ServerSocket other = new ServerSocket(0)) {
            write(
                    "slurm.conf",
                    site(host, one.getLocalPort(), other.getLocalPort())
                            + example("slurm.conf")
                                    .replace(
                                            "NodeName=node1",
                                            "NodeName=node1 NodeHostname="
                                                    + host
                                                    + " NodeAddr=127.0.0.1"));
        }
        write("gres.conf", example("gres.conf"));
        for (String name : List.of("state", "spool", "naa")) {
            Files.createDirectory(directory.resolve(name));
        }
        Files.createFile(directory.resolve("naa/naa0"));
        Files.createFile(directory.resolve("naa/naa1"));
        write(
                "naa-pool",
                """
                # node index item
                node1 0 %1$s:12:1
                node1 0 %1$s:10:2
                node1 1 %2$s:12:1
                node2 0 192.0.2.1:12345:12:1
                """
                        .formatted(NAAS.get(0), NAAS.get(1)));
        script("task-prolog.sh", Files.readString(KIT.resolve("task-prolog.sh")));
        script(
                "outboard",
                "#!/bin/sh\nexec " + String.join(" ", OutboardProcess.command()) + " \"$@\"\n");
        byte[] key = new byte[1024];
        new SecureRandom().nextBytes(key);
        Path file = Files.write(directory.resolve("key"), key);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--------"));
    }

    /// What the example leaves to the site, for daemons on one machine.
    private static String site(String host, int controllerPort, int nodePort) {
        return """
        ClusterName=test
        SlurmctldHost=%1$s(127.0.0.1)
        SlurmUser=root
        SlurmdUser=root
        AuthType=auth/munge
        AuthInfo=socket=%2$s/munge.sock
        CredType=cred/munge
        MpiDefault=none
        ProctrackType=proctrack/linuxproc
        TaskPlugin=task/none
        JobAcctGatherType=jobacct_gather/none
        ReturnToService=2
        SlurmctldPort=%3$d
        SlurmdPort=%4$d
        SlurmctldPidFile=%2$s/slurmctld.pid
        SlurmdPidFile=%2$s/slurmd.pid
        StateSaveLocation=%2$s/state
        SlurmdSpoolDir=%2$s/spool
        SlurmdParameters=config_overrides
        PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
        """
                .formatted(host, directory, controllerPort, nodePort);
    }

    /// A file of the kit, with the directories of the test.
    private static String example(String name) throws IOException {
        return Files.readString(KIT.resolve(name))
                .replace("/etc/slurm", directory.toString())
                .replace("/var/lib", directory.toString());
    }

    private static void script(String name, String text) throws IOException {
        Files.setPosixFilePermissions(
                write(name, text), PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static Path write(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }

    @Test
    void aJobLearnsWhichAcceleratorsItHas() {
        assertThat(specOf("--gres=naa:2"))
                .isEqualTo("%1$s:12:1,%1$s:10:2,%2$s:12:1".formatted(NAAS.get(0), NAAS.get(1)));
        assertThat(specOf("--gres=naa:1")).isIn(itemsOf(0), itemsOf(1));
        assertThat(specOf()).as("a job that asks for none").isEmpty();
    }

    @Test
    void twoJobsAtOnceHaveDifferentAccelerators() {
        try (OutboardProcess waiting =
                OutboardProcess.ofProgram(
                        program(
                                List.of(
                                        "srun",
                                        "--gres=naa:1",
                                        "sh",
                                        "-c",
                                        "echo has $NAA_SPEC; cat")))) {
            String first = waiting.awaitLine("has (.+)").group(1);
            String second = specOf("--gres=naa:1");

            assertThat(List.of(first, second)).containsExactlyInAnyOrder(itemsOf(0), itemsOf(1));
            waiting.handle().destroy(); // srun ends its job, which nobody else would
            waiting.awaitEnd();
        }
    }

    @Test
    void aBatchJobOffloads() throws IOException {
        Path file = write("abc", "abc");

        Execution job = run("sbatch", "--wait", KIT.resolve("job.sh").toString(), file.toString());

        assertThat(job.exitCode()).as(job.toString()).isZero();
        byte[] digest = Files.readAllBytes(directory.resolve("abc.sha256"));
        assertThat(HexFormat.of().formatHex(digest))
                .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    /// The items of NAA_SPEC of the accelerator with this index.
    private static String itemsOf(int index) {
        String naa = NAAS.get(index);
        return index == 0 ? "%1$s:12:1,%1$s:10:2".formatted(naa) : naa + ":12:1";
    }

    private static String specOf(String... options) {
        List<String> words = new ArrayList<>(List.of("srun"));
        words.addAll(List.of(options));
        words.addAll(List.of("sh", "-c", "echo $NAA_SPEC"));
        Execution job = run(words.toArray(String[]::new));
        assertThat(job.exitCode()).as(job.toString()).isZero();
        return job.out().strip();
    }

    private static Execution run(String... words) {
        try (OutboardProcess process = OutboardProcess.ofProgram(program(List.of(words)))) {
            return process.awaitEnd();
        }
    }

    private static ProcessBuilder program(List<String> words) {
        ProcessBuilder program = new ProcessBuilder(words).directory(directory.toFile());
        program.environment().put("SLURM_CONF", directory.resolve("slurm.conf").toString());
        program.environment().merge("PATH", directory.toString(), (path, own) -> own + ":" + path);
        return program;
    }
}
