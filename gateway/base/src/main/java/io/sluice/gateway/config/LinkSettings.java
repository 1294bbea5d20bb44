package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.flag;
import static io.sluice.gateway.config.Setting.integer;
import static io.sluice.gateway.config.Setting.list;
import static io.sluice.gateway.config.Setting.text;

import java.util.List;

/** Configuration keys of the links to other nodes. Constants only. */
public final class LinkSettings {
  private static final int MAX_PORT = 65_535;

  public static final Setting<List<String>> ROOTS =
      list(
          "nodes.roots",
          List.of(),
          "URLs of nodes whose topics this node serves, such as wss://root.example.com:9443."
              + " After a space, patterns instead of nodes.topics can follow. It connects to one"
              + " of those with equal patterns.");
  public static final Setting<Boolean> ACCEPT =
      flag(
          "nodes.accept",
          false,
          "Whether such a node connects to links.port of this one, as in a DMZ.");
  public static final Setting<List<String>> TOPICS =
      list(
          "nodes.topics",
          List.of(">"),
          "Patterns of the topics that the other node has. Required with another source.");
  public static final Setting<String> HOST =
      text("links.host", "127.0.0.1", "Address of links.port.");
  public static final Setting<Integer> PORT =
      integer("links.port", -1, -1, MAX_PORT, "Port for links of other nodes; -1: none.");
  public static final Setting<List<String>> DIAL =
      list(
          "links.dial",
          List.of(),
          "URLs of nodes to which this node connects to serve them its topics, such as"
              + " wss://dmz.example.com:9443; with udp://239.8.8.1:9444, it sends messages for"
              + " several nodes once, by multicast.");
  public static final Setting<List<String>> PEERS =
      list(
          "links.peers",
          List.of(),
          "Names of the nodes that may have a link with this one: the common name or a DNS name of"
              + " their certificates.");
  public static final Setting<List<String>> SUBSCRIBE =
      list(
          "links.subscribe",
          List.of(),
          "Patterns of topics that this node serves to others; with queue:, durable:, shared: or"
              + " presence: before, of these.");
  public static final Setting<List<String>> PUBLISH =
      list(
          "links.publish",
          List.of(),
          "Patterns of topics to which other nodes may publish; with queue: before, of queues; with"
              + " presence: before, of topics whose members they may report.");
  public static final Setting<String> CERTIFICATE =
      text("links.certificate", "", "PEM file with this node's certificate for links.");
  public static final Setting<String> KEY =
      text("links.key", "", "PEM file with the private key of links.certificate.");
  public static final Setting<String> TRUST =
      text("links.trust", "", "PEM file with the authorities of other nodes' certificates.");

  /** Keys of the sections of other nodes and of links, in the order of the documentation. */
  public static final List<Setting<?>> ALL =
      List.of(
          ROOTS,
          ACCEPT,
          TOPICS,
          HOST,
          PORT,
          DIAL,
          PEERS,
          SUBSCRIBE,
          PUBLISH,
          CERTIFICATE,
          KEY,
          TRUST);

  /** Start of the entry of {@link #DIAL} that names a multicast group. */
  public static final String GROUP_PREFIX = "udp://";

  private LinkSettings() {}

  /** Returns the URLs of nodes to which this node connects. */
  public static List<String> dialed(Config config) {
    return config.get(DIAL).stream().filter(url -> !url.startsWith(GROUP_PREFIX)).toList();
  }

  /** Returns address and port of the multicast group, such as 239.8.8.1:9444; empty without one. */
  public static String group(Config config) {
    return config.get(DIAL).stream()
        .filter(url -> url.startsWith(GROUP_PREFIX))
        .map(url -> url.substring(GROUP_PREFIX.length()))
        .findFirst()
        .orElse("");
  }
}
