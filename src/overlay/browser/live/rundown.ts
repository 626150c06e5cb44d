import type { RelayLink, Watch, WatchListener } from '../../../client/relay-link.ts';
import { originOfTwin } from '../../../poll/rehearsal.ts';
import type { ShowMessage } from '../../../protocol/messages.ts';

export interface RundownListener extends WatchListener {
  /** Called with the poll on air before any of its results; null when there is none. */
  readonly onShow: (id: string | null) => void;
  /** Called with the whole show on each change. */
  readonly onChange: (show: ShowMessage) => void;
  /** Title of the poll that the show's next step puts on air; null for none. */
  readonly onNext: (title: string | null) => void;
  /** Whether the next poll is out of date, where no poll is on air that reports it. */
  readonly onAway: (away: boolean) => void;
  /** The relay rejected the key, or the show is gone. No further calls about the show. */
  readonly onRefused: (error: { readonly message: string }) => void;
}

interface Watched {
  readonly id: string | null;
  readonly watch: Watch | undefined;
}

/** Follows a show with its key, which opens the rundown, and the hidden results of the polls that the show owns. */
export function followRundown(
  link: RelayLink,
  name: string,
  showKey: string,
  listener: RundownListener,
): Watch {
  const { onResults, onState, onShow, onChange, onNext, onAway } = listener;
  const deleted = new Set<string>();
  let air: Watched | undefined;
  let next: Watched | undefined;
  let ahead: readonly string[] = [];

  const putOnAir = ({ id, own = [] }: ShowMessage): void => {
    if (id === air?.id) return;
    const before = air;
    onShow(id);
    const key = own.includes(originOfTwin(id ?? '') ?? id ?? '') ? showKey : undefined;
    air = { id, watch: id === null ? undefined : link.watch(id, { key, onResults, onState }) };
    before?.watch?.close();
  };
  /** Deleted polls are skipped, as the relay does. */
  const announce = (): void => {
    const id = ahead.find(one => !deleted.has(one)) ?? null;
    if (id === next?.id) return;
    const before = next;
    next = { id, watch: id === null ? undefined : watchNext(id) };
    before?.watch?.close();
    if (id === null) onNext(null);
  };
  const watchNext = (id: string): Watch =>
    link.watch(id, {
      onResults: ({ title }) => onNext(title),
      onState: state => {
        if (state.state === 'hidden' && state.hidden) onNext(state.hidden.title);
        if (air?.id === null) onAway(state.state === 'stale');
        if (state.state !== 'refused') return;
        deleted.add(id);
        announce();
      },
    });

  const followed = link.follow(name, {
    showKey,
    onChange: show => {
      // Those that were only missing may be back.
      deleted.clear();
      onChange(show);
      putOnAir(show);
      const { rundown = [], place = null } = show;
      ahead = rundown.slice(place === null ? 0 : rundown.indexOf(place) + 1);
      announce();
    },
    onRefused: listener.onRefused,
    onResults: () => {},
  });
  return {
    close() {
      followed.close();
      air?.watch?.close();
      next?.watch?.close();
    },
  };
}
