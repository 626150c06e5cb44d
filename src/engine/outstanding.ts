/** Counts what has begun and not ended, such as writes without a reply. */
export class Outstanding {
  #count = 0;
  #waiting: (() => void)[] = [];

  get count(): number {
    return this.#count;
  }

  begin(): void {
    this.#count += 1;
  }

  end(count = 1): void {
    this.#count -= count;
    if (this.#count > 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Resolves once nothing is outstanding. */
  async settled(): Promise<void> {
    if (this.#count > 0) await new Promise<void>(resolve => this.#waiting.push(resolve));
  }
}
