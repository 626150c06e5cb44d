/** A command cannot do what it was asked to: told in one line, without a stack. Exit code 1. */
export class CommandFailure extends Error {
  /** The relay's own refusal, where it was one. */
  readonly refusal: { readonly code: string; readonly issues?: readonly unknown[] } | undefined;

  constructor(message: string, refusal?: CommandFailure['refusal']) {
    super(message);
    this.refusal = refusal;
  }
}
