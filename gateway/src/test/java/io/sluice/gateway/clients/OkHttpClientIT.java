package io.sluice.gateway.clients;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Example client with OkHttp. */
final class OkHttpClientIT extends ExampleClientScenes {
  @Override
  ExampleClient start(String url, String topic) {
    return new Running(url, topic);
  }

  private static final class Running implements ExampleClient, MessageListener {
    private final List<String> entries = new CopyOnWriteArrayList<>();
    private final SluiceClient client;

    Running(String url, String topic) {
      client = new SluiceClient(url, null);
      client.subscribe(topic, null, this);
    }

    @Override
    public void onSubscribed() {
      entries.add(SUBSCRIBED);
    }

    @Override
    public void onMessage(JsonNode message) {
      entries.add(MESSAGE + message.get("payload").asText());
    }

    @Override
    public void onGap(String reason) {
      entries.add(GAP + reason);
    }

    @Override
    public void onError(String code, String message) {
      entries.add("ERROR " + code + " " + message);
    }

    @Override
    public List<String> entries() {
      return List.copyOf(entries);
    }

    @Override
    public void close() {
      client.close();
    }
  }
}
