package io.sluice.gateway.hosts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The page that tells what was measured. Stateless. */
final class BenchmarksPage {
  private static final Path PAGE = Path.of("..", "docs", "BENCHMARKS.md");

  private BenchmarksPage() {}

  /**
   * Prints a text, and puts it in the place of the one of that name if the page is to be written.
   */
  static void write(String name, String text) throws IOException {
    System.out.println(text);
    if (!"write".equals(System.getProperty("sluice.docs"))) {
      return;
    }
    String page = Files.readString(PAGE);
    String begin = "<!-- " + name + ": written by the scenario -->\n";
    int from = page.indexOf(begin) + begin.length();
    int to = page.indexOf("<!-- " + name + " end -->");
    if (from < begin.length() || to < from) {
      throw new IllegalStateException("the page has no place for " + name);
    }
    Files.writeString(PAGE, page.substring(0, from) + text + page.substring(to));
  }
}
