/** Small named texts beside the polls: kept replies, secrets of the servers, what a show points to. */
export interface RecordStore {
  find(name: string): Promise<string | undefined>;

  /** Stores a text unless the name is taken; resolves to the text that is stored now. MUST be atomic. */
  keep(name: string, text: string, ttlMs?: number): Promise<string>;

  /** Stores a text, whatever was there. */
  put(name: string, text: string, ttlMs?: number): Promise<void>;

  remove(name: string): Promise<void>;
}
