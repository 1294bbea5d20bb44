package io.sluice.loadtest.broker;

import io.sluice.loadtest.broker.Bench.Case;
import io.sluice.loadtest.broker.provider.BrokerSource;
import io.sluice.loadtest.broker.provider.BrokerTarget;
import io.sluice.loadtest.broker.provider.JournalBrokerSource;
import io.sluice.loadtest.broker.provider.JournalVariant;
import io.sluice.loadtest.broker.result.BrokerMeasurement;
import io.sluice.loadtest.broker.result.CaseResult;
import io.sluice.loadtest.broker.result.DiskDescription;
import io.sluice.loadtest.broker.result.DiskResult;
import io.sluice.loadtest.broker.workload.BrokerWorkload;
import io.sluice.loadtest.broker.workload.Length;
import io.sluice.loadtest.broker.workload.Persistence;
import io.sluice.loadtest.broker.workload.Preset;
import io.sluice.loadtest.result.MachineDescription;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Benchmark of a broker with its parameters. For one thread.
 *
 * @param preset a preset, or null for one workload
 * @param change applies the given options to a preset's workloads or the plain workload
 * @param delivery delivery modes of the messages
 * @param counts numbers of producers or consumers for the presets one-to-many and many-to-one
 * @param journal part of the names of the journals to measure; empty for all
 * @param folder for journals and the disk benchmark, or null
 * @param diskTime duration of the disk benchmark for each access method and block size
 * @param progress receives lines for users
 */
public record BrokerBench(
    Preset preset,
    UnaryOperator<BrokerWorkload> change,
    Persistence.Choice delivery,
    List<Integer> counts,
    String journal,
    Path folder,
    Duration diskTime,
    BrokerTarget target,
    Length length,
    Consumer<String> progress) {

  /**
   * Runs the benchmark.
   *
   * @param command the exact command line, recorded with the results
   * @throws IllegalArgumentException for invalid options; the message names the option and the
   *     allowed values
   * @throws Exception a failure of the broker, its client or the disk
   */
  public BrokerMeasurement run(String command) throws Exception {
    Instant startedAt = Instant.now();
    List<Case> cases = cases();
    List<List<DiskResult>> disk = disk();
    Bench bench = new Bench(length, progress);
    List<CaseResult> results = bench.run(cases);
    return new BrokerMeasurement(
        BrokerMeasurement.FORMAT,
        startedAt,
        command,
        MachineDescription.here(),
        versions(measuresDisk() ? folder : null),
        about(),
        length,
        results,
        bench.failures(),
        disk,
        bench.journals());
  }

  private List<Case> cases() {
    List<BrokerWorkload> workloads =
        preset == null
            ? List.of(change.apply(BrokerWorkload.plain()).described())
            : preset.workloads(counts).stream().map(change).toList();
    workloads.forEach(target::check);
    List<Case> cases = new ArrayList<>();
    for (BrokerWorkload workload : workloads) {
      cases.addAll(preset == Preset.JOURNAL ? journals(workload) : atTarget(workload));
    }
    return cases;
  }

  /** Returns the cases of a workload, directly and through the gateway if there is one. */
  private List<Case> atTarget(BrokerWorkload workload) {
    List<Case> cases = new ArrayList<>();
    for (Persistence each : delivery.deliveries()) {
      cases.add(new Case(workload.name(), workload, each, BrokerSource.of(target.direct())));
      if (target.gateway() != null) {
        cases.add(new Case(workload.name() + ", gateway", workload, each, BrokerSource.of(target)));
      }
    }
    return cases;
  }

  private List<Case> journals(BrokerWorkload workload) {
    List<Case> cases = new ArrayList<>();
    for (JournalVariant variant : JournalVariant.matching(journal)) {
      for (Persistence each : delivery.deliveries()) {
        BrokerSource source = new JournalBrokerSource(variant, folder, target);
        cases.add(new Case(variant.name(), workload, each, source));
      }
    }
    return cases;
  }

  private List<List<DiskResult>> disk() throws IOException {
    List<List<DiskResult>> runs = new ArrayList<>();
    if (measuresDisk() && !diskTime.isZero()) {
      for (int run = 1; run <= length.runs(); run++) {
        progress.accept("disk, run " + run + " of " + length.runs());
        runs.add(new DiskBenchmark(folder, diskTime).run());
      }
    }
    return runs;
  }

  private boolean measuresDisk() {
    return preset != null && preset.needsFolder();
  }

  private Map<String, String> about() {
    Map<String, String> about = new TreeMap<>();
    about.put("provider", target.provider().toString());
    about.put("broker", target.maskedUrl());
    about.put("user", target.user());
    about.put("client id", target.clientId());
    about.put("gateway", String.valueOf(target.gateway()));
    return about;
  }

  /** Returns versions by name, and the file system and disk if a folder is measured. */
  private static Map<String, String> versions(Path folder) throws IOException {
    Map<String, String> versions = new TreeMap<>();
    versions.put("java", System.getProperty("java.vm.name") + " " + Runtime.version());
    if (folder != null) {
      versions.put("file system", Files.getFileStore(folder).type());
      versions.put(BrokerMeasurement.DISK, DiskDescription.of(folder).toText());
    }
    return versions;
  }
}
