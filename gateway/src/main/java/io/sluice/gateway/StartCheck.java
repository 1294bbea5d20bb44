package io.sluice.gateway;

import io.sluice.gateway.admin.AdminOptions;
import io.sluice.gateway.admin.AdminTokens;
import io.sluice.gateway.auth.Access;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigDraft;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.ConfigRules;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.Problem;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.Settings;
import io.sluice.gateway.journal.Journal;
import io.sluice.gateway.membership.ClusterRules;
import io.sluice.gateway.membership.MemberConfig;
import io.sluice.gateway.node.NodeChecks;
import io.sluice.gateway.node.StartFailure;
import io.sluice.gateway.revocation.RevocationFile;
import io.sluice.gateway.tls.TlsRules;
import io.sluice.gateway.trace.TracingOptions;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/**
 * Validation of a configuration, for {@code check-config} and before a start. Stateless, for any
 * thread; opens no connection and writes nothing. Each package checks the files that it uses.
 */
public final class StartCheck {
  /** The checks, for commands. */
  public static final NodeChecks CHECKS =
      new NodeChecks(StartCheck::problems, StartCheck::hasAdminPort);

  private StartCheck() {}

  /** Returns all problems, in the order of the file. */
  public static List<Problem> problems(ConfigDraft draft) {
    ConfigFindings findings = new ConfigFindings(draft);
    List<Problem> ofFile = findings.problems();
    if (ofFile.stream().anyMatch(problem -> problem.key().isEmpty())) {
      return ofFile; // the file cannot be read: values are unknown
    }
    ConfigRules.check(findings);
    TlsRules.check(findings);
    checkAdmin(findings);
    Access.check(findings);
    NodeAudit.check(findings);
    RevocationFile.check(findings);
    TracingOptions.check(findings);
    checkJournal(findings);
    NodePresence.check(findings);
    NodeQueues.check(findings);
    ProtocolModules.check(findings);
    SourceModule.check(findings);
    LinkModule.check(findings);
    checkCluster(findings);
    return findings.problems();
  }

  /** Returns whether a node has an admin port, whose module may be missing. */
  public static boolean hasAdminPort() {
    try {
      AdminOptions.of(Config.defaults());
      return true;
    } catch (NoClassDefFoundError missing) {
      StartFailure.missing(missing);
      return false;
    }
  }

  private static void checkAdmin(ConfigFindings findings) {
    List<Setting<?>> keys =
        Settings.all().stream()
            .filter(each -> each.key().startsWith("admin.") || each == ClusterSettings.ADMIN_URL)
            .toList();
    StartFailure.reportMissing(findings, keys, () -> AdminTokens.check(findings));
  }

  private static void checkJournal(ConfigFindings findings) {
    Setting<String> folder = HistorySettings.JOURNAL_FOLDER;
    try {
      Path path = Path.of(findings.config().get(folder));
      if (!path.toString().isEmpty()) {
        StartFailure.reportMissing(
            findings,
            List.of(folder),
            () -> Journal.problem(path).ifPresent(what -> findings.report(what, "", folder)));
      }
    } catch (InvalidPathException malformed) {
      findings.report("is not a valid path: " + malformed.getReason(), "a folder", folder);
    }
  }

  private static void checkCluster(ConfigFindings findings) {
    Config config = findings.config();
    StartFailure.reportMissing(
        findings,
        ClusterSettings.ALL,
        () -> {
          ClusterRules.check(findings);
          MemberConfig.problems(config, Gateway.nodeName(config))
              .forEach(each -> findings.report(each.what(), each.expected(), setting(each.key())));
        });
  }

  private static Setting<?> setting(String key) {
    return Settings.all().stream().filter(s -> s.key().equals(key)).findFirst().orElseThrow();
  }
}
