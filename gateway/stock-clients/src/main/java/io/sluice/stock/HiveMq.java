package io.sluice.stock;

import static io.sluice.stock.Lines.say;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttWebSocketConfig;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5ClientBuilder;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** HiveMQ's client with MQTT 5, which subscribes again by itself: URL, of ws or tcp. */
public final class HiveMq {
  private final AtomicInteger connects = new AtomicInteger();
  private final Mqtt5AsyncClient client;

  private HiveMq(URI url) {
    Mqtt5ClientBuilder builder =
        MqttClient.builder()
            .useMqttVersion5()
            .serverHost(url.getHost())
            .serverPort(url.getPort())
            .automaticReconnect()
            .initialDelay(200, TimeUnit.MILLISECONDS)
            .maxDelay(1, TimeUnit.SECONDS)
            .applyAutomaticReconnect()
            .addConnectedListener(context -> onConnected())
            .addDisconnectedListener(context -> say("LOST", context.getCause().toString()));
    if (url.getScheme().equals("ws")) {
      String path = url.getPath().substring(1);
      builder = builder.webSocketConfig(MqttWebSocketConfig.builder().serverPath(path).build());
    }
    client = builder.buildAsync();
  }

  public static void main(String[] arguments) throws Exception {
    HiveMq hive = new HiveMq(URI.create(arguments[0]));
    hive.client.connect();
    Lines.follow(Map.of("subscribe", hive::subscribe, "publish", hive::publish));
  }

  private void onConnected() {
    say("OPEN");
    if (connects.getAndIncrement() > 0) {
      say("NOTICE new session");
    }
  }

  private void subscribe(String filter) {
    client
        .subscribeWith()
        .topicFilter(filter)
        .qos(MqttQos.AT_LEAST_ONCE)
        .callback(HiveMq::onMessage)
        .send()
        .whenComplete(
            (granted, failure) -> {
              if (failure == null) {
                say("SUBSCRIBED", filter);
              } else {
                say("REFUSED", filter, failure.toString());
              }
            });
  }

  // Its client does not show the flag DUP.
  private static void onMessage(Mqtt5Publish message) {
    String text = StandardCharsets.UTF_8.decode(message.getPayload().orElseThrow()).toString();
    say("MESSAGE", message.getTopic().toString(), text);
  }

  private void publish(String rest) {
    String text = Lines.rest(rest);
    client
        .publishWith()
        .topic(Lines.first(rest))
        .qos(MqttQos.AT_LEAST_ONCE)
        .payload(text.getBytes(StandardCharsets.UTF_8))
        .send()
        .whenComplete(
            (result, failure) ->
                say(
                    failure == null && result.getError().isEmpty() ? "PUBLISHED" : "REFUSED",
                    text));
  }
}
