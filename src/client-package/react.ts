import type { HTMLAttributes as ElementProps, DetailedHTMLProps as Props } from 'react';
import type { PollResultsAttributes, PollResultsElement } from './widget.ts';

/** The widget with types for JSX in React 18 and 19. */

export * from './widget.ts';

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'poll-results': Props<ElementProps<PollResultsElement>, PollResultsElement> & PollResultsAttributes;
    }
  }
}
