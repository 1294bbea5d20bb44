package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Runs bin/sluice with Javas that only print their arguments. */
@EnabledOnOs({OS.LINUX, OS.MAC})
class LauncherTest {
  private static final Path SCRIPT = Path.of("bin", "sluice");
  private static final Path REFERENCE = Path.of("..", "docs", "reference");
  private static final String UNBUILT =
      "sluice: this clone is not built; the text is from docs/reference";

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
  void shouldAddTheDemoToCommandsOtherThanANode() throws Exception {
    java("a", "17");
    Files.createDirectory(archive.resolve("demo"));
    Path home = archive.toRealPath();
    assertThat(run(archive, "demo").command())
        .containsSequence("-cp", home.resolve("lib") + "/*:" + home.resolve("demo") + "/*");
    assertThat(run(archive, "run").command()).containsSequence("-cp", home.resolve("lib") + "/*");
  }

  @Test
  void shouldUseTheCacheOfItsJavaBuild() throws Exception {
    Path java = java("a", "25.0.3");
    Path caches = Files.createDirectory(archive.resolve("aot"));
    Files.createFile(caches.resolve("sluice-25.0.2+9.aot"));
    assertThat(run(archive, "run").command())
        .containsSequence("-cp", archive.toRealPath().resolve("lib") + "/*")
        .noneMatch(LauncherTest::isCacheOption);
    Path cache = Files.createFile(caches.resolve("sluice-25.0.3+9.aot")).toRealPath();
    assertThat(run(archive, "run").command()).contains("-XX:AOTCache=" + cache);

    Files.writeString(java.resolve("release"), "JAVA_VERSION=\"21.0.1\"\n");
    cache = Files.createFile(caches.resolve("sluice-21.jsa")).toRealPath();
    assertThat(run(archive, "run").command()).contains("-XX:SharedArchiveFile=" + cache);
  }

  /** A cache is valid for one class path only, and folders have different orders of files. */
  @Test
  void shouldSortTheClassPathForACache() throws Exception {
    java("a", "25");
    for (String jar : List.of("b-1.jar", "Z-1.jar", "a-1.jar")) {
      Files.createFile(archive.resolve("lib").resolve(jar));
    }
    String sorted =
        Stream.of("Z-1", "a-1", "b-1", "sluice-gateway-1")
            .map(jar -> archive + "/lib/" + jar + ".jar")
            .collect(Collectors.joining(":"));
    environment.put("LC_ALL", "en_US.UTF-8");
    assertThat(run(archive, "aot-cache").command())
        .contains("-Dsluice.aot-cache=" + archive + "/aot/sluice-25+9.aot")
        .containsSequence("-cp", sorted);
    Files.createFile(Files.createDirectory(archive.resolve("aot")).resolve("sluice-25+9.aot"));
    assertThat(run(archive, "run").command()).containsSequence("-cp", sorted);
  }

  @Test
  void shouldUseTheConfiguredFolderOfCachesOrNone() throws Exception {
    java("a", "25.0.3");
    Path caches = Files.createDirectory(folder.resolve("a folder"));
    Path cache = Files.createFile(caches.resolve("sluice-25.0.3+9.aot"));
    environment.put("SLUICE_AOT_CACHE", caches.toString());
    assertThat(run(archive).command()).contains("-XX:AOTCache=" + cache);
    assertThat(run(archive, "aot-cache").command())
        .contains("-Dsluice.aot-cache=" + cache)
        .noneMatch(LauncherTest::isCacheOption);
    environment.put("SLUICE_AOT_CACHE", "off");
    assertThat(run(archive).command()).noneMatch(LauncherTest::isCacheOption);
    assertThat(run(archive, "aot-cache").command()).contains("-Dsluice.aot-cache=");
  }

  @Test
  void shouldReportAnOutdatedCache() throws Exception {
    java("a", "25.0.3");
    Path caches = Files.createDirectory(archive.resolve("aot"));
    Path cache = Files.createFile(caches.resolve("sluice-25.0.3+9.aot"));
    Files.setLastModifiedTime(cache, FileTime.from(Instant.EPOCH));
    Result run = run(archive, "run");
    assertThat(run.command()).noneMatch(LauncherTest::isCacheOption);
    assertThat(run.error())
        .isEqualTo(
            "sluice: the AOT cache is older than the installation; create it by: "
                + archive.resolve("bin/sluice")
                + " aot-cache");
    assertThat(run(archive, "probe").error()).isEmpty();
  }

  /** Java would reject both options together. */
  @Test
  void shouldPassNoCacheBesidesOneOfTheUser() throws Exception {
    java("a", "25.0.3");
    Path caches = Files.createDirectory(archive.resolve("aot"));
    Files.createFile(caches.resolve("sluice-25.0.3+9.aot"));
    for (String option : List.of("-XX:AOTMode=off", "-Xshare:off", "-XX:SharedArchiveFile=x")) {
      for (String variable :
          List.of("SLUICE_JAVA_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")) {
        environment.put(variable, "-Da=1 " + option);
        assertThat(run(archive).command()).noneMatch(each -> each.startsWith("-XX:AOTCache"));
        environment.remove(variable);
      }
    }
  }

  private static boolean isCacheOption(String option) {
    return option.startsWith("-XX:AOT")
        || option.startsWith("-XX:Shared")
        || option.startsWith("-Xlog");
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
  void shouldExitWithoutHeapUnlessTheUserDecidesOtherwise() throws Exception {
    java("a", "17.0.1");
    assertThat(run(archive).command()).contains("-XX:+ExitOnOutOfMemoryError");
    environment.put("SLUICE_JAVA_OPTS", "-XX:-ExitOnOutOfMemoryError");
    assertThat(run(archive).command())
        .containsSubsequence("-XX:+ExitOnOutOfMemoryError", "-XX:-ExitOnOutOfMemoryError");
  }

  @Test
  void shouldReturnUnusedMemoryByG1() throws Exception {
    java("a", "17.0.1");
    assertThat(run(archive).command())
        .contains("-XX:+UseG1GC", "-XX:G1PeriodicGCInterval=5000")
        .containsSubsequence(
            "-XX:+UnlockExperimentalVMOptions", "-XX:G1ExpandByPercentOfAvailable=0")
        .noneMatch(option -> option.contains("TrimNativeHeap"));
    java("b", "26");
    assertThat(run(archive).command())
        .contains("-XX:+UseG1GC", "-XX:G1PeriodicGCInterval=5000")
        .noneMatch(option -> option.contains("Experimental") || option.contains("G1Expand"));
  }

  @Test
  void shouldUseTheCollectorOfTheUser() throws Exception {
    java("a", "25");
    for (String name : List.of("SLUICE_JAVA_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")) {
      environment.put(name, "-Da=b -XX:+UseZGC");
      assertThat(run(archive).command())
          .contains("-XX:MaxNewSize=64m")
          .noneMatch(option -> option.contains("G1") || option.startsWith("-Xms"));
      environment.remove(name);
    }
    environment.put("SLUICE_JAVA_OPTS", "-XX:MaxGCPauseMillis=5");
    assertThat(run(archive).command())
        .contains("-XX:+UseG1GC")
        .containsSubsequence(
            "-XX:MinHeapSize=24m", "-XX:MaxGCPauseMillis=10", "-XX:MaxGCPauseMillis=5");
  }

  @Test
  void shouldUseTheHeapSizeOfTheUser() throws Exception {
    java("a", "25");
    for (String size : List.of("-Xmx48m", "-Xms1g", "-XX:InitialRAMPercentage=5")) {
      environment.put("JAVA_TOOL_OPTIONS", size);
      assertThat(run(archive).command())
          .contains("-XX:+UseG1GC")
          .doesNotContain("-XX:MinHeapSize=24m");
    }
    environment.put("JAVA_TOOL_OPTIONS", "-XX:MinHeapFreeRatio=70");
    assertThat(run(archive).command())
        .contains("-XX:MinHeapSize=24m")
        .doesNotContain("-XX:MaxHeapFreeRatio=50");
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
        echo "[INFO] 2,000 lines of progress"
        case " $* " in *" -q "*) ;; *) echo "[WARNING] /a/Feed.java:[3,5] it is deprecated" ;; esac
        echo "src/client.ts(7,2): error TS2322: not assignable"
        echo "[ERROR] warnings found and -Werror specified" >&2
        echo "[ERROR] -> [Help 1]"
        echo "[ERROR] Re-run Maven using the -X switch"
        exit 1
        """);
    assertThat(run(gateway).error().lines())
        .containsExactly(
            "sluice: building once, this takes a few minutes ...",
            "[WARNING] /a/Feed.java:[3,5] it is deprecated",
            "src/client.ts(7,2): error TS2322: not assignable",
            "[ERROR] warnings found and -Werror specified",
            "sluice: the build failed; its complete output is in "
                + gateway.toRealPath()
                + "/target/build.log");
    assertThat(gateway.resolve("target/build.log")).content().contains("[INFO] 2,000 lines");
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
  void shouldAnswerHelpInACloneWithoutBuilding() throws Exception {
    java("a", "17");
    Path clone = Files.createDirectory(folder.resolve("clone"));
    Path gateway = Files.createDirectory(clone.resolve("gateway"));
    Path loadtest = Files.createDirectory(clone.resolve("loadtest"));
    for (Path module : List.of(clone, gateway, loadtest)) {
      Files.createFile(module.resolve("pom.xml"));
    }
    Path pages = Files.createDirectories(clone.resolve("docs/reference"));
    Files.copy(REFERENCE.resolve("cli.md"), pages.resolve("cli.md"));
    Files.copy(REFERENCE.resolve("cli-measure.md"), pages.resolve("cli-measure.md"));
    install(gateway);

    Result why = run(gateway, "why", "--help");
    assertThat(why.code()).isZero();
    assertThat(why.error()).isEqualTo(UNBUILT);
    assertThat(why.command())
        .startsWith("## sluice why")
        .anyMatch(line -> line.startsWith("- `--topic TOPIC`"))
        .anyMatch(line -> line.startsWith("- [`--json`](#shared-options)"))
        .noneMatch(line -> line.startsWith("## sluice overview"));
    assertThat(run(gateway, "cluster", "drain", "-h").command())
        .startsWith("## sluice cluster drain");
    assertThat(run(gateway, "feed", "--topics", "2", "--help").command())
        .startsWith("## sluice feed");
    assertThat(run(gateway, "--help").command())
        .startsWith("## Commands")
        .anyMatch(line -> line.startsWith("- [`run`]"))
        .anyMatch(line -> line.startsWith("- `load`:"));
    assertThat(run(gateway, "load", "--help").error()).contains("'mvn' is not on the PATH");
  }

  @Test
  void shouldMeasureFromTheArchiveOfTheLoadTest() throws Exception {
    java("a", "17");
    Path home = archive.toRealPath();
    Files.createFile(archive.resolve("lib/sluice-loadtest-1.jar"));
    String measuring = home.resolve("lib/sluice-loadtest-1.jar") + ":" + home.resolve("lib/*");
    for (String command : List.of("load", "report", "simulate", "bench-broker", "--help")) {
      assertThat(run(archive, command).command())
          .containsSequence("-cp", measuring, "io.sluice.loadtest.cli.LoadTestCli", command)
          .contains("-Dsluice.simulations=" + home.resolve("simulations"))
          .contains("-Dsluice.embedded-broker=" + home.resolve("embedded-broker"));
    }
    Files.createDirectory(archive.resolve("feed"));
    Files.createFile(archive.resolve("feed/sluice-gateway-1.jar"));
    String feed = home.resolve("feed") + "/*:" + home.resolve("lib") + "/*";
    assertThat(run(archive, "feed").command())
        .containsSequence("-cp", feed, "io.sluice.gateway.cli.Sluice", "feed");
    assertThat(run(archive, "run").error())
        .startsWith("sluice: 'run' is no command of the load test's archive");
  }

  @Test
  void shouldNameTheArchiveOfMeasuringCommands() throws Exception {
    java("a", "17");
    assertThat(run(archive, "load").error())
        .isEqualTo(
            "sluice: 'load' requires the archive sluice-loadtest-VERSION.tar.gz, or a clone of the"
                + " repository");
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
    Files.writeString(
        home.resolve("release"),
        "X=1\nJAVA_VERSION=\"%s\"\nJAVA_RUNTIME_VERSION=\"%s+9\"\n".formatted(version, version));
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
