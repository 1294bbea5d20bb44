package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Configurations of nodes that the pages show. */
final class DocumentedConfigTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```yaml[^\n]*\n(.*?)^```");

  /** Pages whose blocks are values of the Helm chart or settings of Prometheus. */
  private static final List<String> OTHER_FORMATS = List.of("kubernetes.md", "monitoring.md");

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md")));
    for (String folder :
        List.of("", "get-started", "how-to", "how-to/providers", "operations", "reference")) {
      try (Stream<Path> files = Files.list(ROOT.resolve("docs").resolve(folder))) {
        files.filter(DocumentedConfigTest::isPage).sorted().forEach(pages::add);
      }
    }
    return pages;
  }

  private static boolean isPage(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".md") && !OTHER_FORMATS.contains(name);
  }

  @ParameterizedTest
  @MethodSource("pages")
  void shouldShowOnlyValidKeysAndValues(Path page) throws IOException {
    Matcher blocks = BLOCK.matcher(Files.readString(page));
    while (blocks.find()) {
      ConfigDraft draft = ConfigFile.parse(page.toString(), blocks.group(1), variable -> "text");
      assertThat(draft.problems()).as(blocks.group(1)).isEmpty();
    }
  }
}
