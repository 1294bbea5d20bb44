package io.sluice.gateway;

import io.sluice.gateway.broker.forward.ForwardOptions;
import io.sluice.gateway.broker.forward.ForwardQueues;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.ConfiguredSource;
import io.sluice.gateway.config.LinkGrants;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.gateway.config.NodeRoots;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.link.LinkGroup;
import io.sluice.gateway.link.LinkMeters;
import io.sluice.gateway.link.LinkOptions;
import io.sluice.gateway.link.LinkQueues;
import io.sluice.gateway.link.NodeLinks;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.multicast.MulticastGroup;
import io.sluice.gateway.node.StartFailure;
import io.sluice.gateway.presence.PresenceHub;
import io.sluice.gateway.query.NodeLinkFigures;
import io.sluice.gateway.revocation.RevocationExchange;
import io.sluice.gateway.tls.UnusableTls;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Links of the node to other nodes, whose module may be missing. For any thread. */
final class LinkModule {
  /** Null without links. */
  private final NodeLinks links;

  private LinkModule(NodeLinks links) {
    this.links = links;
  }

  private static boolean isConfigured(Config config) {
    return ConfiguredSource.hasRoot(config)
        || config.get(LinkSettings.PORT) >= 0
        || !config.get(LinkSettings.DIAL).isEmpty();
  }

  /** Reports that a module of queues over links, or of multicast, is missing. */
  static void check(ConfigFindings findings) {
    for (Setting<List<String>> each : List.of(LinkSettings.SUBSCRIBE, LinkSettings.PUBLISH)) {
      if (LinkGrants.of(findings.config(), each).haveQueues()) {
        StartFailure.reportMissing(
            findings, List.of(each), () -> ForwardOptions.of(findings.config()));
      }
    }
    if (!LinkSettings.group(findings.config()).isEmpty()) {
      StartFailure.reportMissing(
          findings, List.of(LinkSettings.DIAL), () -> checkMulticast(findings));
    }
  }

  private static void checkMulticast(ConfigFindings findings) {
    String problem = MulticastGroup.problem();
    if (problem != null) {
      findings.report(problem, "", LinkSettings.DIAL);
    }
  }

  /**
   * Creates the links of a valid configuration, which are not open yet.
   *
   * @throws StartFailure if they are configured and the module is missing, or a file is unusable
   */
  static LinkModule of(Config config, Vertx vertx, String node, GatewayMetrics metrics)
      throws StartFailure {
    if (!isConfigured(config)) {
      return new LinkModule(null);
    }
    try {
      LinkOptions options = LinkOptions.of(config);
      return new LinkModule(
          new NodeLinks(
              vertx,
              options,
              node,
              queues(config, metrics),
              group(options, metrics),
              new LinkMeters(metrics.meters())));
    } catch (NoClassDefFoundError missing) {
      throw StartFailure.missing(LinkSettings.PORT, missing);
    } catch (UnusableTls e) {
      throw new StartFailure(e.getMessage(), e);
    }
  }

  /** Returns the queues of links; null without their module. */
  private static LinkQueues queues(Config config, GatewayMetrics metrics) {
    try {
      return ForwardQueues.of(ForwardOptions.of(config), metrics);
    } catch (NoClassDefFoundError missing) {
      StartFailure.missing(missing); // fails for other classes
      return null;
    }
  }

  /** Exchanges the node's presence with linked nodes. */
  void join(PresenceHub presence) {
    if (links != null) {
      links.join(LinkedPresence.of(presence));
    }
  }

  /** Sends the node's revocations to its leaves, and receives those of its roots. */
  void revoke(RevocationExchange revocations) {
    if (links != null) {
      links.revoke(LinkedRevocations.of(revocations));
    }
  }

  /**
   * Returns the one-to-many transport; null without its module.
   *
   * @throws StartFailure if the node has a group
   */
  private static LinkGroup group(LinkOptions options, GatewayMetrics metrics) throws StartFailure {
    try {
      return MulticastGroup.of(options, metrics.meters());
    } catch (NoClassDefFoundError missing) {
      if (!options.group().isEmpty()) {
        throw StartFailure.missing(LinkSettings.DIAL, missing);
      }
      StartFailure.missing(missing); // fails for other classes
      return null;
    }
  }

  /** Returns the factory of a source. */
  SourceModule.Opener source(NodeRoots roots) {
    return (control, listener, metrics) -> links.source(roots, control, listener, metrics);
  }

  /** Opens the port and the links; completes with the port, or -1 without one. */
  Future<Integer> serve(Hub hub) {
    return links == null ? Future.succeededFuture(-1) : links.serve(hub);
  }

  /** Returns the figures of all links. */
  CompletionStage<List<NodeLinkFigures>> figures() {
    return links == null ? CompletableFuture.completedFuture(List.of()) : links.figures();
  }

  /** Closes the links. */
  void close() {
    if (links != null) {
      links.close();
    }
  }
}
