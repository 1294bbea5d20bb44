package io.sluice.gateway.ingress;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * CPU time and context switches of a process, by groups of threads whose names differ only in
 * digits. Linux only. Immutable.
 *
 * @param groups costs by the name of a group
 */
record ThreadCosts(Map<String, Cost> groups) {
  /** Costs of a group of threads. */
  record Cost(long cpuNs, long switches) {
    static final Cost NONE = new Cost(0, 0);

    Cost plus(Cost other) {
      return new Cost(cpuNs + other.cpuNs, switches + other.switches);
    }

    private Cost minus(Cost other) {
      return new Cost(cpuNs - other.cpuNs, switches - other.switches);
    }
  }

  /** Reads the costs since the start of a process. */
  static ThreadCosts of(long pid) throws IOException {
    Map<String, Cost> groups = new TreeMap<>();
    Path tasks = Path.of("/proc", String.valueOf(pid), "task");
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
      for (Path thread : threads) {
        add(thread, groups);
      }
    }
    return new ThreadCosts(groups);
  }

  private static void add(Path thread, Map<String, Cost> groups) throws IOException {
    try {
      String name = Files.readString(thread.resolve("comm")).strip().replaceAll("\\d+", "*");
      String[] schedule = Files.readString(thread.resolve("schedstat")).split(" ");
      long switches =
          Files.readAllLines(thread.resolve("status")).stream()
              .filter(line -> line.contains("ctxt_switches"))
              .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
              .sum();
      groups.merge(name, new Cost(Long.parseLong(schedule[0]), switches), Cost::plus);
    } catch (NoSuchFileException e) {
      // The thread has ended.
    }
  }

  /** Returns the costs since an earlier reading of the same process. */
  ThreadCosts since(ThreadCosts before) {
    Map<String, Cost> difference = new TreeMap<>();
    groups.forEach(
        (name, cost) ->
            difference.put(name, cost.minus(before.groups.getOrDefault(name, Cost.NONE))));
    return new ThreadCosts(difference);
  }

  /** Returns the costs of all threads. */
  Cost total() {
    return groups.values().stream().reduce(Cost.NONE, Cost::plus);
  }
}
