package io.sluice.gateway;

import io.sluice.gateway.admin.ConfigReload;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigDraft;
import io.sluice.gateway.config.Problem;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reloads of a node's configuration file: a valid file is applied, an invalid one changes nothing.
 * For any thread.
 */
final class Reloads implements ConfigReload {
  private static final Logger log = LoggerFactory.getLogger(Reloads.class);

  private final Consumer<ConfigChange> apply;

  // Guarded by this.
  private Config running;
  private Supplier<ConfigDraft> source;

  /**
   * @param apply applies changes to the parts of the node; one call at a time
   */
  Reloads(Config running, Consumer<ConfigChange> apply) {
    this.running = running;
    this.apply = apply;
  }

  /**
   * Enables reloads.
   *
   * @param file reads the file, with the options that override it
   */
  synchronized void from(Supplier<ConfigDraft> file) {
    source = file;
  }

  @Override
  public synchronized Outcome reload() {
    if (source == null) {
      return null;
    }
    ConfigDraft draft = source.get();
    List<String> problems = StartCheck.problems(draft).stream().map(Problem::toString).toList();
    if (!problems.isEmpty()) {
      log.atError().addKeyValue("problems", problems).log("config.reload-failed");
      return new Outcome(problems, List.of(), Map.of());
    }
    ConfigChange change = ConfigChange.between(running, draft.config());
    running = change.effective();
    apply.accept(change);
    log.atInfo()
        .addKeyValue("applied", change.applied())
        .addKeyValue("restart", List.copyOf(change.restart().keySet()))
        .addKeyValue("reasons", change.restart())
        .log("config.reloaded");
    return new Outcome(List.of(), change.applied(), change.restart());
  }
}
