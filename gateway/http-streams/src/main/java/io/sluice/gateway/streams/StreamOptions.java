package io.sluice.gateway.streams;

import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.SettingFile;
import java.io.IOException;

/**
 * Options of the protocol. Immutable.
 *
 * @param secret shared by the nodes of the cluster; empty for none
 */
public record StreamOptions(String secret) {
  /** Reads the options of a node. The cluster reports a secret that cannot be read. */
  public static StreamOptions of(Config config) {
    String file = config.get(ClusterSettings.SECRET_FILE);
    try {
      return new StreamOptions(
          file.isEmpty()
              ? config.get(ClusterSettings.SECRET)
              : new SettingFile(ClusterSettings.SECRET_FILE, file).read());
    } catch (IOException e) {
      return new StreamOptions("");
    }
  }

  @Override
  public String toString() {
    return "StreamOptions";
  }
}
