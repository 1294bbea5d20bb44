/** Source of a consumer: a queue, or a durable or shared subscription of a topic or pattern. */
export type Source =
  | { readonly queue: string }
  | { readonly topic: string; readonly durable: string }
  | { readonly topic: string; readonly shared: string };
