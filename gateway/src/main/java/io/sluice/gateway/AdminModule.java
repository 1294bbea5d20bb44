package io.sluice.gateway;

import io.sluice.gateway.admin.AdminOptions;
import io.sluice.gateway.admin.AdminServer;
import io.sluice.gateway.admin.AdminTokens;
import io.sluice.gateway.admin.ConfigReload;
import io.sluice.gateway.admin.NodeClients;
import io.sluice.gateway.admin.login.OidcLogin;
import io.sluice.gateway.admin.login.OidcOptions;
import io.sluice.gateway.admin.query.QueryOptions;
import io.sluice.gateway.audit.Operator;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.auth.UnusableAuth;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigDraft;
import io.sluice.gateway.http.ClientPorts;
import io.sluice.gateway.node.Opened;
import io.sluice.gateway.node.StartFailure;
import io.sluice.gateway.protocol.presence.PresenceView;
import io.sluice.gateway.query.ReloadOutcome;
import io.sluice.gateway.tls.TlsIdentity;
import io.sluice.gateway.tls.UnusableTls;
import io.vertx.core.Future;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Admin port by the module of that name. For any thread. */
final class AdminModule implements NodeAdmin {
  private final AdminServer server;

  /** Null without login of operators by OpenID Connect. */
  private final OidcLogin oidc;

  private final ConfigOrigins origins;

  private AdminModule(Parts parts, AdminTokens tokens, OidcLogin oidc) {
    Config config = parts.config();
    this.oidc = oidc;
    this.origins = new ConfigOrigins(config);
    this.server =
        new AdminServer(
            AdminOptions.of(config),
            tokens,
            oidc,
            parts.exposition(),
            parts.notReady(),
            parts.access(),
            new Clients(parts.clients(), parts.presence()),
            parts.hub().sources().queues(),
            new Nodes(
                parts.member(), config.get(ClusterSettings.NAME), parts.drain(), parts.undrain()),
            new NodeFigures(
                parts.name(), parts.hub(), parts.clients(), parts.links(), parts.metrics()),
            QueryOptions.of(config),
            origins,
            new Reload(parts.reloads()));
  }

  static NodeAdmin create(Parts parts, Opened opened) throws StartFailure {
    Config config = parts.config();
    AdminOptions options = AdminOptions.of(config);
    try {
      // Reports errors in more detail than Vert.x.
      TlsIdentity.read(options.tls());
      TlsIdentity.authorities(AdminSettings.TLS_CA, config.get(AdminSettings.TLS_CA));
      AdminTokens tokens = AdminTokens.read(options);
      OidcLogin oidc =
          OidcLogin.open(OidcOptions.of(config), parts.access().revocations()).orElse(null);
      return new AdminModule(parts, tokens, opened.add(oidc));
    } catch (UnusableTls | UnusableAuth | AdminTokens.Unusable e) {
      throw new StartFailure(e.getMessage(), e);
    }
  }

  /** Sessions of all event loops. For any thread. */
  private record Clients(ClientPorts ports, NodePresence present) implements NodeClients {
    @Override
    public CompletionStage<Integer> revoke(Predicate<Peer> revoked) {
      return ports.revoke(revoked);
    }

    @Override
    public CompletionStage<PresenceView> presence(String topic) {
      return present.views().apply(topic);
    }
  }

  /** Reloads by operators. For any thread. */
  private record Reload(Reloads reloads) implements ConfigReload {
    @Override
    public ReloadOutcome.Preview preview() {
      return reloads.preview();
    }

    @Override
    public ReloadOutcome reload(Operator by) {
      return reloads.reload(by);
    }
  }

  @Override
  public Future<Void> start() {
    return server.start();
  }

  @Override
  public int port() {
    return server.port();
  }

  @Override
  public String console() {
    return server.console();
  }

  @Override
  public long issuerFailures() {
    return oidc == null ? 0 : oidc.issuerFailures();
  }

  @Override
  public void reloadFrom(Supplier<ConfigDraft> file) {
    origins.from(file);
  }

  @Override
  public void onReloading(Config next) {
    origins.onReloaded(next);
  }

  @Override
  public void onReloaded(ConfigChange change, Runnable logLevels) {
    if (change.applies(AdminSettings.TOKEN) || change.applies(AdminSettings.TOKEN_FILE)) {
      server.reloadTokens(AdminOptions.of(change.effective()));
    }
    if (change.changesLogLevels()) {
      server.onLogLevelsReloaded(logLevels);
    }
  }

  @Override
  public Future<Void> close() {
    if (oidc != null) {
      oidc.close();
    }
    return server.close();
  }
}
