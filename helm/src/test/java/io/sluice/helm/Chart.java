package io.sluice.helm;

import com.fasterxml.jackson.databind.JsonNode;
import com.marcnuri.helm.Helm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/** The chart in helm/sluice, rendered by Helm itself as release gw in namespace live. */
final class Chart {
  static final Path FOLDER = Path.of("sluice").toAbsolutePath();
  static final String RELEASE = "gw";

  /** That of the vendored schemas. */
  private static final String KUBERNETES = "v1.36.3";

  /** What every rendering needs. */
  static final String LEAST = "broker: {url: 'tcp://artemis:61616'}\n";

  private static final String HOOK = "    helm.sh/hook: test\n";

  private Chart() {}

  /** Values of a scenario, as a file in ci/. */
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

  static Rendered render(Path values) {
    String manifest =
        new Helm(WithHooks.COPY)
            .template()
            .withName(RELEASE)
            .withNamespace("live")
            .withKubeVersion(KUBERNETES)
            .withValuesFile(values)
            .call();
    return new Rendered(Yaml.all(manifest));
  }

  /** Renders with these values beside the least that is needed. */
  static Rendered with(String values) {
    try {
      Path file = Files.createTempFile("values", ".yaml");
      try {
        JsonNode all = Yaml.merged(Yaml.read(LEAST), Yaml.read(values));
        return render(Files.writeString(file, all.toString()));
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

  /** The chart with its hook as an ordinary object, because the library renders no hooks. */
  private static final class WithHooks {
    static final Path COPY = copy();

    private static Path copy() {
      Path copy = Path.of("target", "with-hooks", "sluice").toAbsolutePath();
      Path hook = copy.resolve("templates/tests/subscribe.yaml");
      try {
        copyTo(copy);
        String text = Files.readString(hook);
        if (!text.contains(HOOK)) {
          throw new AssertionError(hook + " is no hook of helm test");
        }
        Files.writeString(hook, text.replace(HOOK, ""));
        return copy;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
