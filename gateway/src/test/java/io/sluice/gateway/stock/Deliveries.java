package io.sluice.gateway.stock;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Account of the numbered messages in the events of a stock client, per topic: which are missing or
 * doubled without a notice. Numbers are those of {@link io.sluice.gateway.cli.Numbers}.
 */
final class Deliveries {
  private static final Pattern MESSAGE =
      Pattern.compile("(MESSAGE|AGAIN) (\\S+) SEQ=(\\d+) AFTER=(\\d+)");

  private final Map<String, Long> latest = new HashMap<>();
  private final Set<String> noticed = new HashSet<>();
  private final List<String> missing = new ArrayList<>();
  private final List<String> repeated = new ArrayList<>();
  private int messages;
  private int notices;

  static Deliveries of(List<String> events) {
    Deliveries all = new Deliveries();
    events.forEach(all::add);
    return all;
  }

  private void add(String event) {
    Matcher message = MESSAGE.matcher(event);
    if (event.startsWith("NOTICE")) {
      notices++;
      noticed.addAll(latest.keySet());
    } else if (message.matches()) {
      add(
          message.group(2),
          Long.parseLong(message.group(3)),
          Long.parseLong(message.group(4)),
          message.group(1).equals("AGAIN"));
    }
  }

  private void add(String topic, long number, long after, boolean isMarked) {
    long last = latest.getOrDefault(topic, 0L);
    messages++;
    boolean isNoticed = noticed.remove(topic);
    if (number <= last) {
      if (!isMarked && !isNoticed) {
        repeated.add(topic + ": " + number + " again after " + last);
      }
    } else if (after > last && !isNoticed) {
      missing.add(topic + ": " + after + " is missing between " + last + " and " + number);
    }
    latest.put(topic, isMarked ? Math.max(last, number) : number);
  }

  /** Returns what is missing without a notice. */
  List<String> missing() {
    return missing;
  }

  /** Returns what is repeated without a mark. */
  List<String> repeated() {
    return repeated;
  }

  /** Returns the number of messages. */
  int messages() {
    return messages;
  }

  /** Returns the number of notices that messages may be missing. */
  int notices() {
    return notices;
  }

  /** Returns the latest numbers of all topics in ascending order. */
  List<Long> latest() {
    return latest.values().stream().sorted().toList();
  }
}
