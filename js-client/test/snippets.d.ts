// Names that the examples of pages use without declaring them.
import type { Client, Message } from "../src/index.js";

declare global {
  const client: Client;
  const element: HTMLElement;
  const order: object;
  const token: () => Promise<string>;
  const userId: string;
  function apply(message: Message): void;
  function createRoot(element: HTMLElement): { render(node: unknown): void };
  function display(topic: string, payload: unknown): void;
  function dim(text: string): void;
  function fetchToken(): Promise<string>;
  function handle(payload: unknown): Promise<void>;
  function log(...values: unknown[]): void;
  function plot(p50: number, p99: number): void;
  function priceOf(payload: unknown): Promise<string>;
  function reload(reason?: string): Promise<void>;
  function show(message: Message): void;
  function showStatus(status: string): void;
  function undim(): void;
  function warn(topic: string, reason: string): void;
}
