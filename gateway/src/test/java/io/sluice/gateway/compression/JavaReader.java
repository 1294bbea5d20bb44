package io.sluice.gateway.compression;

import java.io.EOFException;
import java.net.SocketException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import org.java_websocket.client.WebSocketClient;
import org.java_websocket.drafts.Draft;
import org.java_websocket.drafts.Draft_6455;
import org.java_websocket.extensions.IExtension;
import org.java_websocket.extensions.permessage_deflate.PerMessageDeflateExtension;
import org.java_websocket.handshake.ServerHandshake;
import org.java_websocket.protocols.Protocol;

/** Thread that connects a WebSocket library of Java until its check is done. */
final class JavaReader extends Thread {
  private static final String SUBPROTOCOL = "sluice.v1.json";
  private static final int NORMAL = 1000;
  private static final int ABNORMAL = 1006;
  private static final int SLOW_CONSUMER = 4000;

  /** WebSocket library. */
  enum Library {
    OK_HTTP,
    /** Offers {@code server_no_context_takeover}, which it always does. */
    JAVA_WEBSOCKET,
    /** Without this parameter, by a subclass of its extension. */
    JAVA_WEBSOCKET_TAKEOVER
  }

  private final Library library;
  private final String url;
  private final MessageCheck check;
  volatile Throwable failure;

  JavaReader(Library library, String url, MessageCheck check) {
    this.library = library;
    this.url = url;
    this.check = check;
  }

  @Override
  public void run() {
    OkHttpClient http = new OkHttpClient();
    try {
      while (!check.isDone()) {
        CompletableFuture<Void> closed =
            library == Library.OK_HTTP ? openOkHttp(http) : openJavaWebSocket();
        closed.join();
      }
    } catch (Throwable e) {
      failure = e;
    } finally {
      http.dispatcher().executorService().shutdown();
    }
  }

  MessageCheck check() {
    return check;
  }

  private CompletableFuture<Void> openOkHttp(OkHttpClient http) {
    OkHttpConnection connection = new OkHttpConnection();
    Request request =
        new Request.Builder().url(url).header("Sec-WebSocket-Protocol", SUBPROTOCOL).build();
    http.newWebSocket(request, connection);
    return connection.closed;
  }

  private CompletableFuture<Void> openJavaWebSocket() {
    JavaWebSocketConnection connection = new JavaWebSocketConnection();
    connection.connect();
    return connection.closed;
  }

  // The node resets the connection of a slow client that does not read the close frame in time.
  private boolean isAllowed(int code) {
    return code == NORMAL || code == SLOW_CONSUMER || code == ABNORMAL && check.isSlow();
  }

  private void onClose(CompletableFuture<Void> closed, int code, String reason) {
    if (isAllowed(code)) {
      closed.complete(null);
    } else {
      closed.completeExceptionally(new AssertionError("closed with " + code + " " + reason));
    }
  }

  /** One connection of OkHttp. */
  private final class OkHttpConnection extends WebSocketListener {
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private boolean ended;

    @Override
    public void onOpen(WebSocket socket, Response response) {
      socket.send(check.subscribe());
    }

    @Override
    public void onMessage(WebSocket socket, String text) {
      try {
        if (!ended && !check.onText(text)) {
          ended = true;
          socket.close(NORMAL, null);
        }
      } catch (AssertionError e) {
        closed.completeExceptionally(e);
        socket.cancel();
      }
    }

    @Override
    public void onClosing(WebSocket socket, int code, String reason) {
      socket.close(NORMAL, null);
    }

    @Override
    public void onClosed(WebSocket socket, int code, String reason) {
      onClose(closed, code, reason);
    }

    @Override
    public void onFailure(WebSocket socket, Throwable cause, Response response) {
      boolean reset = cause instanceof SocketException || cause instanceof EOFException;
      if (reset && check.isSlow()) {
        closed.complete(null);
      } else {
        closed.completeExceptionally(cause);
      }
    }
  }

  private Draft draft() {
    return new Draft_6455(
        List.<IExtension>of(
            library == Library.JAVA_WEBSOCKET
                ? new PerMessageDeflateExtension()
                : new TakeoverExtension()),
        List.of(new Protocol(SUBPROTOCOL)));
  }

  /** Extension that permits the server to refer to earlier messages. */
  private static final class TakeoverExtension extends PerMessageDeflateExtension {
    @Override
    public String getProvidedExtensionAsClient() {
      return "permessage-deflate";
    }

    @Override
    public IExtension copyInstance() {
      return new TakeoverExtension();
    }
  }

  /** One connection of Java-WebSocket. */
  private final class JavaWebSocketConnection extends WebSocketClient {
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private boolean ended;

    JavaWebSocketConnection() {
      super(URI.create(url), draft(), Map.of());
    }

    @Override
    public void onOpen(ServerHandshake handshake) {
      send(check.subscribe());
    }

    @Override
    public void onMessage(String text) {
      if (!ended && !check.onText(text)) {
        ended = true;
        close();
      }
    }

    @Override
    public void onClose(int code, String reason, boolean remote) {
      JavaReader.this.onClose(closed, code, reason);
    }

    @Override
    public void onError(Exception cause) {
      if (!(cause instanceof SocketException && check.isSlow())) {
        closed.completeExceptionally(cause);
      }
    }
  }
}
