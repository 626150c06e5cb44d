import type {
  CountsMessage,
  CurrentMessage,
  HiddenMessage,
  ResultsMessage,
} from '../../src/protocol/messages.ts';

export const POLL_ID = 'poll00000001';

export function resultsMessage(version: number, more: Partial<ResultsMessage> = {}): ResultsMessage {
  return {
    type: 'results',
    id: POLL_ID,
    title: 'Tea?',
    poll_answers: [
      { id: 'a1', answer: 'Yes', sorting: 1, type: 'text', votes: version },
      { id: 'a2', answer: 'No', sorting: 2, type: 'text', votes: 0 },
    ],
    total_votes: version,
    success: 1,
    timestamp: 1_700_000_000,
    version,
    position: positionOf(version),
    total_voters: version,
    status: 'open',
    deadline: null,
    results_visibility: 'always',
    ...more,
  };
}

export function countsMessage(version: number, votes: readonly number[]): CountsMessage {
  const position = positionOf(version);
  return {
    type: 'counts',
    id: POLL_ID,
    version,
    position,
    timestamp: 1_700_000_001,
    votes,
    total_voters: version,
  };
}

export function currentMessage(version: number): CurrentMessage {
  return { type: 'current', id: POLL_ID, version, position: positionOf(version) };
}

export function positionOf(version: number): string {
  return `${version}-digest`;
}

export function hiddenMessage(more: Partial<HiddenMessage> = {}): HiddenMessage {
  return {
    type: 'hidden',
    id: POLL_ID,
    title: 'Tea?',
    poll_answers: [],
    success: 1,
    status: 'open',
    deadline: null,
    results_visibility: 'hidden',
    ...more,
  };
}
