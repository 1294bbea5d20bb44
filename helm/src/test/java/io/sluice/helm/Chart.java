package io.sluice.helm;

import com.fasterxml.jackson.databind.JsonNode;
import com.marcnuri.helm.Helm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The chart in helm/sluice, rendered by Helm as release gw in namespace live. Any thread. */
final class Chart {
  static final Path FOLDER = Path.of("sluice").toAbsolutePath();
  static final String RELEASE = "gw";

  /** Version of Kubernetes of the vendored schemas. */
  private static final String KUBERNETES = "v1.36.3";

  /** Minimum values of every rendering. */
  static final String LEAST = "broker: {url: 'tcp://artemis:61616'}\n";

  /** Template call that looks up the running nodes. */
  static final String LOOKUP =
      "lookup \"apps/v1\" (include \"sluice.kind\" .) .Release.Namespace (include \"sluice.name\""
          + " .)";

  private static final Map<Path, Rendered> SCENARIOS = new HashMap<>();

  private static final String HOOK = "    helm.sh/hook: test\n";

  private Chart() {}

  /** Returns the files of values in ci/, one per scenario. */
  static List<Path> scenarios() {
    try (Stream<Path> files = Files.list(FOLDER.resolve("ci"))) {
      return files.sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Rendered scenario(String name) {
    return render(FOLDER.resolve("ci").resolve(name + "-values.yaml"));
  }

  /** Renders a scenario once for all tests. */
  static synchronized Rendered render(Path scenario) {
    return SCENARIOS.computeIfAbsent(scenario, values -> render(Copy.FOLDER, values));
  }

  // Test classes run concurrently, and Helm's library does not document thread safety.
  private static synchronized Rendered render(Path chart, Path values) {
    String manifest =
        new Helm(chart)
            .template()
            .withName(RELEASE)
            .withNamespace("live")
            .withKubeVersion(KUBERNETES)
            .withValuesFile(values)
            .call();
    return new Rendered(Yaml.all(manifest));
  }

  /** Renders the chart with these values and the minimum values. */
  static Rendered with(String values) {
    return with(Copy.FOLDER, values);
  }

  /** Renders a modified copy of the chart, in this folder. */
  static Rendered with(Path chart, String values) {
    try {
      Path file = Files.createTempFile("values", ".yaml");
      try {
        JsonNode all = Yaml.merged(Yaml.read(LEAST), Yaml.read(values));
        return render(chart, Files.writeString(file, all.toString()));
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void copyTo(Path target) throws IOException {
    try (Stream<Path> files = Files.walk(FOLDER)) {
      for (Path file : files.toList()) {
        Path to = target.resolve(FOLDER.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(to);
        } else {
          Files.copy(file, to, StandardCopyOption.REPLACE_EXISTING);
        }
      }
    }
  }

  /** Replaces a text in a template of a copy of the chart. */
  static void replace(Path chart, String template, String original, String replacement) {
    Path file = chart.resolve("templates").resolve(template);
    try {
      String text = Files.readString(file);
      if (!text.contains(original)) {
        throw new AssertionError(file + " does not contain " + original);
      }
      Files.writeString(file, text.replace(original, replacement));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Copy of the chart without cluster access. The hook is an ordinary object, because the library
   * renders no hooks. Lookups return nothing, because the library would connect to a cluster.
   */
  private static final class Copy {
    static final Path FOLDER = copy();

    private static Path copy() {
      Path copy = Path.of("target", "copy", "sluice").toAbsolutePath();
      try {
        copyTo(copy);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      replace(copy, "tests/subscribe.yaml", HOOK, "");
      replace(copy, "_helpers.tpl", LOOKUP, "dict");
      return copy;
    }
  }
}
