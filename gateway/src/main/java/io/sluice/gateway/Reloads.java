package io.sluice.gateway;

import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.audit.Operator;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigDraft;
import io.sluice.gateway.config.Problem;
import io.sluice.gateway.query.ReloadOutcome;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reloads of a node's configuration file: a valid file is applied, an invalid one changes nothing.
 * For any thread.
 */
final class Reloads {
  private static final Logger log = LoggerFactory.getLogger(Reloads.class);
  private static final String COMMAND = "reload";

  private final AuditLog audit;
  private final Consumer<ConfigChange> apply;
  private final Function<ConfigChange, ReloadOutcome.Losses> losses;

  // Guarded by this.
  private Config running;
  private Supplier<ConfigDraft> source;

  /**
   * @param audit receives one record of each reload
   * @param apply applies changes to the parts of the node; one call at a time
   * @param losses returns what sessions would lose by changes
   */
  Reloads(
      Config running,
      AuditLog audit,
      Consumer<ConfigChange> apply,
      Function<ConfigChange, ReloadOutcome.Losses> losses) {
    this.running = running;
    this.audit = audit;
    this.apply = apply;
    this.losses = losses;
  }

  /**
   * Enables reloads.
   *
   * @param file reads the file, with the options that override it
   */
  synchronized void from(Supplier<ConfigDraft> file) {
    source = file;
  }

  /**
   * Reloads the file, and records it in the audit log.
   *
   * @return null if the node was started without a file
   */
  synchronized ReloadOutcome reload(Operator by) {
    try {
      ReloadOutcome outcome = source == null ? null : reloadFile();
      audit.commanded(COMMAND, changes(outcome), by, failure(outcome));
      return outcome;
    } catch (RuntimeException e) {
      audit.commanded(COMMAND, null, by, e.toString());
      throw e;
    }
  }

  /** Returns the changed keys for the audit log; null if there are none. */
  private static String changes(ReloadOutcome outcome) {
    if (outcome == null) {
      return null;
    }
    String changes =
        Stream.of(keys("applied", outcome.applied()), keys("restart", outcome.restart().keySet()))
            .filter(keys -> !keys.isEmpty())
            .collect(Collectors.joining("; "));
    return changes.isEmpty() ? null : changes;
  }

  private static String keys(String name, Collection<String> keys) {
    return keys.isEmpty() ? "" : name + " " + String.join(", ", keys);
  }

  /** Returns why a reload was rejected; null if it was not. */
  private static String failure(ReloadOutcome outcome) {
    if (outcome == null) {
      return "no-configuration-file";
    }
    return outcome.problems().isEmpty() ? null : String.join("; ", outcome.problems());
  }

  /**
   * Reads and validates the file, and changes nothing.
   *
   * @return null if the node was started without a file
   */
  synchronized ReloadOutcome.Preview preview() {
    if (source == null) {
      return null;
    }
    ConfigDraft draft = source.get();
    List<String> problems = problems(draft);
    if (!problems.isEmpty()) {
      return new ReloadOutcome.Preview(
          new ReloadOutcome(problems, List.of(), Map.of()), ReloadOutcome.Losses.NONE);
    }
    ConfigChange change = ConfigChange.between(running, draft.config());
    ReloadOutcome outcome = new ReloadOutcome(List.of(), change.applied(), change.restart());
    return new ReloadOutcome.Preview(outcome, losses.apply(change));
  }

  private static List<String> problems(ConfigDraft draft) {
    return StartCheck.problems(draft).stream().map(Problem::toString).toList();
  }

  private ReloadOutcome reloadFile() {
    ConfigDraft draft = source.get();
    List<String> problems = problems(draft);
    if (!problems.isEmpty()) {
      log.atError().addKeyValue("problems", problems).log("config.reload-failed");
      return new ReloadOutcome(problems, List.of(), Map.of());
    }
    ConfigChange change = ConfigChange.between(running, draft.config());
    running = change.effective();
    apply.accept(change);
    log.atInfo()
        .addKeyValue("applied", change.applied())
        .addKeyValue("restart", List.copyOf(change.restart().keySet()))
        .addKeyValue("reasons", change.restart())
        .log("config.reloaded");
    return new ReloadOutcome(List.of(), change.applied(), change.restart());
  }
}
