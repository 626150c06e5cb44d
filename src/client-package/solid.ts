import type { JSX as Solid } from 'solid-js';
import type { PollResultsAttributes, PollResultsElement } from './widget.ts';

/** The widget with types for JSX in Solid. */

export * from './widget.ts';

declare module 'solid-js' {
  namespace JSX {
    interface IntrinsicElements {
      'poll-results': Solid.HTMLAttributes<PollResultsElement> & PollResultsAttributes;
    }
  }
}
