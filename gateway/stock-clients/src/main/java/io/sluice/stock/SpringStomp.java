package io.sluice.stock;

import static io.sluice.stock.Lines.say;

import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.springframework.messaging.simp.stomp.StompCommand;
import org.springframework.messaging.simp.stomp.StompHeaders;
import org.springframework.messaging.simp.stomp.StompSession;
import org.springframework.messaging.simp.stomp.StompSessionHandlerAdapter;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.web.socket.client.WebSocketClient;
import org.springframework.web.socket.client.standard.StandardWebSocketClient;
import org.springframework.web.socket.messaging.WebSocketStompClient;
import org.springframework.web.socket.sockjs.client.RestTemplateXhrTransport;
import org.springframework.web.socket.sockjs.client.SockJsClient;
import org.springframework.web.socket.sockjs.client.WebSocketTransport;

/**
 * Spring's WebSocketStompClient: HOST:PORT [websocket|sockjs|xhr-streaming]. Spring does not
 * reconnect by itself. Each subscription resumes from the position of its last message.
 */
public final class SpringStomp extends StompSessionHandlerAdapter {
  private final Map<String, Subscription> subscriptions = new ConcurrentHashMap<>();
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
  private final WebSocketStompClient client;
  private final String url;
  private final Predicate<String> repeats = Lines.repeats();
  private final AtomicReference<StompSession> lost = new AtomicReference<>();
  private volatile StompSession session;

  private SpringStomp(String address, String transport) {
    boolean isSockJs = !transport.equals("websocket");
    client = new WebSocketStompClient(isSockJs ? sockJs(transport) : new StandardWebSocketClient());
    ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
    scheduler.initialize();
    client.setTaskScheduler(scheduler);
    client.setDefaultHeartbeat(new long[] {10_000, 10_000});
    url = (isSockJs ? "http://" : "ws://") + address + "/stomp";
  }

  private static WebSocketClient sockJs(String transport) {
    return new SockJsClient(
        List.of(
            transport.equals("sockjs")
                ? new WebSocketTransport(new StandardWebSocketClient())
                : new RestTemplateXhrTransport()));
  }

  public static void main(String[] arguments) throws Exception {
    SpringStomp stomp =
        new SpringStomp(arguments[0], arguments.length > 1 ? arguments[1] : "websocket");
    stomp.connect();
    Lines.follow(
        Map.of(
            "subscribe", destination -> stomp.begin(destination, "auto"),
            "consume", destination -> stomp.begin(destination, "client-individual"),
            "publish", stomp::publish));
  }

  private void connect() {
    client.connectAsync(url, this);
  }

  private void reconnect() {
    clock.schedule(this::connect, 200, TimeUnit.MILLISECONDS);
  }

  @Override
  public void afterConnected(StompSession connected, StompHeaders headers) {
    session = connected;
    connected.setAutoReceipt(true);
    say("OPEN");
    subscriptions.values().forEach(Subscription::subscribe);
  }

  @Override
  public void handleFrame(StompHeaders headers, Object payload) {
    say("ERROR", headers.getFirst("message"));
  }

  @Override
  public void handleException(
      StompSession failed, StompCommand command, StompHeaders headers, byte[] body, Throwable e) {
    say("ERROR", e.toString());
  }

  @Override
  public void handleTransportError(StompSession failed, Throwable e) {
    if (lost.getAndSet(failed) != failed) { // an XHR transport reports its end, too
      say("LOST", e.toString());
      reconnect();
    }
  }

  private void begin(String destination, String ack) {
    Subscription subscription = new Subscription(destination, ack);
    subscriptions.put(destination, subscription);
    subscription.subscribe();
  }

  private void publish(String rest) {
    StompHeaders headers = new StompHeaders();
    headers.setDestination(Lines.first(rest));
    String text = Lines.rest(rest);
    session
        .send(headers, text.getBytes(StandardCharsets.UTF_8))
        .addReceiptTask(() -> say("PUBLISHED", text));
  }

  private final class Subscription extends StompSessionHandlerAdapter {
    private final String destination;
    private final String ack;
    private volatile String position;

    Subscription(String destination, String ack) {
      this.destination = destination;
      this.ack = ack;
    }

    void subscribe() {
      StompHeaders headers = new StompHeaders();
      headers.setDestination(destination);
      headers.setAck(ack);
      headers.set("gap", "true");
      if (position != null) {
        headers.set("from", position);
      }
      session.subscribe(headers, this).addReceiptTask(() -> say("SUBSCRIBED", destination));
    }

    @Override
    public Type getPayloadType(StompHeaders headers) {
      return byte[].class;
    }

    @Override
    public void handleFrame(StompHeaders headers, Object payload) {
      String at = headers.getFirst("position");
      position = at == null ? position : at;
      if (headers.containsKey("gap")) {
        say("NOTICE", headers.getFirst("gap"));
        return;
      }
      boolean again =
          "true".equals(headers.getFirst("redelivered")) | repeats.test(headers.getMessageId());
      String text = new String((byte[]) payload, StandardCharsets.UTF_8);
      say(again ? "AGAIN" : "MESSAGE", headers.getDestination(), text);
      // HOLD stands for work that does not end before the connection is lost.
      boolean isHeld = text.startsWith("HOLD") && !again;
      if (!ack.equals("auto") && !isHeld) {
        StompHeaders acknowledgement = new StompHeaders();
        acknowledgement.setId(headers.getFirst("ack"));
        session.acknowledge(acknowledgement, true).addReceiptTask(() -> say("ACKED", text));
      }
    }
  }
}
