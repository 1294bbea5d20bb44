package io.sluice.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.limits.Shares;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.function.Consumer;

/**
 * Body of a request as it is received. It grows with the received bytes, not with the announced
 * length. Bound to the request's event loop.
 */
public final class BodyReader {
  private final HttpServerRequest request;
  private final Shares quota;
  private final String user;
  private final long maxBytes;
  private final Consumer<Refusal> onRefused;
  private final Consumer<byte[]> onComplete;
  private final ByteBuf bytes = Unpooled.buffer(0);
  private long charged;
  private boolean ended;

  /**
   * @param quota bytes of all bodies of the node
   * @param user name under which the bytes are counted
   * @param onRefused receives the refusal of a body that exceeds a limit
   * @param onComplete receives the body
   */
  public BodyReader(
      HttpServerRequest request,
      Shares quota,
      String user,
      long maxBytes,
      Consumer<Refusal> onRefused,
      Consumer<byte[]> onComplete) {
    this.request = request;
    this.quota = quota;
    this.user = user;
    this.maxBytes = maxBytes;
    this.onRefused = onRefused;
    this.onComplete = onComplete;
  }

  /** Begins to receive, unless the announced length is too long. */
  public void begin() {
    request.exceptionHandler(failed -> end()).handler(this::onChunk).endHandler(end -> onEnd());
    String announced = request.getHeader("Content-Length");
    if (announced != null && (announced.length() > 9 || Long.parseLong(announced) > maxBytes)) {
      refuse(Refusal.tooLong(maxBytes));
    } else if (request.version() == HttpVersion.HTTP_1_1
        && "100-continue".equalsIgnoreCase(request.getHeader("Expect"))) {
      request.response().writeContinue();
    }
  }

  private void onChunk(Buffer chunk) {
    if (ended) {
      return; // refused; the rest is read so that the client receives the response
    }
    if (chunk.length() > maxBytes - bytes.readableBytes()) {
      refuse(Refusal.tooLong(maxBytes));
    } else if (quota.take(user, chunk.length())) {
      charged += chunk.length();
      bytes.writeBytes(chunk.getBytes());
    } else {
      refuse(
          Refusal.unavailable(
              "busy", "this node is reading too many requests, or too many of this address"));
    }
  }

  private void onEnd() {
    if (!ended) {
      byte[] body = ByteBufUtil.getBytes(bytes);
      end();
      onComplete.accept(body);
    }
  }

  private void refuse(Refusal refusal) {
    end();
    onRefused.accept(refusal);
  }

  private void end() {
    ended = true;
    quota.release(user, charged);
    charged = 0;
    bytes.clear();
  }
}
