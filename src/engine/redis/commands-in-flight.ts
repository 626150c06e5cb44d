import { NOT_WRITTEN } from '../../poll/poll-error.ts';
import {
  type CommandClient,
  engineUnavailable,
  NO_PRIMARY,
  TOO_MANY_UNANSWERED,
  writeTogether,
} from './redis-commands.ts';
import type { RedisConnections } from './redis-connections.ts';

/** Beyond this many unanswered commands Redis is not keeping up, and waiting longer helps nobody. */
const MAX_IN_FLIGHT = 10_000;

/** Sends commands of all ports on one connection, with one bound on how many are unanswered. */
export class CommandsInFlight {
  readonly #connections: RedisConnections;
  #count = 0;

  constructor(connections: RedisConnections) {
    this.#connections = connections;
  }

  /**
   * @param command sends one command, or a few that belong together
   * @throws PollError `engine_unavailable`, whatever the reason was
   */
  async send<Reply>(command: (client: CommandClient) => Promise<Reply>, message?: string): Promise<Reply> {
    const { commands, isPrimary } = this.#connections;
    if (!isPrimary) throw engineUnavailable(NO_PRIMARY, message);
    if (this.#count >= MAX_IN_FLIGHT) throw engineUnavailable(TOO_MANY_UNANSWERED, message);
    this.#count += 1;
    try {
      writeTogether(commands);
      return await command(commands);
    } catch (cause) {
      throw engineUnavailable(cause, message);
    } finally {
      this.#count -= 1;
    }
  }

  /** The same for commands that change something. */
  write<Reply>(command: (client: CommandClient) => Promise<Reply>): Promise<Reply> {
    return this.send(command, NOT_WRITTEN);
  }
}
