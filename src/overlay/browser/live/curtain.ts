import type { HiddenMessage } from '../../../protocol/messages.ts';
import type { PollSnapshot } from '../../picture/picture.ts';
import type { Scene } from '../drawing/stage.ts';

/**
 * Keeps results back until they are told: those that not everybody may see yet, which a view key opens, and where it is asked
 * for, all. What is told stays told until another poll is on air.
 */
export class Curtain {
  /** Keeps back what everybody may see, too. */
  holdsAll = false;
  /** Null for no poll on air; undefined where nothing was told. */
  #told: string | null | undefined;

  /** What of a scene may be shown now. */
  cover(scene: Scene): Scene {
    const { poll } = scene;
    return poll && this.#keepsBack(poll) ? { ...scene, poll: withoutCounts(poll) } : scene;
  }

  covers({ poll }: Scene): boolean {
    return poll !== undefined && this.#keepsBack(poll);
  }

  isTold(scene: Scene | undefined): boolean {
    return this.#told === idOf(scene);
  }

  tell(scene: Scene | undefined): void {
    this.#told = idOf(scene);
  }

  fall(): void {
    this.#told = undefined;
  }

  #keepsBack(poll: PollSnapshot): boolean {
    if (!('total_votes' in poll) || this.#told === poll.id) return false;
    return this.holdsAll || isSecret(poll);
  }
}

function idOf(scene: Scene | undefined): string | null {
  return scene?.poll?.id ?? null;
}

function isSecret({ results_visibility, status }: PollSnapshot): boolean {
  return results_visibility === 'hidden' || (results_visibility === 'after_deadline' && status !== 'closed');
}

/** The poll as one sees it who may not see its results. */
export function withoutCounts(poll: PollSnapshot): HiddenMessage {
  const { id, title, status, deadline, results_visibility } = poll;
  const poll_answers = poll.poll_answers.map(({ id, answer, sorting, type }) => ({
    id,
    answer,
    sorting,
    type,
  }));
  return {
    ...{ type: 'hidden', success: 1, id, title, poll_answers, status, deadline },
    results_visibility: results_visibility === 'after_deadline' ? results_visibility : 'hidden',
  };
}
