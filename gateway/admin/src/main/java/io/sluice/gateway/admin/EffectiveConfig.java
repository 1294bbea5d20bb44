package io.sluice.gateway.admin;

import java.util.List;

/** Configuration of the running node with the origin of each value. For any thread. */
@FunctionalInterface
public interface EffectiveConfig {
  /**
   * Value of a key.
   *
   * @param value text in which secrets are masked
   * @param origin place in a file, option, or default
   * @param pending whether the file has another value, which applies after a restart or a reload
   */
  record Key(String key, String value, String origin, boolean pending) {}

  /** Returns the keys in the order of the documentation. Reads the file, so it may block. */
  List<Key> keys();
}
