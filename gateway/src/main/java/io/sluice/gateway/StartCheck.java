package io.sluice.gateway;

import io.sluice.gateway.auth.AuthFiles;
import io.sluice.gateway.auth.UnusableAuth;
import io.sluice.gateway.broker.provider.ProviderClasses;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigDraft;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.Origin;
import io.sluice.gateway.config.Problem;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.Settings;
import io.sluice.gateway.journal.Journal;
import io.sluice.gateway.membership.MemberConfig;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Tells what would keep a node from starting beyond what the settings themselves show: files of
 * which only the parts that use them know what they should hold. Stateless; connects to nobody and
 * writes nothing.
 */
public final class StartCheck {
  private StartCheck() {}

  /** All of it; values that have a problem of their own are not looked at. */
  public static List<Problem> problems(ConfigDraft draft) {
    List<Problem> problems = new ArrayList<>();
    for (UnusableAuth each : AuthFiles.problems(draft.config())) {
      problems.add(problem(draft, each.setting(), each.what()));
    }
    journal(draft.config())
        .ifPresent(what -> problems.add(problem(draft, HistorySettings.JOURNAL_FOLDER, what)));
    ProviderClasses.problem(draft.config()).ifPresent(each -> problems.add(problem(draft, each)));
    problems.addAll(cluster(draft));
    return problems;
  }

  private static Problem problem(ConfigDraft draft, ProviderClasses.Problem found) {
    Origin origin = draft.origin(found.setting(), found.entry()).orElse(Origin.of("defaults"));
    return new Problem(origin, found.setting().key(), found.what(), found.expected());
  }

  private static List<Problem> cluster(ConfigDraft draft) {
    Config config = draft.config();
    return MemberConfig.problems(config, Gateway.nodeName(config)).stream()
        .map(each -> problem(draft, setting(each.key()), each.what(), each.expected()))
        .toList();
  }

  private static Setting<?> setting(String key) {
    return Settings.all().stream().filter(s -> s.key().equals(key)).findFirst().orElseThrow();
  }

  private static Optional<String> journal(Config config) {
    String folder = config.get(HistorySettings.JOURNAL_FOLDER);
    try {
      return folder.isEmpty() ? Optional.empty() : Journal.problem(Path.of(folder));
    } catch (InvalidPathException known) {
      return Optional.empty(); // the settings' own rules tell of it
    }
  }

  private static Problem problem(ConfigDraft draft, Setting<?> setting, String what) {
    return problem(draft, setting, what, "");
  }

  private static Problem problem(
      ConfigDraft draft, Setting<?> setting, String what, String expected) {
    Origin origin = draft.origin(setting).orElse(Origin.of("defaults"));
    return new Problem(origin, setting.key(), what, expected);
  }
}
