package io.sluice.gateway.http;

import io.netty.channel.Channel;
import io.sluice.gateway.admission.ClientAddresses;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.limits.Shares;
import io.sluice.gateway.session.Session;
import io.sluice.gateway.session.SessionFeature;
import io.sluice.gateway.session.SessionPolicy;
import io.sluice.gateway.shard.HubShard;
import io.sluice.gateway.socket.RequestWatch;
import io.sluice.gateway.socket.SocketHandover;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;

/**
 * Handler of the requests to {@code /stream} of one event loop: docs/PROTOCOL.md, section 10. Bound
 * to that loop.
 *
 * <p>Vert.x reads the request. After its last byte the connection is handed over from Vert.x, like
 * that of a WebSocket.
 */
final class Streams {
  private final ClientAdmission admission;
  private final LoopState loop;
  private final HubShard shard;
  private final SessionPolicy policy;
  private final SessionFeature.Table features;
  private final StreamRules rules;
  private final RequestCredentials credentials;
  private final NegotiateChallenge challenge;
  private final ClientAddresses addresses;
  private final int maxBodyBytes;
  private final Shares bodyQuota;

  Streams(
      ClientPortOptions options,
      ClientAdmission admission,
      LoopState loop,
      HubShard shard,
      SessionPolicy policy,
      SessionFeature.Table features,
      ClientAddresses addresses) {
    this.admission = admission;
    this.loop = loop;
    this.shard = shard;
    this.policy = policy;
    this.features = features;
    this.credentials = options.credentials();
    this.challenge = options.challenge();
    this.addresses = addresses;
    this.maxBodyBytes = options.bodyBytes();
    this.bodyQuota = new Shares(options.bodiesBytes());
    this.rules = new StreamRules(options.origins(), maxBodyBytes);
  }

  /** Answers a request, possibly after its body is received. */
  void serve(VertxRequest received) {
    HttpServerRequest request = received.request();
    StreamRules.Result result =
        rules.check(request.method().name(), request.query(), received::headers);
    if (result instanceof StreamRules.Preflight preflight) {
      admission.answer(received, addresses, preflight.cors(), () -> answer(request, preflight));
    } else {
      serve(received, addresses.of(received.connection(), received::headers), result);
    }
  }

  private static void answer(HttpServerRequest request, StreamRules.Preflight preflight) {
    preflight.headers().forEach(request.response()::putHeader);
    request.response().setStatusCode(204).end();
  }

  private void serve(VertxRequest request, String address, StreamRules.Result result) {
    Refusal refusal = admission.check(request, address);
    if (refusal == null && result instanceof StreamRules.Refused wrong) {
      refusal = wrong.refusal();
    }
    if (refusal == null) {
      read(request, address, (StreamRules.Accepted) result);
    } else {
      admission.refuse(request, address, refusal.with(result.cors()));
    }
  }

  private void read(VertxRequest request, String address, StreamRules.Accepted accepted) {
    Credential credential = request.credential(credentials);
    Refusal challengeRefusal = challenge.of(credential, request.query());
    if (challengeRefusal == null) {
      new Reading(request, address, accepted, credential).begin();
    } else {
      admission.refuse(request, address, challengeRefusal.with(accepted.cors()));
    }
  }

  /** Request whose body is being received. The handshake timeout bounds it. */
  private final class Reading {
    private final VertxRequest received;
    private final HttpServerRequest request;
    private final String address;
    private final StreamRules.Accepted accepted;
    private final Credential credential;
    private final RequestBody body;
    private boolean ended;

    Reading(
        VertxRequest received,
        String address,
        StreamRules.Accepted accepted,
        Credential credential) {
      this.received = received;
      this.request = received.request();
      this.address = address;
      this.accepted = accepted;
      this.credential = credential;
      this.body = new RequestBody(maxBodyBytes, bodyQuota, AddressRange.network(address));
    }

    void begin() {
      request.exceptionHandler(this::onFailed).handler(this::onChunk).endHandler(end -> onEnd());
      if (expectsContinue()) {
        request.response().writeContinue();
      }
    }

    private boolean expectsContinue() {
      return request.version() == HttpVersion.HTTP_1_1
          && "100-continue".equalsIgnoreCase(request.getHeader("Expect"));
    }

    /** Called when the client has disconnected, or before Vert.x closes a malformed body. */
    private void onFailed(Throwable cause) {
      Channel channel = SocketHandover.channel(request.connection());
      if (ended) {
        return;
      }
      ended = true;
      body.close();
      if (channel.isActive()) {
        Refusal malformed = Refusal.bad("the body is not valid HTTP/1.1").with(accepted.cors());
        admission.count(received, address, malformed);
        RequestWatch.answer(channel, malformed);
      }
    }

    private void onChunk(Buffer chunk) {
      if (ended) {
        return; // refused; the rest is read so that the client receives the response
      }
      switch (body.add(chunk.getBytes())) {
        case BUFFERED -> {}
        case TOO_LONG -> refuse(Refusal.tooLong(maxBodyBytes));
        case QUOTA_EXCEEDED ->
            refuse(
                Refusal.unavailable(
                    "busy", "this node is reading too many requests, or too many of this address"));
        case NOT_UTF8 -> refuse(notText());
      }
    }

    private void onEnd() {
      if (ended) {
        return;
      }
      if (!body.isUtf8()) {
        refuse(notText());
      } else if (body.isBlank()) {
        refuse(Refusal.bad("the body holds no frames"));
      } else {
        open();
      }
    }

    private void open() {
      ended = true;
      StreamConnection client =
          new StreamConnection(
              loop,
              address,
              body,
              connection ->
                  new Session(
                      connection, shard, policy, features, accepted.encoding(), credential));
      Refusal refusal = admission.admit(received, "200 OK", accepted.headers(), client);
      if (refusal != null) {
        refuse(refusal);
      }
    }

    private Refusal notText() {
      return Refusal.bad("the body is not UTF-8");
    }

    private void refuse(Refusal refusal) {
      ended = true;
      body.close();
      admission.refuse(received, address, refusal.with(accepted.cors()));
    }
  }
}
