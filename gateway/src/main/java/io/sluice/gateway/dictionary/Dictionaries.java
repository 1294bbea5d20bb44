package io.sluice.gateway.dictionary;

import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.protocol.dictionary.Dictionary;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Trained dictionaries of a node by topic pattern. Immutable, for any thread; files are read once,
 * at the start.
 */
public final class Dictionaries {
  /** Maximum number of dictionaries, which bounds the memory of a client: 16 × 32 KiB. */
  static final int MAX = 16;

  /** Dictionaries of a node without configuration. */
  public static final Dictionaries NONE = new Dictionaries(List.of(), Map.of());

  private final List<Entry> entries;
  private final Map<String, Dictionary> byHash;

  /** Dictionary of the topics and patterns that a pattern covers. */
  private record Entry(String pattern, Dictionary dictionary) {}

  private Dictionaries(List<Entry> entries, Map<String, Dictionary> byHash) {
    this.entries = List.copyOf(entries);
    this.byHash = Map.copyOf(byHash);
  }

  static Dictionaries read(List<TopicCompression> files) throws UnusableDictionary {
    if (files.size() > MAX) {
      throw new UnusableDictionary(tooMany(files.size()), null);
    }
    List<Entry> entries = new ArrayList<>();
    Map<String, Dictionary> byHash = new LinkedHashMap<>();
    for (TopicCompression file : files) {
      Dictionary read = new Dictionary(byHash.size(), file.read());
      byHash.putIfAbsent(read.hash(), read);
      entries.add(new Entry(file.pattern(), byHash.get(read.hash())));
    }
    return new Dictionaries(entries, byHash);
  }

  /** Returns the message for a number of dictionaries above the limit. */
  static String tooMany(int count) {
    return "has " + count + " dictionaries; at most " + MAX + " are allowed";
  }

  /** Returns the dictionary of the first pattern that covers a topic or pattern, or null. */
  public Dictionary of(String topic) {
    for (Entry entry : entries) {
      if (TopicPattern.covers(entry.pattern(), topic)) {
        return entry.dictionary();
      }
    }
    return null;
  }

  /** Returns the dictionary with a hash, or null. */
  public Dictionary withHash(String hash) {
    return byHash.get(hash);
  }

  /** Returns a bit for each dictionary whose hash is among these; the others are ignored. */
  public int bits(Collection<String> hashes) {
    int bits = 0;
    for (String hash : hashes) {
      Dictionary dictionary = byHash.get(hash);
      bits |= dictionary == null ? 0 : 1 << dictionary.index();
    }
    return bits;
  }
}
