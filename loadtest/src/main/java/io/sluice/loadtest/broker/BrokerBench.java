package io.sluice.loadtest.broker;

import io.sluice.loadtest.broker.Bench.Case;
import io.sluice.loadtest.broker.provider.BrokerSource;
import io.sluice.loadtest.broker.provider.BrokerTarget;
import io.sluice.loadtest.broker.provider.JournalBrokerSource;
import io.sluice.loadtest.broker.provider.JournalVariant;
import io.sluice.loadtest.broker.result.BrokerMeasurement;
import io.sluice.loadtest.broker.result.CaseResult;
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
 * Measures what was asked for.
 *
 * @param preset null: one workload
 * @param change what was asked for in place of a preset's or the plain workload's own
 * @param delivery of the messages
 * @param counts for presets of one to many or many to one
 * @param journal part of the names of the journals to measure; empty: all
 * @param folder of journals and the disk; null if none is used
 * @param diskTime how long the disk is measured in each way with each size
 * @param progress gets lines for people
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
   * Measures all of it.
   *
   * @param command the exact command line, to be told with the results
   * @throws IllegalArgumentException if what was asked for can't be measured; the message names the
   *     option, and what was expected
   * @throws Exception what the broker, its client or the disk failed with
   */
  public BrokerMeasurement run(String command) throws Exception {
    Instant made = Instant.now();
    List<Case> cases = cases();
    List<List<DiskResult>> disk = disk();
    Bench bench = new Bench(length, progress);
    List<CaseResult> results = bench.run(cases);
    return new BrokerMeasurement(
        BrokerMeasurement.FORMAT,
        made,
        command,
        MachineDescription.here(),
        versions(folder),
        about(),
        length,
        results,
        bench.failures(),
        disk);
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

  /** Through the gateway, if there is one, and without it. */
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
    if (preset != null && preset.needsFolder() && !diskTime.isZero()) {
      for (int run = 1; run <= length.runs(); run++) {
        progress.accept("disk, run " + run + " of " + length.runs());
        runs.add(new DiskBenchmark(folder, diskTime).run());
      }
    }
    return runs;
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

  /** Returns versions by name, and the type of the file system if a folder is measured. */
  private static Map<String, String> versions(Path folder) throws IOException {
    Map<String, String> versions = new TreeMap<>();
    versions.put("java", System.getProperty("java.vm.name") + " " + Runtime.version());
    if (folder != null) {
      versions.put("file system", Files.getFileStore(folder).type());
    }
    return versions;
  }
}
