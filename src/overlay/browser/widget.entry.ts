import { PollResultsElement } from '../widget/poll-results-element.ts';

const NAME = 'poll-results';

const script = document.currentScript;
if (script instanceof HTMLScriptElement && script.src)
  PollResultsElement.defaultRelay = new URL('.', script.src).href;
// Two script tags on one page are one widget.
if (!customElements.get(NAME)) customElements.define(NAME, PollResultsElement);
