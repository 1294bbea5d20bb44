package io.sluice.gateway.cli;

import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.cli.logging.Logging;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.testkit.ClassArchives;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The command line {@code sluice} with internal settings, which no file can set, taken from system
 * properties named by their keys; durations are in milliseconds. Stateless.
 */
public final class TunedNode {
  private static final List<Setting<Duration>> DURATIONS =
      List.of(
          BrokerSettings.CANARY_INTERVAL,
          BrokerSettings.RECONNECT_MAX,
          ClusterSettings.REPORT,
          ClusterSettings.BALANCE_COOLDOWN,
          ClusterSettings.BALANCE_BROKER_LOSS_AFTER);
  private static final List<Setting<Integer>> NUMBERS =
      List.of(ClusterSettings.BALANCE_TOLERANCE, LimitSettings.HANDSHAKES);

  private TunedNode() {}

  public static void main(String[] arguments) {
    Logging.start();
    Termination termination = new Termination();
    NodeStarter tuned = (config, demo) -> NodeStarter.startGateway(tuned(config), demo);
    termination.exit(Sluice.commandLine(tuned, termination).execute(arguments));
  }

  private static Config tuned(Config config) {
    Config tuned = config;
    for (Setting<Duration> setting : DURATIONS) {
      Long ms = Long.getLong(setting.key());
      tuned = ms == null ? tuned : tuned.with(setting, Duration.ofMillis(ms));
    }
    for (Setting<Integer> setting : NUMBERS) {
      Integer number = Integer.getInteger(setting.key());
      tuned = number == null ? tuned : tuned.with(setting, number);
    }
    return tuned;
  }

  /** Returns the command of a node that notices the loss and the return of its broker soon. */
  static List<String> watchful() {
    return command(
        Map.of(BrokerSettings.CANARY_INTERVAL, 100L, BrokerSettings.RECONNECT_MAX, 500L));
  }

  /** Returns the command that starts it with these internal settings, instead of bin/sluice. */
  public static List<String> command(Map<Setting<?>, Long> internal) {
    return command(List.of("-XX:TieredStopAtLevel=1", "-XX:MaxNewSize=64m"), internal);
  }

  /** Returns the same with other options of the JVM. */
  public static List<String> command(List<String> options, Map<Setting<?>, Long> internal) {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(options);
    command.addAll(ClassArchives.options("tuned"));
    internal.forEach((setting, value) -> command.add("-D" + setting.key() + "=" + value));
    command.addAll(List.of("-cp", classPath(), TunedNode.class.getName()));
    return command;
  }

  /** Returns the class path of the archived classes, otherwise that of the tests. */
  private static String classPath() {
    Optional<Path> own = ClassArchives.find("tuned.jar");
    if (own.isEmpty()) {
      return System.getProperty("java.class.path");
    }
    Path target = own.get().getParent().getParent();
    return own.get() + ":" + gatewayJar(target) + ":" + target.resolve("lib").resolve("*");
  }

  private static Path gatewayJar(Path target) {
    try (Stream<Path> files = Files.list(target)) {
      return files
          .filter(file -> file.getFileName().toString().matches("sluice-gateway-.*\\.jar"))
          .findFirst()
          .orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
