package io.sluice.gateway.hosts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Page and files of benchmark results. Stateless. */
final class BenchmarksPage {
  private static final Path PAGE = Path.of("..", "docs", "benchmarks", "results.md");
  private static final Path RESULTS = PAGE.resolveSibling("results");

  private BenchmarksPage() {}

  /**
   * Prints a text. With {@code sluice.docs=write}, also replaces the section of that name in the
   * page.
   */
  static void write(String name, String text) throws IOException {
    System.out.println(text);
    if (!isWritten()) {
      return;
    }
    String page = Files.readString(PAGE);
    String begin = "<!-- " + name + ": written by the scenario -->\n";
    int from = page.indexOf(begin) + begin.length();
    int to = page.indexOf("<!-- " + name + " end -->");
    if (from < begin.length() || to < from) {
      throw new IllegalStateException("section " + name + " is missing in " + PAGE);
    }
    Files.writeString(PAGE, page.substring(0, from) + text + page.substring(to));
  }

  /**
   * Prints values. With {@code sluice.docs=write}, also replaces the file of results of that name.
   */
  static void writeResults(String name, String csv) throws IOException {
    System.out.println(csv);
    if (isWritten()) {
      Files.writeString(RESULTS.resolve(name + ".csv"), csv);
    }
  }

  private static boolean isWritten() {
    return "write".equals(System.getProperty("sluice.docs"));
  }
}
