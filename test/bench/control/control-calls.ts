/** What the control servers of Node can be told. */
export type ControlCalls = {
  /** Resolves to the port. */
  listen(order: { port: number }): Promise<void>;
  /** Sends a message to all. */
  publish(order: { text: string }): void;
};
