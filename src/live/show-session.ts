import { SHOW_NAME } from '../poll/name-rules.ts';
import { BadMessage, type CloseEvent, ShowNotFound } from '../protocol/close-event.ts';
import { SingleShow, type SingleShowOptions } from './single-show.ts';
import { refuse, type Session, type WebsocketConnection } from './websocket-connection.ts';

interface ShowSocketOptions extends Omit<SingleShowOptions, 'onRefused'> {
  readonly connection: WebsocketConnection;
}

/** One show on one socket: connect and draw whatever it has on air. The other side has nothing to say here. */
class ShowSession implements Session {
  readonly #connection: WebsocketConnection;
  readonly #show: SingleShow;

  constructor(name: string, options: ShowSocketOptions) {
    this.#connection = options.connection;
    this.#show = new SingleShow(name, {
      ...options,
      onRefused: event => options.connection.close(event),
    });
  }

  begin(): void {
    this.#show.begin();
  }

  message(): undefined {
    refuse(this.#connection, BadMessage, undefined, 'Nothing is to be said on this address.');
  }

  end(seat: Parameters<Session['end']>[0], event: CloseEvent): void {
    this.#show.endSeat(seat, event);
  }

  close(): void {
    this.#show.end();
  }
}

export function serveShow(name: string, options: ShowSocketOptions): void {
  const { connection } = options;
  if (!SHOW_NAME.test(name)) refuse(connection, ShowNotFound);
  else {
    const session = new ShowSession(name, options);
    connection.session = session;
    session.begin();
  }
}
