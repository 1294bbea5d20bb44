package io.sluice.gateway.http;

import io.sluice.gateway.admission.ClientAddresses;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.protocol.Refusal;
import io.sluice.gateway.session.Session;
import io.sluice.gateway.session.SessionPolicy;
import io.sluice.gateway.shard.HubShard;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;

/**
 * Answers the requests to {@code /stream} of one event loop: docs/PROTOCOL.md, section 10. Bound to
 * that loop.
 *
 * <p>Vert.x reads the request. When its last byte is there the connection leaves Vert.x, as a
 * WebSocket's does.
 */
final class Streams {
  private final ClientAdmission admission;
  private final LoopState connections;
  private final HubShard shard;
  private final SessionPolicy policy;
  private final StreamRules rules;
  private final RequestCredentials credentials;
  private final Challenge challenge;
  private final ClientAddresses addresses;
  private final int maxBodyBytes;
  private final BufferQuota bodyQuota;

  Streams(
      ClientPortOptions options,
      ClientAdmission admission,
      LoopState connections,
      HubShard shard,
      SessionPolicy policy,
      ClientAddresses addresses) {
    this.admission = admission;
    this.connections = connections;
    this.shard = shard;
    this.policy = policy;
    this.credentials = options.credentials();
    this.challenge = options.challenge();
    this.addresses = addresses;
    this.maxBodyBytes = options.bodyBytes();
    this.bodyQuota = new BufferQuota(options.bodiesBytes());
    this.rules = new StreamRules(options.origins(), maxBodyBytes);
  }

  /** Answers a request, now or when its body has come. */
  void serve(HttpServerRequest request) {
    StreamRules.Result result =
        rules.check(
            request.method().name(), request.query(), name -> request.headers().getAll(name));
    if (result instanceof StreamRules.Preflight preflight) {
      admission.answer(request, addresses, preflight.cors(), () -> answer(request, preflight));
    } else {
      serve(request, addresses.of(request), result);
    }
  }

  private static void answer(HttpServerRequest request, StreamRules.Preflight preflight) {
    preflight.headers().forEach(request.response()::putHeader);
    request.response().setStatusCode(204).end();
  }

  private void serve(HttpServerRequest request, String address, StreamRules.Result result) {
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

  private void read(HttpServerRequest request, String address, StreamRules.Accepted accepted) {
    Credential shown = credentials.of(request);
    Refusal question = challenge.of(shown, request.query());
    if (question == null) {
      new Reading(request, address, accepted, shown).begin();
    } else {
      admission.refuse(request, address, question.with(accepted.cors()));
    }
  }

  /** One request whose body is on its way. The end of the connection's handshake is its end. */
  private final class Reading {
    private final HttpServerRequest request;
    private final String address;
    private final StreamRules.Accepted accepted;
    private final Credential shown;
    private final RequestBody body = new RequestBody(maxBodyBytes, bodyQuota);
    private boolean over;

    Reading(
        HttpServerRequest request,
        String address,
        StreamRules.Accepted accepted,
        Credential shown) {
      this.request = request;
      this.address = address;
      this.accepted = accepted;
      this.shown = shown;
    }

    void begin() {
      request.exceptionHandler(gone -> onGone()).handler(this::onChunk).endHandler(end -> onEnd());
      if (expectsToBeAsked()) {
        request.response().writeContinue();
      }
    }

    private boolean expectsToBeAsked() {
      return request.version() == HttpVersion.HTTP_1_1
          && "100-continue".equalsIgnoreCase(request.getHeader("Expect"));
    }

    private void onGone() {
      if (!over) {
        over = true;
        body.close();
      }
    }

    private void onChunk(Buffer chunk) {
      if (over) {
        return; // it is refused already, and only read so that the client sees the answer
      }
      switch (body.add(chunk.getBytes())) {
        case BUFFERED -> {}
        case TOO_LONG -> refuse(Refusal.tooLong(maxBodyBytes));
        case QUOTA_EXCEEDED ->
            refuse(Refusal.unavailable("this node is reading too many requests"));
        case NOT_UTF8 -> refuse(notText());
      }
    }

    private void onEnd() {
      if (over) {
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
      over = true;
      StreamConnection client =
          new StreamConnection(
              connections,
              address,
              body,
              connection -> new Session(connection, shard, policy, accepted.encoding(), shown));
      Refusal refusal = admission.admit(request, "200 OK", accepted.headers(), client);
      if (refusal != null) {
        refuse(refusal);
      }
    }

    private Refusal notText() {
      return Refusal.bad("the body is not UTF-8");
    }

    private void refuse(Refusal refusal) {
      over = true;
      body.close();
      admission.refuse(request, address, refusal.with(accepted.cors()));
    }
  }
}
