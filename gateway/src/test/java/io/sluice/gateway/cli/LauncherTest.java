package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Runs bin/sluice with Javas that only print their arguments. */
@EnabledOnOs({OS.LINUX, OS.MAC})
class LauncherTest {
  private static final Path SCRIPT = Path.of("bin", "sluice");

  @TempDir private Path folder;
  private Path jvms;
  private Path archive;
  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void setUp() throws IOException {
    jvms = Files.createDirectory(folder.resolve("jvm folder"));
    archive = Files.createDirectory(folder.resolve("the archive"));
    install(archive);
    Files.createDirectory(archive.resolve("lib"));
    Files.createFile(archive.resolve("lib/sluice-gateway-1.jar"));
    environment.put("SLUICE_JVM_FOLDER", jvms.toString());
    environment.put("HOME", folder.toString());
    environment.put("PATH", path());
  }

  @Test
  void shouldUseTheNewestJava() throws Exception {
    java("a17", "17.0.15");
    java("b25", "25.0.3");
    java("c21", "21");
    List<String> command = run(archive, "feed", "a b").command();
    assertThat(command.get(0)).isEqualTo(jvms.resolve("b25/bin/java").toString());
    assertThat(command)
        .contains("--sun-misc-unsafe-memory-access=allow", "-XX:+UseCompactObjectHeaders")
        .endsWith("io.sluice.gateway.cli.Sluice", "feed", "a b")
        .containsSequence("-cp", archive.toRealPath().resolve("lib") + "/*");
  }

  @Test
  void shouldPassEachJavaItsSupportedOptions() throws Exception {
    java("a", "17.0.1");
    assertThat(run(archive).command())
        .contains("--enable-native-access=ALL-UNNAMED", "-XX:MaxNewSize=64m")
        .contains("-Djdk.tls.rejectClientInitiatedRenegotiation=true")
        .noneMatch(option -> option.contains("unsafe") || option.contains("Compact"));
    java("b", "24.0.1");
    assertThat(run(archive).command())
        .contains("--sun-misc-unsafe-memory-access=allow")
        .noneMatch(option -> option.contains("Compact"));
  }

  @Test
  void shouldPreferJavaHomeAmongEquals() throws Exception {
    java("a", "21.0.1");
    Path home = java("z", "21.0.2");
    environment.put("JAVA_HOME", home.toString());
    assertThat(run(archive).command().get(0)).isEqualTo(home.resolve("bin/java").toString());
  }

  @Test
  void shouldUseTheConfiguredJava() throws Exception {
    java("new", "25.0.1");
    Path old = java("old", "17.0.1");
    environment.put("SLUICE_JAVA", old.toString());
    assertThat(run(archive).command().get(0)).isEqualTo(old.resolve("bin/java").toString());
    environment.put("SLUICE_JAVA", old.resolve("bin/java").toString());
    assertThat(run(archive).command().get(0)).endsWith("old/bin/java");
    environment.put("SLUICE_JAVA", folder.toString());
    assertThat(run(archive).error()).isEqualTo("sluice: SLUICE_JAVA names no Java: " + folder);
    environment.put("SLUICE_JAVA", java("ancient", "1.8.0_292").toString());
    assertThat(run(archive).error()).contains("Java 17 or later is needed; SLUICE_JAVA is 8");
  }

  /** As in a container that holds nothing else. */
  @Test
  void shouldRequireOnlyBashAndTheConfiguredJava() throws Exception {
    Path java = java("a", "25.0.5.1");
    environment.put("SLUICE_JAVA", java.toString());
    environment.put("PATH", Files.createDirectory(folder.resolve("empty")).toString());
    Result run = run(archive, "run");
    assertThat(run.error()).isEmpty();
    assertThat(run.command()).contains("-XX:+UseCompactObjectHeaders").endsWith("run");
  }

  @Test
  void shouldRunAJavaWithoutReleaseFileForItsVersion() throws Exception {
    Path home = java("a", "21.0.1");
    Files.delete(home.resolve("release"));
    assertThat(run(archive).command().get(0)).isEqualTo(home.resolve("bin/java").toString());
  }

  @Test
  void shouldAddOptionsOfTheUser() throws Exception {
    java("a", "17");
    environment.put("SLUICE_JAVA_OPTS", "-Xmx1g  -Da=*");
    assertThat(run(archive).command()).containsSubsequence("-Xmx1g", "-Da=*", "-cp");
  }

  @Test
  void shouldReportAMissingOrOldJava() throws Exception {
    Result none = run(archive);
    assertThat(none.code()).isEqualTo(1);
    assertThat(none.error())
        .isEqualTo("sluice: no java found; install JDK 17 or later, or set JAVA_HOME");
    java("a", "11.0.2");
    assertThat(run(archive).error())
        .isEqualTo(
            "sluice: Java 17 or later is needed; the newest found is 11 ("
                + jvms.resolve("a")
                + ")");
  }

  @Test
  void shouldFindItsArchiveThroughLinks() throws Exception {
    java("a", "17");
    Path link = Files.createSymbolicLink(folder.resolve("s"), archive.resolve("bin/sluice"));
    Path second = Files.createSymbolicLink(folder.resolve("t"), Path.of("s"));
    assertThat(link).exists();
    assertThat(start(second).command()).contains(archive.toRealPath().resolve("lib") + "/*");
  }

  @Test
  void shouldBuildACloneOnceAndReportMissingTools() throws Exception {
    java("a", "17");
    Path clone = Files.createDirectory(folder.resolve("clone"));
    Path gateway = Files.createDirectory(clone.resolve("gateway"));
    Files.createFile(clone.resolve("pom.xml"));
    Files.createFile(gateway.resolve("pom.xml"));
    install(gateway);
    assertThat(run(gateway).error()).contains("'mvn' is not on the PATH");
    Path jdk = java("jdk", "17");
    executable(jdk.resolve("bin/javac"), "#!/bin/sh\n");
    java("jre", "21");

    Path tools = Files.createDirectory(folder.resolve("tools"));
    executable(tools.resolve("node"), "#!/bin/sh\n");
    executable(tools.resolve("npm"), "#!/bin/sh\n");
    environment.merge("PATH", tools.toString(), (path, more) -> path + ":" + more);
    executable(
        tools.resolve("mvn"),
        """
        #!/bin/sh
        case " $* " in *" -q "*) ;; *) echo "[WARNING] it is deprecated" ;; esac
        echo "[ERROR] warnings found and -Werror specified" >&2
        exit 1
        """);
    assertThat(run(gateway).error())
        .contains("[WARNING] it is deprecated", "-Werror specified")
        .endsWith("sluice: the build failed; its output is above");
    executable(
        tools.resolve("mvn"),
        """
        #!/bin/sh
        echo "$JAVA_HOME $*" >> "$HOME/builds"
        mkdir -p gateway/target/lib gateway/embedded-broker/target/lib
        touch gateway/target/sluice-gateway-1.jar gateway/target/sluice-gateway-1-tests.jar
        """);
    assertThat(run(gateway).command())
        .contains("-Dsluice.embedded-broker=" + gateway.toRealPath() + "/embedded-broker/target")
        .contains(
            gateway.toRealPath()
                + "/target/sluice-gateway-1.jar:"
                + gateway.toRealPath()
                + "/target/lib/*");
    run(gateway);
    assertThat(Files.readAllLines(folder.resolve("builds")))
        .singleElement()
        .asString()
        .startsWith(jdk + " ")
        .contains("package");
  }

  @Test
  void shouldReportAMissingArchive() throws Exception {
    java("a", "17");
    Path stray = Files.createDirectory(folder.resolve("stray"));
    install(stray);
    assertThat(run(stray).error()).contains("is neither an unpacked archive nor a clone");
  }

  private static void install(Path home) throws IOException {
    Files.createDirectory(home.resolve("bin"));
    Files.copy(SCRIPT, home.resolve("bin/sluice"));
    assertThat(home.resolve("bin/sluice")).isExecutable();
  }

  /** A Java that prints each of its arguments, itself first, on a line of its own. */
  private Path java(String name, String version) throws IOException {
    Path home = jvms.resolve(name);
    Files.createDirectories(home.resolve("bin"));
    Files.writeString(home.resolve("release"), "X=1\nJAVA_VERSION=\"" + version + "\"\n");
    executable(
        home.resolve("bin/java"),
        """
        #!/bin/sh
        if [ "$1" = -version ]; then echo 'openjdk version "%s" 2020-01-01' >&2; exit; fi
        printf '%%s\\n' "$0" "$@"
        """
            .formatted(version));
    return home;
  }

  private static void executable(Path file, String text) throws IOException {
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** A folder with the few tools that the script needs, so that no others are found. */
  private String path() throws IOException {
    Path tools = Files.createDirectory(folder.resolve("path"));
    for (String tool : List.of("bash", "sh", "readlink", "mkdir", "touch")) {
      Path bin = Path.of("/bin", tool);
      Path original = Files.isExecutable(bin) ? bin : Path.of("/usr/bin", tool);
      executable(tools.resolve(tool), "#!/bin/sh\nexec " + original + " \"$@\"\n");
    }
    return tools.toString();
  }

  private Result run(Path home, String... arguments) throws Exception {
    return start(home.resolve("bin/sluice"), arguments);
  }

  private Result start(Path script, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("bash", script.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().clear();
    builder.environment().putAll(environment);
    Path error = folder.resolve("error");
    Process process = builder.redirectError(error.toFile()).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();
    return new Result(code, output.lines().toList(), Files.readString(error).trim());
  }

  private record Result(int code, List<String> command, String error) {}
}
