package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares classes, packages and threads in pages about internals with the sources. */
final class ArchitecturePageTest {
  private static final Path DOCS = Path.of("..", "docs");
  private static final List<Path> PAGES =
      List.of(DOCS.resolve("ARCHITECTURE.md"), DOCS.resolve("internals/simulation.md"));

  /** Folders with sources of other modules. */
  private static final List<Path> OTHERS =
      Stream.of(
              "embedded-broker",
              "image",
              "simulation",
              "testkit",
              "../helm",
              "../loadtest",
              "../loadtest/gatling")
          .map(module -> Path.of(module, "src"))
          .toList();

  /** {@code Type}, {@code Type.member}, {@code Type.method()} or {@code package.Type}. */
  private static final Pattern NAME =
      Pattern.compile("`(?:[a-z]+\\.)*([A-Z]\\w*[a-z]\\w*)(?:\\.(\\w+))?(?:\\([^`]*\\))?`");

  private static final String PACKAGES = "## Modules and packages";

  private static final Pattern MODULE = Pattern.compile("(?m)^- \\*\\*([a-z-]+)\\*\\*: ");
  private static final Pattern PACKAGE = Pattern.compile("[:;] `([a-z.]+)` \\(");

  /** Name of a thread, or its beginning. */
  private static final Pattern THREAD = Pattern.compile("\"(sluice-[a-z-]+)\"");

  private static final String COMMANDS = "io/sluice/gateway/cli/";

  /** Subscription of a node, not a thread. */
  private static final String NO_THREAD = "sluice-keepsake";

  /** Types of libraries. */
  private static final Collection<String> FOREIGN = List.of("SslContextFactory", "SslHandler");

  @Test
  void shouldNameOnlyClassesThatExist() throws IOException {
    Map<String, Path> files = sources();
    Collection<String> missing = new TreeSet<>();
    List<MatchResult> names = new ArrayList<>();
    for (Path page : PAGES) {
      names.addAll(NAME.matcher(Files.readString(page)).results().toList());
    }
    for (MatchResult name : names) {
      Path file = files.get(name.group(1));
      if (!FOREIGN.contains(name.group(1)) && !declares(file, name.group(2))) {
        missing.add(name.group());
      }
    }
    assertThat(names).hasSizeGreaterThan(100);
    assertThat(missing)
        .as("names in %s without a class or a member in the sources", PAGES)
        .isEmpty();
  }

  @Test
  void shouldNameAllThreadsOfANode() throws IOException {
    Collection<String> started = new TreeSet<>();
    for (Path source : files(Modules.sources())) {
      if (!source.toString().contains(COMMANDS)) {
        THREAD
            .matcher(Files.readString(source))
            .results()
            .forEach(each -> started.add(each.group(1)));
      }
    }
    started.remove(NO_THREAD);
    String list = section("## Threads").split("\n- \\*\\*")[0];
    Collection<String> named = new TreeSet<>();
    Pattern.compile("`(sluice-[a-z-]+)…?`")
        .matcher(list)
        .results()
        .forEach(each -> named.add(each.group(1)));
    assertThat(named).as("threads in the list of ARCHITECTURE.md").isEqualTo(started);
  }

  @Test
  void shouldListThePackagesThatExist() throws IOException {
    Collection<String> existing = new TreeSet<>();
    for (Path file : files(Modules.sources())) {
      if (file.endsWith("package-info.java")) {
        String[] found = file.getParent().toString().split("io/sluice/gateway/");
        Stream.of(found).skip(1).map(name -> name.replace('/', '.')).forEach(existing::add);
      }
    }
    List<String> listed =
        PACKAGE.matcher(section(PACKAGES)).results().map(each -> each.group(1)).toList();
    assertThat(existing).containsAll(listed);
    assertThat(existing)
        .as("packages at or below those in ARCHITECTURE.md")
        .allMatch(name -> listed.stream().anyMatch(each -> (name + ".").startsWith(each + ".")));
  }

  @Test
  void shouldListTheModulesThatExist() throws IOException {
    List<String> listed =
        MODULE.matcher(section(PACKAGES)).results().map(each -> each.group(1)).toList();
    List<String> existing = Modules.sources().stream().map(Modules::name).toList();
    assertThat(existing)
        .filteredOn(module -> !module.equals("cluster"))
        .containsExactlyInAnyOrderElementsOf(listed);
  }

  private static String section(String heading) throws IOException {
    String page = Files.readString(DOCS.resolve("ARCHITECTURE.md"));
    return page.split(heading + "\n")[1].split("\n## ")[0];
  }

  private static boolean declares(Path file, String member) throws IOException {
    return file != null
        && (member == null
            || Pattern.compile("\\b" + member + "\\b").matcher(Files.readString(file)).find());
  }

  private static Map<String, Path> sources() throws IOException {
    Stream<Path> ofNode = Modules.sources().stream().map(main -> main.getParent().getParent());
    Map<String, Path> files = new HashMap<>();
    for (Path file : files(Stream.concat(ofNode, OTHERS.stream()).toList())) {
      files.put(file.getFileName().toString().replace(".java", ""), file);
    }
    return files;
  }

  private static List<Path> files(List<Path> folders) throws IOException {
    List<Path> files = new ArrayList<>();
    for (Path folder : folders) {
      try (Stream<Path> found = Files.walk(folder)) {
        found.filter(file -> file.toString().endsWith(".java")).forEach(files::add);
      }
    }
    return files;
  }
}
