import type { JSX as Preact } from 'preact';
import type { PollResultsAttributes, PollResultsElement } from './widget.ts';

/** The widget with types for JSX in Preact. */

export * from './widget.ts';

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'poll-results': Preact.HTMLAttributes<PollResultsElement> & PollResultsAttributes;
    }
  }
}
