package io.sluice.stock;

import static io.sluice.stock.Lines.say;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttActionListener;
import org.eclipse.paho.mqttv5.client.MqttAsyncClient;
import org.eclipse.paho.mqttv5.client.MqttCallback;
import org.eclipse.paho.mqttv5.client.MqttConnectionOptions;
import org.eclipse.paho.mqttv5.client.MqttDisconnectResponse;
import org.eclipse.paho.mqttv5.client.persist.MemoryPersistence;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;

/** Paho for Java with MQTT 5: URL, of ws or tcp. */
public final class PahoV5 implements MqttCallback {
  private final List<String> filters = new CopyOnWriteArrayList<>();
  private final MqttAsyncClient client;

  private PahoV5(String url) throws MqttException {
    client = new MqttAsyncClient(url, "paho5-" + System.nanoTime(), new MemoryPersistence());
    client.setCallback(this);
  }

  public static void main(String[] arguments) throws Exception {
    PahoV5 paho = new PahoV5(arguments[0]);
    MqttConnectionOptions options = new MqttConnectionOptions();
    options.setAutomaticReconnect(true);
    options.setAutomaticReconnectDelay(1, 1);
    paho.client.connect(options);
    Lines.follow(Map.of("subscribe", paho::begin, "publish", paho::publish));
  }

  @Override
  public void connectComplete(boolean again, String url) {
    say("OPEN");
    if (again) {
      say("NOTICE new session");
    }
    filters.forEach(this::subscribe);
  }

  @Override
  public void disconnected(MqttDisconnectResponse response) {
    say("LOST", String.valueOf(response.getException()));
  }

  @Override
  public void mqttErrorOccurred(MqttException failure) {
    say("ERROR", failure.toString());
  }

  private void begin(String filter) {
    filters.add(filter);
    subscribe(filter);
  }

  private void subscribe(String filter) {
    try {
      client.subscribe(filter, 1, null, new Said("SUBSCRIBED", filter));
    } catch (MqttException e) {
      say("ERROR", e.toString());
    }
  }

  private void publish(String rest) throws MqttException {
    MqttMessage message = new MqttMessage(Lines.rest(rest).getBytes(StandardCharsets.UTF_8));
    message.setQos(1);
    client.publish(Lines.first(rest), message, null, new Said("PUBLISHED", Lines.rest(rest)));
  }

  @Override
  public void messageArrived(String topic, MqttMessage message) {
    String text = new String(message.getPayload(), StandardCharsets.UTF_8);
    say(message.isDuplicate() ? "AGAIN" : "MESSAGE", topic, text);
  }

  @Override
  public void deliveryComplete(IMqttToken token) {
    // reported by the listener of the publish
  }

  @Override
  public void authPacketArrived(int reasonCode, MqttProperties properties) {
    say("ERROR AUTH");
  }

  /** Prints the outcome of a request. */
  private record Said(String done, String what) implements MqttActionListener {
    @Override
    public void onSuccess(IMqttToken token) {
      boolean isRefused = token.getReasonCodes()[0] >= 0x80;
      say(isRefused ? "REFUSED" : done, what);
    }

    @Override
    public void onFailure(IMqttToken token, Throwable failure) {
      say("REFUSED", what, failure.toString());
    }
  }
}
