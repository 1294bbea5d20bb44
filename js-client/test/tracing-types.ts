// Types of injected options, which the compiler checks. The functions are not called.
import type { Client, Delivery, PublishOptions, RequestOptions } from "../src/index.js";
import type { Tracing } from "../src/tracing.js";

const PROPERTIES = { region: "EU", price: 101.25 };
const ORDER = { id: 7 };

export function published(client: Client, { inject }: Tracing): readonly Promise<void>[] {
  return [
    client.publish("orders.new", ORDER, inject()),
    client.publish("orders.new", ORDER, inject({ body: "map", persistent: true })),
    client.publish("orders.new", ORDER, inject({ properties: PROPERTIES, types: { id: "int" } })),
    client.publish("orders.new", ORDER, inject({ replyTo: { queue: "fills" } })),
    client.queue("orders").publish(ORDER, inject()),
    client.queue("orders").publish(ORDER, inject({ body: "map", properties: PROPERTIES })),
    client.queue("orders").publish(ORDER, inject({ types: { price: "double" }, priority: 9 })),
    // @ts-expect-error: a body is a map or a stream
    client.queue("orders").publish(ORDER, inject({ body: "text" })),
  ];
}

export function answered(delivery: Delivery, { inject }: Tracing): Promise<void> {
  return delivery.respond(ORDER, inject({ body: "map", properties: PROPERTIES }));
}

export function committed(client: Client, { inject }: Tracing): Promise<void> {
  return client.transaction((transaction) => {
    transaction.publish("orders.new", ORDER, inject({ body: "map" }));
    transaction.publish({ topic: "orders.new" }, ORDER, inject({ properties: PROPERTIES }));
    transaction.publish({ queue: "fills" }, ORDER, inject());
    transaction.publish({ queue: "fills" }, ORDER, inject({ types: { price: "float" } }));
    // @ts-expect-error: a priority is a number
    transaction.publish({ queue: "fills" }, ORDER, inject({ priority: "high" }));
  });
}

export async function requested(client: Client, { inject }: Tracing): Promise<readonly string[]> {
  await client.request("quotes", "EURUSD", inject());
  await client.queue("quotes").request("EURUSD", inject({ properties: PROPERTIES }));
  const replies = [
    await client.request("quotes", "EURUSD", inject({ reply: "text", timeout: 500 })),
    await client.queue("quotes").request("EURUSD", inject({ reply: "text", body: "map" })),
  ];
  return replies.map(({ payload }) => payload.toUpperCase());
}

export function kept(
  options: PublishOptions,
  request: RequestOptions,
  { inject }: Tracing,
): readonly [PublishOptions, RequestOptions] {
  return [inject(options), inject(request)];
}
