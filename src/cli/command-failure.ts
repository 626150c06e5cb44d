/** A command cannot do what it was asked to: told in one line, without a stack. */
export class CommandFailure extends Error {}
