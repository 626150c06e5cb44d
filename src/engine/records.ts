/** Small named texts beside the polls: kept replies, secrets of the servers, what a show points to. */
export interface Records {
  /** MUST NOT find what has outlived its time. */
  find(name: string): Promise<string | undefined>;

  /** The same for many, in order. MUST cost one request to the engine, so hand over some hundreds at most. */
  findMany(names: readonly string[]): Promise<(string | undefined)[]>;

  /**
   * Stores a text unless the name is taken; resolves to the text that is stored now. MUST be atomic: of many callers, all
   * get the text of the first.
   *
   * @param ttlMs milliseconds after which it is forgotten; left out, it stays
   */
  putIfAbsent(name: string, text: string, ttlMs?: number): Promise<string>;

  /** Stores a text, whatever was there. MUST NOT keep an earlier text's time. */
  put(name: string, text: string, ttlMs?: number): Promise<void>;

  /**
   * Compare and set: puts a text in the place of the one that is expected there, and resolves to false where another one is,
   * or none. MUST be atomic: of two writers who read the same text, one succeeds. MUST NOT keep an earlier text's time.
   *
   * @param text undefined removes
   */
  replace(name: string, expected: string, text: string | undefined): Promise<boolean>;

  /**
   * Adds to what has been spent under a name, unless that would exceed the budget: then it MUST resolve to false and change
   * nothing. MUST be atomic: many who spend at once never exceed it together.
   *
   * @param ttlMs milliseconds after which all that was spent is forgotten
   */
  spend(name: string, amount: number, budget: number, ttlMs: number): Promise<boolean>;

  /** MUST resolve where there is nothing to remove, too. */
  remove(name: string): Promise<void>;
}
