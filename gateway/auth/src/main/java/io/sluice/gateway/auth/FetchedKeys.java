package io.sluice.gateway.auth;

import io.sluice.gateway.auth.AuthOptions.JwtOptions;
import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.auth.IssuerClient.UnusableAnswer;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jose4j.lang.JoseException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keys that the issuer publishes as a JWKS. The last usable keys stay in use while the issuer is
 * unreachable. For any thread.
 */
final class FetchedKeys implements KeyRing.Source {
  private static final Logger log = LoggerFactory.getLogger(FetchedKeys.class);

  private final IssuerClient issuer;
  private final String name;
  private final boolean plainHttp;

  /** URL of the JWKS, or of the discovery document that names it. */
  private final URI url;

  private final boolean discovered;
  private final Duration refresh;
  private final Duration minInterval;
  private final ScheduledExecutorService timer = AuthExecutor.timer("sluice-auth-keys");
  private volatile KeyRing ring;
  private volatile IssuerMetadata metadata;

  // Both guarded by this.
  private CompletableFuture<KeyRing> inFlight;
  private long lastNs;

  private FetchedKeys(JwtOptions options, boolean plainHttp, IssuerClient issuer) {
    this.issuer = issuer;
    this.name = options.claims().issuer();
    this.plainHttp = plainHttp;
    this.discovered = options.discovered();
    this.url = discovered ? IssuerMetadata.url(name) : URI.create(options.jwksUrl());
    this.refresh = options.refresh();
    this.minInterval = options.refreshMin();
    this.lastNs = System.nanoTime() - minInterval.toNanos();
  }

  /**
   * Starts the first request for the keys and returns without waiting for it.
   *
   * @param plainHttp whether a discovered JWKS may be at an http URL
   */
  static FetchedKeys open(JwtOptions options, boolean plainHttp, IssuerClient issuer) {
    FetchedKeys keys = new FetchedKeys(options, plainHttp, issuer);
    keys.refresh();
    return keys;
  }

  private CompletableFuture<KeyRing> fetch() {
    return discovered
        ? issuer.get(url).thenCompose(document -> jwks(issuer, discover(document)))
        : jwks(issuer, url);
  }

  private URI discover(String document) {
    IssuerMetadata read = IssuerMetadata.read(document, name, plainHttp);
    metadata = read;
    return read.jwks();
  }

  private static CompletableFuture<KeyRing> jwks(IssuerClient issuer, URI url) {
    return issuer
        .get(url)
        .thenApply(
            json -> {
              try {
                return KeyRing.ofJwks(json);
              } catch (JoseException e) {
                throw new UnusableAnswer(url + " does not return a JWKS: " + e.getMessage(), e);
              }
            });
  }

  /** Returns the latest discovered endpoints; null before, and without discovery. */
  IssuerMetadata metadata() {
    return metadata;
  }

  @Override
  public KeyRing current() {
    return ring;
  }

  /** Requests the keys again. Concurrent calls share one request, and their rate is limited. */
  @Override
  public CompletionStage<KeyRing> reloaded(KeyRing known) {
    CompletableFuture<KeyRing> pending;
    synchronized (this) {
      if (inFlight != null) {
        return inFlight;
      }
      KeyRing now = ring;
      if (now != known) {
        return CompletableFuture.completedFuture(now);
      }
      if (System.nanoTime() - lastNs < minInterval.toNanos()) {
        return AuthenticationFailure.stage(
            Reason.UNAVAILABLE,
            "the token's key is unknown, and the issuer's keys were requested just now");
      }
      pending = new CompletableFuture<>();
      inFlight = pending;
      lastNs = System.nanoTime();
    }
    fetch().whenComplete((fresh, failure) -> onFetched(pending, fresh, failure));
    return pending;
  }

  private void onFetched(CompletableFuture<KeyRing> pending, KeyRing fresh, Throwable failure) {
    KeyRing before = ring;
    synchronized (this) {
      ring = failure == null ? fresh : before;
      inFlight = null;
    }
    if (failure == null) {
      logChange(before, fresh);
      pending.complete(fresh);
    } else {
      issuer.onFailure();
      String problem = AuthenticationFailure.unwrapped(failure).getMessage();
      if (!timer.isShutdown()) {
        log.atError().addKeyValue("problem", problem).log("auth.keys-unusable");
      }
      pending.completeExceptionally(
          new AuthenticationFailure(
              Reason.UNAVAILABLE, "the issuer's keys could not be fetched", failure));
    }
  }

  private static void logChange(KeyRing before, KeyRing fresh) {
    if (before == null || !names(before).equals(names(fresh))) {
      log.atInfo()
          .addKeyValue("keys", fresh.keys().size())
          .addKeyValue("unusable", fresh.unusable())
          .log("auth.keys");
    }
  }

  private static String names(KeyRing ring) {
    return ring.keys().stream().map(key -> key.getKeyType() + key.getKeyId()).toList().toString();
  }

  private void refresh() {
    reloaded(ring)
        .whenComplete((fresh, failure) -> refreshAfter(failure == null ? refresh : minInterval));
  }

  private void refreshAfter(Duration wait) {
    if (!timer.isShutdown()) {
      timer.schedule(this::refresh, wait.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
