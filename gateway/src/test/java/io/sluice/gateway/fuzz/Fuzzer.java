package io.sluice.gateway.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Fuzzing of targets one after the other, each in a separate JVM, because Jazzer ends it after a
 * finding. An input on which a target fails is added to the stored ones, so that CorpusTest fails
 * on it as well. Inputs that reach new code remain in {@code target/fuzz} for the next run.
 * Optionally, the smallest inputs that reach the same code are stored.
 */
final class Fuzzer {
  private static final Path GENERATED = Path.of("target", "fuzz");
  private static final int MOST_BYTES = 4096;
  private static final int SLOWEST_SECONDS = 30;

  /** Of a file of what was found. */
  static final long MOST_FOUND_BYTES = 64 << 10;

  private final int seconds;

  private Fuzzer(int seconds) {
    this.seconds = seconds;
  }

  /**
   * Arguments: seconds for each target; whether to keep what was found; and the folders of those to
   * fuzz, all if none is named.
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Fuzzer fuzzer = new Fuzzer(Integer.parseInt(arguments[0]));
    boolean keeps = Boolean.parseBoolean(arguments[1]);
    List<Target> failed = new ArrayList<>();
    for (Target target : chosen(List.of(arguments).subList(2, arguments.length))) {
      if (!fuzzer.stands(target)) {
        failed.add(target);
      } else if (keeps) {
        fuzzer.keep(target);
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
    Path generated = generated(target);
    List<String> options =
        List.of(
            "-artifact_prefix=" + target.corpus() + "/",
            "-max_total_time=" + seconds,
            "-use_value_profile=1",
            "-print_final_stats=1");
    return runs(target, options, generated, target.corpus());
  }

  /** Returns the folder of found and stored inputs, which libFuzzer reads and extends. */
  private static Path generated(Target target) throws IOException {
    Path generated = Files.createDirectories(GENERATED.resolve(target.folder()));
    int line = 0;
    for (byte[] input : target.found()) {
      Files.write(generated.resolve("found-" + ++line), input);
    }
    return generated;
  }

  /** Coverage ignores how often code is reached, which would multiply the inputs. */
  private void keep(Target target) throws IOException, InterruptedException {
    Path all = Files.createDirectories(GENERATED.resolve("kept-" + target.folder()));
    List<Path> made = target.kept();
    clear(all);
    for (Path input : made) {
      Files.copy(input, all.resolve(input.getFileName()));
    }
    List<String> options = List.of("-merge=1", "-use_counters=0", "-use_value_profile=0");
    if (!runs(target, options, all, generated(target))) {
      throw new IOException("what was found for " + target.folder() + " cannot be merged");
    }
    for (Path input : made) {
      Files.delete(all.resolve(input.getFileName()));
    }
    write(target, all);
  }

  private static void write(Target target, Path found) throws IOException {
    List<String> lines;
    try (Stream<Path> files = Files.list(found)) {
      lines = files.map(Fuzzer::line).sorted(Comparator.comparing(String::length)).toList();
    }
    StringBuilder text = new StringBuilder();
    for (String line : lines) {
      if (text.length() + line.length() < MOST_FOUND_BYTES) {
        text.append(line).append('\n');
      }
    }
    Files.writeString(target.foundFile(), text);
    System.out.println("Kept " + lines.size() + " inputs in " + target.foundFile());
  }

  private static String line(Path input) {
    try {
      return Base64.getEncoder().encodeToString(Files.readAllBytes(input));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void clear(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
  }

  private static boolean runs(Target target, List<String> options, Path... inputs)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(command(target));
    command.addAll(options);
    for (Path folder : inputs) {
      command.add(folder.toString());
    }
    return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
  }

  private static List<String> command(Target target) {
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
        "-timeout=" + SLOWEST_SECONDS,
        "-max_len=" + MOST_BYTES);
  }
}
