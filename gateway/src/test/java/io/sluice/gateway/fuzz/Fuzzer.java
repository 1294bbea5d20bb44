package io.sluice.gateway.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Fuzzes targets one after the other, each in a JVM of its own, because Jazzer ends it with what it
 * finds. An input that a target fails on is written beside those that are kept, so that CorpusTest
 * fails on it, too; those that only reach something new stay in {@code target/fuzz}, for the next
 * time.
 */
final class Fuzzer {
  private static final Path GENERATED = Path.of("target", "fuzz");
  private static final int MOST_BYTES = 4096;
  private static final int SLOWEST_SECONDS = 30;

  private final int seconds;

  private Fuzzer(int seconds) {
    this.seconds = seconds;
  }

  /** Arguments: seconds for each target, and the folders of those to fuzz, all if none is named. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Fuzzer fuzzer = new Fuzzer(Integer.parseInt(arguments[0]));
    List<Target> failed = new ArrayList<>();
    for (Target target : chosen(List.of(arguments).subList(1, arguments.length))) {
      if (!fuzzer.stands(target)) {
        failed.add(target);
      }
    }
    if (!failed.isEmpty()) {
      System.err.println("Failed: " + failed + "; what they failed on lies in their corpora.");
      System.exit(1);
    }
  }

  private static List<Target> chosen(List<String> folders) {
    List<Target> all = List.of(Target.values());
    List<Target> chosen = all.stream().filter(t -> folders.contains(t.folder())).toList();
    if (chosen.size() < folders.size()) {
      String known =
          String.join(", ", Arrays.asList(all.stream().map(Target::folder).toArray(String[]::new)));
      throw new IllegalArgumentException("targets " + folders + "; expected some of " + known);
    }
    return folders.isEmpty() ? all : chosen;
  }

  private boolean stands(Target target) throws IOException, InterruptedException {
    System.out.println("Fuzzing " + target.folder() + " for " + seconds + " s");
    Path generated = Files.createDirectories(GENERATED.resolve(target.folder()));
    return new ProcessBuilder(command(target, generated)).inheritIO().start().waitFor() == 0;
  }

  private List<String> command(Target target, Path generated) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx512m",
        "-cp",
        System.getProperty("java.class.path"),
        "com.code_intelligence.jazzer.Jazzer",
        "--target_class=" + target.className(),
        "--instrumentation_includes=io.sluice.gateway.**",
        "--custom_hook_includes=io.sluice.gateway.**",
        // A configuration names files by right.
        "--disabled_hooks=com.code_intelligence.jazzer.sanitizers.FilePathTraversal",
        "--reproducer_path=" + GENERATED,
        "-artifact_prefix=" + target.corpus() + "/",
        "-max_total_time=" + seconds,
        "-timeout=" + SLOWEST_SECONDS,
        "-max_len=" + MOST_BYTES,
        "-use_value_profile=1",
        "-print_final_stats=1",
        generated.toString(),
        target.corpus().toString());
  }
}
