package io.sluice.gateway.auth;

import io.sluice.gateway.auth.AuthOptions.JwtOptions;
import io.sluice.gateway.config.AuthSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jose4j.jwk.PublicJsonWebKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keys from files, reloaded when one of the files changes. A timer polls them, because not every
 * volume reports file system events. For any thread.
 */
final class KeyFiles implements KeyRing.Source {
  private static final Logger log = LoggerFactory.getLogger(KeyFiles.class);

  private final List<String> names;
  private final ScheduledExecutorService timer = AuthExecutor.timer("sluice-auth-keys");
  private volatile KeyRing ring;

  /** State of the files at the latest successful read. Timer thread only. */
  private Map<Path, String> seen = Map.of();

  /** Problem that was logged last; empty if none. Timer thread only. */
  private String lastProblem = "";

  private KeyFiles(List<String> names) {
    this.names = names;
  }

  static KeyFiles open(JwtOptions options) throws UnusableAuth {
    KeyFiles files = new KeyFiles(options.files());
    try {
      files.seen = look(files.names);
      files.ring = read(files.seen);
    } catch (UnusableAuth e) {
      files.close();
      throw e;
    }
    long pollMs = options.poll().toMillis();
    files.timer.scheduleWithFixedDelay(files::poll, pollMs, pollMs, TimeUnit.MILLISECONDS);
    return files;
  }

  /** Returns the problems of all files. */
  static List<UnusableAuth> problems(List<String> names) {
    List<UnusableAuth> problems = new ArrayList<>();
    try {
      Map<Path, String> files = look(names);
      for (Path file : files.keySet()) {
        try {
          new KeyFile(file).keys();
        } catch (UnusableAuth e) {
          problems.add(e);
        }
      }
      if (!names.isEmpty() && files.isEmpty()) {
        problems.add(noFile());
      }
    } catch (UnusableAuth e) {
      problems.add(e);
    }
    return problems;
  }

  private static UnusableAuth noFile() {
    return new UnusableAuth(AuthSettings.JWT_KEYS, "lists only folders without files", null);
  }

  @Override
  public KeyRing current() {
    return ring;
  }

  /** Returns the current keys without reading the files, which only the timer does. */
  @Override
  public CompletionStage<KeyRing> reloaded(KeyRing known) {
    return CompletableFuture.completedFuture(ring);
  }

  private void poll() {
    try {
      Map<Path, String> now = look(names);
      if (!now.equals(seen)) {
        ring = read(now);
        seen = now;
        log.atInfo().addKeyValue("keys", ring.keys().size()).log("auth.keys");
      }
      lastProblem = "";
    } catch (
        UnusableAuth e) { // retried each time: permissions change without a new modification time
      if (!e.getMessage().equals(lastProblem)) {
        lastProblem = e.getMessage();
        log.atError().addKeyValue("problem", lastProblem).log("auth.keys-unusable");
      }
    } catch (RuntimeException e) { // an exception would cancel the timer
      log.atError().setCause(e).log("auth.keys-unusable");
    }
  }

  private static KeyRing read(Map<Path, String> files) throws UnusableAuth {
    List<PublicJsonWebKey> keys = new ArrayList<>();
    for (Path file : files.keySet()) {
      keys.addAll(new KeyFile(file).keys());
    }
    if (keys.isEmpty()) {
      throw noFile();
    }
    return new KeyRing(keys, 0);
  }

  /** Returns all current files with a fingerprint of each for detecting changes. */
  private static Map<Path, String> look(List<String> names) throws UnusableAuth {
    Map<Path, String> found = new TreeMap<>();
    for (String name : names) {
      try {
        look(Path.of(name), found);
      } catch (InvalidPathException e) {
        throw new UnusableAuth(AuthSettings.JWT_KEYS, name + " is not a valid file name", e);
      }
    }
    return found;
  }

  private static void look(Path path, Map<Path, String> found) throws UnusableAuth {
    if (!Files.isDirectory(path)) {
      found.put(path, stamp(path));
      return;
    }
    try (Stream<Path> entries = Files.list(path)) {
      for (Path each : entries.filter(KeyFiles::isVisibleFile).toList()) {
        found.put(each, stamp(each));
      }
    } catch (IOException e) {
      throw new UnusableAuth(AuthSettings.JWT_KEYS, path + " cannot be listed: " + e, e);
    }
  }

  /**
   * Returns whether a file is listed: Kubernetes stores former contents of a volume under names
   * that begin with a dot.
   */
  private static boolean isVisibleFile(Path path) {
    return !path.getFileName().toString().startsWith(".") && Files.isRegularFile(path);
  }

  private static String stamp(Path file) {
    try {
      return Files.getLastModifiedTime(file) + " " + Files.size(file);
    } catch (IOException absent) {
      return "absent";
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
