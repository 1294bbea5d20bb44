package io.sluice.gateway.config;

import io.sluice.gateway.config.Problem.Origin;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Problems of a configuration, from parsing and from the rules of all packages. Used once, by one
 * thread. Each problem has the position of the value in the file. A rule reports nothing if one of
 * its values is invalid.
 */
public final class ConfigFindings {
  private final ConfigDraft draft;
  private final Config config;
  private final List<Problem> problems = new ArrayList<>();

  public ConfigFindings(ConfigDraft draft) {
    this.draft = draft;
    this.config = draft.config();
  }

  /** Returns the values; invalid ones have their defaults. */
  public Config config() {
    return config;
  }

  /** Returns all problems in the order of the file. */
  public List<Problem> problems() {
    List<Problem> all = new ArrayList<>(draft.problems());
    all.addAll(problems);
    all.sort(
        Comparator.comparingInt((Problem problem) -> problem.origin().line())
            .thenComparingInt(problem -> problem.origin().column()));
    return List.copyOf(all);
  }

  /** Returns whether the operator set a value, even if it equals the default. */
  public boolean isGiven(Setting<?> setting) {
    return draft.origin(setting).isPresent();
  }

  /** Reports a problem at the first of its settings that the operator set. */
  public void report(String what, String expected, Setting<?>... settings) {
    if (!Arrays.stream(settings).allMatch(draft::isValid)) {
      return;
    }
    Optional<Setting<?>> given = Arrays.stream(settings).filter(this::isGiven).findFirst();
    Origin origin = given.flatMap(draft::origin).orElse(Origin.of("defaults"));
    problems.add(new Problem(origin, settings[0].key(), what, expected));
  }

  /** Reports a problem of an entry of a map. */
  public void reportEntry(String what, String expected, Setting<?> map, String entry) {
    Origin origin = draft.origin(map, entry).orElse(Origin.of("defaults"));
    problems.add(new Problem(origin, map.key(), what, expected));
  }

  /** Reports a value without effect, which is probably a mistake. */
  public void reportNoEffect(Setting<?> setting, String missing, String expected) {
    if (isGiven(setting)) {
      report("has no effect without " + missing, expected, setting);
    }
  }

  /**
   * Reports a value without effect, because another setting is not set.
   *
   * @param expected value of the other setting
   */
  public void reportNoEffect(Setting<?> setting, Setting<?> missing, String expected) {
    String key = missing.key();
    reportNoEffect(setting, key + ", which is not set", key + " with " + expected);
  }

  /** Checks that a file that is set is readable. */
  public void checkFile(Setting<String> file) {
    String name = config.get(file);
    if (!name.isEmpty() && !isReadable(name)) {
      report(ValueText.quote(name) + " is not a readable file", "a file", file);
    }
  }

  /** Returns whether a file can be read. */
  public static boolean isReadable(String name) {
    File file = new File(name);
    return file.isFile() && file.canRead();
  }

  /** Checks that a file and a value are not set together, and that the file is readable. */
  public void checkFileOrValue(Setting<String> file, Setting<String> value) {
    String name = config.get(file);
    if (name.isEmpty()) {
      return;
    }
    if (!config.get(value).isEmpty()) {
      report("is set together with " + value.key(), "one of the two", file, value);
    }
    try {
      new SettingFile(file, name).read();
    } catch (IOException e) {
      report(e.getMessage().substring(file.key().length() + 2), "a file with one line", file);
    }
  }
}
