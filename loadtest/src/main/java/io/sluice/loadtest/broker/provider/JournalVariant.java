package io.sluice.loadtest.broker.provider;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Broker with one journal configuration. Immutable, for any thread.
 *
 * @param settings of the broker, by name
 */
public record JournalVariant(String name, JmsProvider provider, Map<String, String> settings) {
  private static final String ASYNCHRONOUS = "ASYNCIO";
  private static final String MIB = String.valueOf(1 << 20);
  private static final String TEN_MIB = String.valueOf(10 << 20);

  /**
   * Returns the variants with a text in their names that can be measured on this machine.
   *
   * @param part part of the name, case-insensitive; empty for all
   * @throws IllegalArgumentException if no variant matches; the message lists the names
   */
  public static List<JournalVariant> matching(String part) {
    List<JournalVariant> all = new ArrayList<>(artemis(ArtemisNative.isUsable()));
    all.addAll(classic());
    String text = part.toLowerCase(Locale.ROOT);
    List<JournalVariant> matching =
        all.stream()
            .filter(variant -> variant.name().toLowerCase(Locale.ROOT).contains(text))
            .toList();
    if (matching.isEmpty()) {
      List<String> names = all.stream().map(JournalVariant::name).toList();
      throw new IllegalArgumentException(
          "--journal '" + part + "': expected a part of " + String.join(" | ", names));
    }
    return matching;
  }

  /**
   * Returns the variants of Artemis.
   *
   * @param asynchronous whether {@link ArtemisNative} can be used
   */
  static List<JournalVariant> artemis(boolean asynchronous) {
    List<JournalVariant> variants = new ArrayList<>();
    variants.add(artemis("Artemis NIO", Map.of()));
    variants.add(
        artemis(
            "Artemis NIO, no sync",
            Map.of("journalSyncTransactional", "false", "journalSyncNonTransactional", "false")));
    variants.add(artemis("Artemis NIO, no wait for more", Map.of("journalBufferTimeout_NIO", "0")));
    variants.add(
        artemis(
            "Artemis NIO, 2 files of 1 MiB",
            Map.of("journalFileSize", MIB, "journalMinFiles", "2", "journalPoolFiles", "2")));
    variants.add(
        artemis(
            "Artemis NIO, 20 files of 10 MiB ready",
            Map.of("journalMinFiles", "20", "journalPoolFiles", "20")));
    variants.add(artemis("Artemis MAPPED", Map.of("journalType", "MAPPED")));
    if (asynchronous) {
      variants.add(artemis("Artemis ASYNCIO", Map.of("journalType", ASYNCHRONOUS)));
      variants.add(
          artemis(
              "Artemis ASYNCIO, no wait for more",
              Map.of("journalType", ASYNCHRONOUS, "journalBufferTimeout_AIO", "0")));
    }
    return List.copyOf(variants);
  }

  /** Returns whether the variant requires {@link ArtemisNative}. */
  boolean asynchronous() {
    return settings.containsValue(ASYNCHRONOUS);
  }

  /** Returns the variants of ActiveMQ Classic's KahaDB. */
  static List<JournalVariant> classic() {
    return List.of(
        classic("Classic not preallocated", "SPARSE_FILE", "NONE", "ALWAYS"),
        classic("Classic sparse file", "SPARSE_FILE", "ENTIRE_JOURNAL", "ALWAYS"),
        classic("Classic zeros", "ZEROS", "ENTIRE_JOURNAL", "ALWAYS"),
        classic("Classic kernel copy", "OS_KERNEL_COPY", "ENTIRE_JOURNAL", "ALWAYS"),
        classic("Classic chunked zeros", "CHUNKED_ZEROS", "ENTIRE_JOURNAL", "ALWAYS"),
        classic("Classic zeros, sync each second", "ZEROS", "ENTIRE_JOURNAL", "PERIODIC"),
        classic("Classic zeros, no sync", "ZEROS", "ENTIRE_JOURNAL", "NEVER"));
  }

  /** Returns a variant of Artemis with explicit values for the settings that variants change. */
  private static JournalVariant artemis(String name, Map<String, String> changes) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("journalType", "NIO");
    settings.put("journalFileSize", TEN_MIB);
    settings.put("journalMinFiles", "2");
    settings.put("journalPoolFiles", "10");
    settings.put("journalSyncTransactional", "true");
    settings.put("journalSyncNonTransactional", "true");
    settings.putAll(changes);
    return new JournalVariant(name, JmsProvider.ARTEMIS, settings);
  }

  private static JournalVariant classic(String name, String strategy, String scope, String sync) {
    return new JournalVariant(
        name,
        JmsProvider.CLASSIC,
        Map.of(
            ClassicBroker.STRATEGY, strategy,
            ClassicBroker.SCOPE, scope,
            ClassicBroker.SYNC, sync));
  }
}
