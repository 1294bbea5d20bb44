package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.bytes;
import static io.sluice.gateway.config.Setting.duration;
import static io.sluice.gateway.config.Setting.integer;
import static io.sluice.gateway.config.Setting.internal;
import static io.sluice.gateway.config.Setting.list;
import static io.sluice.gateway.config.Setting.text;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import java.time.Duration;
import java.util.List;

/**
 * Configuration keys of topic logs, the journal and the resumption of subscriptions. Constants
 * only.
 */
public final class HistorySettings {
  private static final long KIB = 1024;
  private static final long MIB = 1024 * KIB;

  public static final Setting<Integer> MESSAGES =
      integer(
          "history.messages",
          1_000,
          0,
          10_000_000,
          "Messages that the node keeps of each topic or pattern in use, for clients that come back"
              + " and for snapshots; 0 keeps none.");
  public static final Setting<Long> BYTES =
      bytes("history.bytes", MIB, KIB, 1024 * MIB, "The same in bytes of memory.");
  public static final Setting<Duration> AGE =
      duration(
          "history.age",
          ofMinutes(5),
          ofMillis(100),
          ofDays(7),
          "How old a message in a log may get; the newest of each topic stays for snapshots.");
  public static final Setting<Long> MEMORY =
      bytes(
          "history.memory",
          64 * MIB,
          MIB,
          1024 * 1024 * MIB,
          "Bytes of memory of all logs together. Past it, a log over an equal share discards its"
              + " oldest messages, or the oldest of those that it keeps for snapshots alone if these"
              + " take more.");

  /** Bytes of direct memory for encoded frames of recent messages; 0 keeps none. */
  public static final Setting<Long> FRAMES = internal("history.frames", 32 * MIB);

  public static final Setting<Integer> KEYS =
      integer(
          "history.keys",
          10_000,
          1,
          10_000_000,
          "Topics or keys of one topic or pattern whose newest message is kept for snapshots; any more"
              + " are left out of them, and counted. No more may wait for a subscription with latest"
              + " or rate, either.");
  public static final Setting<List<String>> KEY_PROPERTIES =
      list(
          "history.key-properties",
          List.of(),
          "JMS properties that tell the keys of topics apart, as pattern=property: a snapshot has the"
              + " newest message of each key then.");
  public static final Setting<List<String>> WARM =
      list(
          "history.warm",
          List.of(),
          "Patterns of topics that the node subscribes to by itself, so that their logs are there"
              + " before the first client; their topics are served from this one consumer.");
  public static final Setting<String> JOURNAL_FOLDER =
      text(
          "journal.folder",
          "",
          "Folder on a local disk in which the node keeps the logs of broker.durable over a"
              + " restart; of one node alone. It is created where it is missing.");
  public static final Setting<Long> JOURNAL_BYTES =
      bytes(
          "journal.bytes",
          1024 * MIB,
          MIB,
          1024 * 1024 * MIB,
          "Bytes of all files in it from which on the largest logs give up their oldest messages."
              + " Each log keeps to history.messages, history.bytes and history.age as well.");

  /** Largest difference in the order in which two nodes receive concurrent messages. */
  public static final Setting<Duration> RESUME_SPREAD = internal("resume.spread", ofMillis(500));

  public static final Setting<Duration> RESUME_MARGIN =
      duration(
          "resume.margin",
          ofSeconds(5),
          ofMillis(0),
          ofMinutes(10),
          "By how much the clocks of two nodes, and the times at which they receive the same message,"
              + " may differ.");

  /** Identities of messages that a client remembers for each subscription. */
  public static final Setting<Integer> RESUME_OVERLAP = internal("resume.overlap", 4_096);

  /** Keys of this section, in the order of the documentation. */
  static final List<Setting<?>> ALL =
      List.of(
          MESSAGES,
          BYTES,
          AGE,
          MEMORY,
          KEYS,
          KEY_PROPERTIES,
          WARM,
          JOURNAL_FOLDER,
          JOURNAL_BYTES,
          RESUME_MARGIN);

  private HistorySettings() {}
}
